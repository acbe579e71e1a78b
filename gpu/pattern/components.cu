#include "core/kernels/components.hpp"

#include "gpu/device/memory_order.cuh"
#include "gpu/vector/row_groups.cuh"

namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

/// The first row of the set that a row is in, as far as it is known. Labels never grow, and each leads to a row of the
/// same set, so that it makes no difference what others write meanwhile.
template <class I>
__device__ I first_of(I* labels, I row)
{
    I label = load_relaxed(labels + row);
    while (label != row) {
        const I next = load_relaxed(labels + label);
        if (next != label) {
            store_relaxed(labels + row, next);
        }
        row = label;
        label = next;
    }
    return row;
}

template <class I>
struct EachItself : NothingToPrepare {
    I* labels;

    __device__ void operator()(Place<1> at, Nothing) const { labels[at.row] = static_cast<I>(at.row); }
};

template <class I>
struct JoinRow {
    PatternView<I> a;
    I* labels;

    template <class Group>
    __device__ void operator()(Group, size_type row) const
    {
        for (I k = a.row_ptrs[row] + static_cast<I>(Group::lane()); k < a.row_ptrs[row + 1]; k += Group::size) {
            join(static_cast<I>(row), a.col_idxs[k]);
        }
    }

private:
    __device__ void join(I one, I other) const
    {
        one = first_of(labels, one);
        other = first_of(labels, other);
        while (one != other) {
            const I least = one < other ? one : other;
            const I greater = one < other ? other : one;
            const I seen = atomic_cas(labels + greater, greater, least);
            if (seen == greater) {
                return;
            }
            one = least;
            other = first_of(labels, seen);
        }
    }
};

template <class I>
struct LabelByFirst : NothingToPrepare {
    I* labels;

    /// Shortens no other way: a label written late would hide the first row.
    __device__ void operator()(Place<1> at, Nothing) const
    {
        const I row = static_cast<I>(at.row);
        I label = load_relaxed(labels + row);
        for (I next = load_relaxed(labels + label); next != label; next = load_relaxed(labels + label)) {
            label = next;
        }
        store_relaxed(labels + row, label);
    }
};

template <class I>
void find(const Executor& exec, PatternView<I> a, I* labels)
{
    map_elements(exec, a.rows, 1, EachItself<I>{{}, labels});
    map_rows(exec, a.rows, a.num_nonzeros, JoinRow<I>{a, labels});
    map_elements(exec, a.rows, 1, LabelByFirst<I>{{}, labels});
}

}  // namespace

void register_components()
{
    for_each_index([]<class I>() { components_find<I>.bind(this_backend, find<I>); });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
