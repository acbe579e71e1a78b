#include "core/kernels/csr_values.hpp"

#include "gpu/vector/row_groups.cuh"

namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

template <class V, class I>
struct ScaleRow {
    PatternView<I> a;
    const V* d;
    V* values;

    template <class Group>
    __device__ void operator()(Group, size_type row) const
    {
        const V factor = d[row];
        const size_type end = a.row_ptrs[row + 1];
        for (size_type k = a.row_ptrs[row] + Group::lane(); k < end; k += Group::size) {
            values[k] = factor * values[k];
        }
    }
};

template <class V, class I>
void scale_rows(const Executor& exec, PatternView<I> a, const V* d, V* values)
{
    map_rows(exec, a.rows, a.num_nonzeros, ScaleRow<device_type<V>, I>{a, as_device(d), as_device(values)});
}

template <class V, class I>
struct ScaleEntry : NothingToPrepare {
    const I* col_idxs;
    const V* d;
    V* values;

    __device__ void operator()(Place<1> at, Nothing) const { values[at.row] = values[at.row] * d[col_idxs[at.row]]; }
};

template <class V, class I>
void scale_columns(const Executor& exec, PatternView<I> a, const V* d, V* values)
{
    map_elements(exec, a.num_nonzeros, 1,
                 ScaleEntry<device_type<V>, I>{{}, a.col_idxs, as_device(d), as_device(values)});
}

template <class V, class I>
struct AddToRow {
    PatternView<I> a;
    V alpha;
    V beta;
    V* values;

    template <class Group>
    __device__ void operator()(Group, size_type row) const
    {
        const size_type end = a.row_ptrs[row + 1];
        for (size_type k = a.row_ptrs[row] + Group::lane(); k < end; k += Group::size) {
            const V scaled = alpha == V{} ? V{} : alpha * values[k];
            values[k] = a.col_idxs[k] == row ? scaled + beta : scaled;
        }
    }
};

template <class V, class I>
void add_scaled_identity(const Executor& exec, PatternView<I> a, V alpha, V beta, V* values)
{
    map_rows(exec, a.rows, a.num_nonzeros,
             AddToRow<device_type<V>, I>{a, as_device(alpha), as_device(beta), as_device(values)});
}

}  // namespace

void register_csr_values()
{
    for_each_value_index([]<class V, class I>() {
        csr_scale_rows<V, I>.bind(this_backend, scale_rows<V, I>);
        csr_scale_columns<V, I>.bind(this_backend, scale_columns<V, I>);
        csr_add_scaled_identity<V, I>.bind(this_backend, add_scaled_identity<V, I>);
    });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
