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
        return std::min(rows, (low + sell_lanes / 2) / sell_lanes * sell_lanes);
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

/// Calls step(first, count, col, sums) for the rows of the blocks [begin, end) of a colour, up to `sell_lanes` at a
/// time: the positions [first, first + count), and the sums of values times w of their entries, which it may change.
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
                     [&](size_type col, V* sums) { step(colour.first + first, count, col, sums); });
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
