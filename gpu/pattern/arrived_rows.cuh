#pragma once

#include "gpu/pattern/row_sort.cuh"

/// Rows of a transposed pattern: entries arrive in any order, column and source in one store, and find their places by
/// their sources alone.
namespace linden::LINDEN_GPU_NAMESPACE {

/// The entries that have arrived in a row of `work` to `entries`, sorted by (column, source): those of lesser columns
/// have lesser sources. Long rows are copied and listed, for blocks to sort.
template <class I>
struct PlaceArrivedRow {
    const I* row_ptrs;
    EntryArrays<I> entries;
    RowWorkspace<I> work;

    template <class Group>
    __device__ void operator()(Group group, size_type row) const
    {
        const size_type begin = row_ptrs[row];
        const size_type end = row_ptrs[row + 1];
        if (end - begin > detail::most_ranked * Group::size) {
            for (size_type k = begin + Group::lane(); k < end; k += Group::size) {
                entries.set(k, work.arrived[k]);
            }
            if (Group::lane() == 0) {
                work.listed[atomic_add(work.num_listed, 1)] = static_cast<I>(row);
            }
            return;
        }
        const auto source = [](Entry<I> entry) { return entry.source; };
        detail::rank_row(group, work.arrived, source, entries, begin, static_cast<int>(end - begin));
    }
};

}  // namespace linden::LINDEN_GPU_NAMESPACE
