#include "core/kernels/pattern_maps.hpp"

#include "gpu/vector/row_groups.cuh"

namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

template <class I>
struct Compose : NothingToPrepare {
    const I* outer;
    const I* inner;
    I* composed;

    __device__ void operator()(Place<1> at, Nothing) const
    {
        const I k = outer[at.row];
        composed[at.row] = k < 0 ? I{-1} : inner[k];
    }
};

template <class I>
void compose(const Executor& exec, size_type n, const I* outer, const I* inner, I* composed)
{
    map_elements(exec, n, 1, Compose<I>{{}, outer, inner, composed});
}

template <class I>
struct LocateRow {
    PatternView<I> f, a;
    I* source;

    template <class Group>
    __device__ void operator()(Group, size_type row) const
    {
        const I begin = a.row_ptrs[row];
        const I end = a.row_ptrs[row + 1];
        for (I k = f.row_ptrs[row] + static_cast<I>(Group::lane()); k < f.row_ptrs[row + 1]; k += Group::size) {
            const I at = lower_bound(a.col_idxs, begin, end, f.col_idxs[k]);
            source[k] = at < end && a.col_idxs[at] == f.col_idxs[k] ? at : I{-1};
        }
    }
};

template <class I>
void locate(const Executor& exec, PatternView<I> f, PatternView<I> a, I* source)
{
    map_rows(exec, f.rows, f.num_nonzeros, LocateRow<I>{f, a, source});
}

}  // namespace

void register_pattern_maps()
{
    for_each_index([]<class I>() {
        pattern_compose<I>.bind(this_backend, compose<I>);
        pattern_locate<I>.bind(this_backend, locate<I>);
    });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
