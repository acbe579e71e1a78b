#include "core/kernels/csr_values.hpp"

#include "core/base/math.hpp"
#include "omp/parallel.hpp"

namespace linden::omp {
namespace {

/// value := f(row, column, value) for every entry.
template <class V, class I, class F>
void update(const Executor& exec, PatternView<I> a, V* values, F f)
{
    parallel_parts(exec, NonzeroPartition<I>{a.row_ptrs, a.rows}, [=](size_type begin, size_type end) {
        for (size_type row = begin; row < end; ++row) {
            for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
                values[k] = f(row, size_type{a.col_idxs[k]}, values[k]);
            }
        }
    });
}

template <class V, class I>
void scale_rows(const Executor& exec, PatternView<I> a, const V* d, V* values)
{
    update(exec, a, values, [=](size_type row, size_type, V value) { return multiply(d[row], value); });
}

template <class V, class I>
void scale_columns(const Executor& exec, PatternView<I> a, const V* d, V* values)
{
    update(exec, a, values, [=](size_type, size_type col, V value) { return multiply(value, d[col]); });
}

template <class V, class I>
void add_scaled_identity(const Executor& exec, PatternView<I> a, V alpha, V beta, V* values)
{
    update(exec, a, values, [=](size_type row, size_type col, V value) {
        const V scaled = alpha == V{} ? V{} : multiply(alpha, value);
        return row == col ? scaled + beta : scaled;
    });
}

}  // namespace

void register_csr_values()
{
    for_each_value_index([]<class V, class I>() {
        csr_scale_rows<V, I>.bind(Backend::omp, scale_rows<V, I>);
        csr_scale_columns<V, I>.bind(Backend::omp, scale_columns<V, I>);
        csr_add_scaled_identity<V, I>.bind(Backend::omp, add_scaled_identity<V, I>);
    });
}

}  // namespace linden::omp
