#pragma once

#include "core/kernels/sweep.hpp"
#include "omp/sell_rows.hpp"

/// The rows of a colour for threads: parts of its blocks, and their rows side by side.
namespace linden::omp {

/// Blocks of a colour in parts with equally many entries and rows.
template <class S, class J>
struct BlockPartition {
    const ColourView<S, J>& colour;
    size_type rows;  ///< what is cut: the blocks
    size_type values_per_entry;

    BlockPartition(const ColourView<S, J>& a_colour, size_type cols)
        : colour(a_colour),
          rows(a_colour.num_blocks()),
          values_per_entry(cols)
    {
    }

    size_type num_slots() const { return slots_before(colour.num_rows()) - slots_before(0); }
    size_type work() const { return work_before(rows) * values_per_entry; }
    /// The first block of `part`: a multiple of what is worked on side by side.
    size_type first(int part, int parts) const
    {
        if (part == 0 || part == parts) {
            return part == 0 ? 0 : rows;
        }
        const size_type target = work_before(rows) / parts * part;
        size_type low = 0;
        size_type high = rows;
        while (low < high) {
            const size_type middle = (low + high) / 2;
            if (work_before(middle) < target) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        const size_type side_by_side = colour.entries.layout.slice_rows == 1 ? 1 : sell_lanes;
        return std::min(rows, (low + side_by_side / 2) / side_by_side * side_by_side);
    }

private:
    /// Entries, with padding, of the rows before `row`; those of a slice count by rows.
    size_type slots_before(size_type row) const
    {
        const auto& layout = colour.entries.layout;
        if (layout.slice_ptrs == nullptr) {
            return row * layout.width;
        }
        const size_type slice = row / layout.slice_rows;
        const size_type place = row - slice * layout.slice_rows;
        const size_type width = place == 0 ? 0 : layout.slice_ptrs[slice + 1] - layout.slice_ptrs[slice];
        return layout.slice_ptrs[slice] * layout.slice_rows + place * width;
    }
    /// A row takes as long as three entries.
    size_type work_before(size_type block) const
    {
        size_type work = 0;
        for (size_type j = 0; j < colour.block_rows && rows != 0; ++j) {
            const size_type row = colour.row(j, j < colour.last_block_rows() ? block : std::min(block, rows - 1));
            const size_type first = colour.row(j, 0);
            work += slots_before(row) - slots_before(first) + 3 * (row - first);
        }
        return work;
    }
};

/// Rows of so many blocks are found before the next row of one is: their results are still in the cache then, and few
/// runs of rows are cut short.
inline constexpr size_type blocks_at_once = 8 * sell_lanes;

/// The order of the rows of a block.
enum class SweepOrder { forward, backward };

namespace detail {

/// A step of for_each_sum as sum_rows calls it, for positions from `first` on.
template <class V, class Step>
struct StepOfRows {
    const Step& step;
    size_type first, count;

    void operator()(size_type col, V* sums) const { step(first, count, col, sums); }
    template <int Width>
    requires std::is_invocable_v<const Step&, size_type, size_type, Pack<V, Width>>
    void operator()(size_type i, size_type col, const Pack<V, Width>& sums) const { step(first + i, col, sums); }
};

}  // namespace detail

/// Calls step(first, count, col, sums) for the rows of the blocks [begin, end) of a colour, up to `sell_lanes` at a
/// time: the positions [first, first + count), and the sums of values times w of their entries, which it may change.
/// Where it takes them, step(position, col, pack) is called with those of a row and as many columns as a pack has.
template <SweepOrder order, class V, class S, class J, class Step>
void for_each_sum(const ColourView<S, J>& colour, size_type begin, size_type end, DenseView<const V> w,
                  const Step& step)
{
    const auto& layout = colour.entries.layout;
    const auto sum_run = [&](size_type first, size_type last) {
        while (first < last) {
            const size_type slice = layout.slice_of(first);
            const size_type slice_end = layout.slice_ptrs == nullptr ? last : (slice + 1) * layout.slice_rows;
            const size_type count = std::min(std::min(last, slice_end) - first, sell_lanes);
            sum_rows(colour.entries, slice, first, count, w,
                     detail::StepOfRows<V, Step>{step, colour.first + first, count});
            first += count;
        }
    };
    for (size_type block = begin; block < end; block += blocks_at_once) {
        const size_type last = std::min(block + blocks_at_once, end);
        for (size_type i = 0; i < colour.block_rows; ++i) {
            const size_type j = order == SweepOrder::forward ? i : colour.block_rows - 1 - i;
            const bool is_short = last == colour.num_blocks() && j >= colour.last_block_rows();
            const size_type first = colour.row(j, block);
            sum_run(first, first + last - block - (is_short ? 1 : 0));
        }
    }
}

}  // namespace linden::omp
