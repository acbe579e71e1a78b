#pragma once

#include "core/portable/formats.hpp"

/// Conversions from and to diagonals and blocks, item by item; see format_items.hpp.
namespace linden {

template <class I>
struct MarkDiagonals {
    PatternView<I> a;
    I* marks;

    LINDEN_HOST_DEVICE size_type size() const { return a.num_nonzeros; }
    /// All that write to a mark write the same.
    LINDEN_HOST_DEVICE void operator()(size_type k) const
    {
        I* const mark = marks + (a.col_idxs[k] - row_of(a.row_ptrs, a.rows, k) + a.rows - 1);
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
        *mark = 1;
#else
        __atomic_store_n(mark, I{1}, __ATOMIC_RELAXED);
#endif
    }
};

template <class I>
struct CollectDiagonals {
    size_type num_rows;
    size_type num_marks;
    const I* numbers;
    I* offsets;

    LINDEN_HOST_DEVICE size_type size() const { return num_marks; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const
    {
        if (numbers[i + 1] > numbers[i]) {
            offsets[numbers[i]] = static_cast<I>(i - (num_rows - 1));
        }
    }
};

template <class I>
struct FillDia {
    PatternView<I> a;
    DiaLayout<I> layout;
    size_type* map;

    LINDEN_HOST_DEVICE size_type size() const { return layout.num_diagonals * layout.stride; }
    LINDEN_HOST_DEVICE void operator()(size_type entry) const
    {
        const size_type row = entry % layout.stride;
        map[entry] = find_entry(a, row, row + layout.offsets[entry / layout.stride]);
    }
};

/// Calls use(number of the entry, column) for the marked entries of a row.
template <class I, class Use>
LINDEN_HOST_DEVICE void for_each_marked(const DiaLayout<I>& layout, const std::uint8_t* marks, size_type row, Use use)
{
    for (size_type d = 0; d < layout.num_diagonals; ++d) {
        const size_type col = row + layout.offsets[d];
        if (col >= 0 && col < layout.cols && marks[d * layout.stride + row] != 0) {
            use(d * layout.stride + row, col);
        }
    }
}
template <class I, class Use>
LINDEN_HOST_DEVICE void for_each_marked(const BsrLayout<I>& layout, const std::uint8_t* marks, size_type row, Use use)
{
    const size_type s = layout.block_size;
    const size_type block_row = row / s;
    for (size_type block = layout.row_ptrs[block_row]; block < layout.row_ptrs[block_row + 1]; ++block) {
        for (size_type c = 0; c < s; ++c) {
            const size_type col = layout.col_idxs[block] * s + c;
            const size_type entry = (block * s + c) * s + row % s;
            if (col < layout.cols && marks[entry] != 0) {
                use(entry, col);
            }
        }
    }
}

template <class Layout, class I>
struct CountMarked {
    Layout layout;
    const std::uint8_t* marks;
    I* counts;

    LINDEN_HOST_DEVICE size_type size() const { return layout.rows; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        I count = 0;
        for_each_marked(layout, marks, row, [&](size_type, size_type) { ++count; });
        counts[row] = count;
    }
};

template <class Layout, class I>
struct ExtractMarked {
    Layout layout;
    const std::uint8_t* marks;
    const I* row_ptrs;
    I* csr_col_idxs;
    size_type* map;

    LINDEN_HOST_DEVICE size_type size() const { return layout.rows; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        size_type to = row_ptrs[row];
        for_each_marked(layout, marks, row, [&](size_type entry, size_type col) {
            csr_col_idxs[to] = static_cast<I>(col);
            map[to] = entry;
            ++to;
        });
    }
};

/// Calls use(block column) for the blocks of a block row, in ascending order: a merge of its rows, by searches, since
/// cursors into the rows would keep a device's registers in memory.
template <class I, class Use>
LINDEN_HOST_DEVICE void for_each_block(const PatternView<I>& a, size_type block_size, size_type block_row, Use use)
{
    const size_type first = block_row * block_size;
    const size_type end = first + block_size < a.rows ? first + block_size : a.rows;
    for (size_type from = 0; from < a.cols;) {
        size_type lowest = a.cols;
        for (size_type row = first; row < end; ++row) {
            const size_type at = first_entry_from(a, row, from);
            lowest = at < a.row_ptrs[row + 1] && a.col_idxs[at] < lowest ? a.col_idxs[at] : lowest;
        }
        if (lowest < a.cols) {
            use(lowest / block_size);
        }
        from = lowest / block_size * block_size + block_size;
    }
}

template <class I>
struct CountBlocks {
    PatternView<I> a;
    size_type block_size;
    I* counts;

    LINDEN_HOST_DEVICE size_type size() const { return (a.rows + block_size - 1) / block_size; }
    LINDEN_HOST_DEVICE void operator()(size_type block_row) const
    {
        I count = 0;
        for_each_block(a, block_size, block_row, [&](size_type) { ++count; });
        counts[block_row] = count;
    }
};

template <class I>
struct FindBlocks {
    PatternView<I> a;
    size_type block_size;
    const I* block_row_ptrs;
    I* block_cols;

    LINDEN_HOST_DEVICE size_type size() const { return (a.rows + block_size - 1) / block_size; }
    LINDEN_HOST_DEVICE void operator()(size_type block_row) const
    {
        size_type to = block_row_ptrs[block_row];
        for_each_block(a, block_size, block_row, [&](size_type block) { block_cols[to++] = static_cast<I>(block); });
    }
};

template <class I>
struct FillBsr {
    PatternView<I> a;
    BsrLayout<I> layout;
    size_type* map;

    LINDEN_HOST_DEVICE size_type size() const { return layout.num_blocks * layout.block_size * layout.block_size; }
    LINDEN_HOST_DEVICE void operator()(size_type entry) const
    {
        const size_type s = layout.block_size;
        const size_type block = entry / (s * s);
        const size_type row = row_of(layout.row_ptrs, layout.block_rows(), block) * s + entry % s;
        map[entry] = find_entry(a, row, layout.col_idxs[block] * s + entry / s % s);
    }
};

}  // namespace linden
