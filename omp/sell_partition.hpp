#pragma once

#include <algorithm>

#include "omp/parallel.hpp"
#include "omp/sell_rows.hpp"

/// The rows of matrices in (sliced) ELLPACK, spread over a team.
namespace linden::omp {

/// Slices in parts with equally many entries.
template <class I>
struct SlicePartition : NonzeroPartition<I> {
    size_type values_per_column;

    size_type work() const { return NonzeroPartition<I>::work() * values_per_column; }
};

/// Calls with(partition, positions), where positions(begin, end, f) calls f(slice, first, last) for runs of positions
/// of a slice: those of a part of the partition.
template <class S, class J, class With>
void with_partition(const SellView<S, J>& a, size_type cols, const With& with)
{
    const auto& layout = a.layout;
    if (layout.slice_ptrs == nullptr) {
        with(RowPartition{layout.rows, layout.width * cols + 1},
             [](size_type begin, size_type end, const auto& f) { f(size_type{0}, begin, end); });
        return;
    }
    using I = typename SellView<S, J>::index_type;
    with(SlicePartition<I>{{layout.slice_ptrs, layout.num_slices()}, layout.slice_rows * cols},
         [&layout](size_type begin, size_type end, const auto& f) {
             for (size_type slice = begin; slice < end; ++slice) {
                 const size_type first = slice * layout.slice_rows;
                 f(slice, first, std::min(first + layout.slice_rows, layout.rows));
             }
         });
}

}  // namespace linden::omp
