#pragma once

#include "core/kernels/bsr.hpp"
#include "core/portable/body.hpp"
#include "core/portable/marked.hpp"
#include "core/portable/search.hpp"

/// Conversions from and to blocks.
namespace linden {

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

template <class F>
void for_each_portable_bsr(const F& f)
{
    for_each_index([&]<class I>() {
        f(bsr_count_blocks<I>, BodyOf<CountBlocks<I>>());
        f(bsr_find_blocks<I>, BodyOf<FindBlocks<I>>());
        f(bsr_fill<I>, BodyOf<FillBsr<I>>());
        f(bsr_count_rows<I>, BodyOf<CountMarked<BsrLayout<I>, I>>());
        f(bsr_extract<I>, BodyOf<ExtractMarked<BsrLayout<I>, I>>());
    });
}

}  // namespace linden
