#pragma once

#include "core/kernels/sell.hpp"
#include "core/portable/body.hpp"
#include "core/portable/lanes.hpp"
#include "core/portable/search.hpp"

/// Conversions from and to (sliced) ELLPACK.
namespace linden {

template <class I>
struct SortRows {
    size_type num_rows;
    const I* row_ptrs;
    size_type sigma;
    I* row_order;

    LINDEN_HOST_DEVICE size_type size() const { return num_rows; }
    /// The position of a row is the number of rows that come before it.
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        const size_type begin = row / sigma * sigma;
        const size_type end = begin + sigma < num_rows ? begin + sigma : num_rows;
        const I length = row_ptrs[row + 1] - row_ptrs[row];
        size_type position = begin;
        for (size_type other = begin; other < end; ++other) {
            const I other_length = row_ptrs[other + 1] - row_ptrs[other];
            position += other_length > length || (other_length == length && other < row) ? 1 : 0;
        }
        row_order[position] = static_cast<I>(row);
    }
};

template <class I>
struct CountSlices {
    size_type num_rows;
    const I* row_ptrs;
    size_type slice_rows;
    const I* row_order;
    I* widths;

    LINDEN_HOST_DEVICE size_type size() const { return (num_rows + slice_rows - 1) / slice_rows; }
    LINDEN_HOST_DEVICE void operator()(size_type slice) const
    {
        I width = 0;
        for (size_type i = slice * slice_rows; i < (slice + 1) * slice_rows && i < num_rows; ++i) {
            const size_type row = row_order == nullptr ? i : row_order[i];
            const I length = row_ptrs[row + 1] - row_ptrs[row];
            width = length > width ? length : width;
        }
        widths[slice] = width;
    }
};

template <class I>
struct FillSell {
    PatternView<I> a;
    SellLayout<I> layout;
    size_type num_columns;
    I* col_idxs;
    size_type* map;

    LINDEN_HOST_DEVICE size_type size() const { return num_columns * layout.slice_rows; }
    LINDEN_HOST_DEVICE void operator()(size_type entry) const
    {
        const size_type column = entry / layout.slice_rows;
        const size_type slice =
            layout.slice_ptrs == nullptr ? 0 : row_of(layout.slice_ptrs, layout.num_slices(), column);
        const size_type position = slice * layout.slice_rows + entry % layout.slice_rows;
        size_type from = -1;
        if (position < a.rows) {
            const size_type row = layout.row(position);
            const size_type k = a.row_ptrs[row] + (column - layout.first_column(slice));
            from = k < a.row_ptrs[row + 1] ? k : -1;
        }
        col_idxs[entry] = from < 0 ? no_column<I> : a.col_idxs[from];
        map[entry] = from;
    }
};

/// Calls use(number of the entry, column) for the entries of the row at a position.
template <class I, class Use>
LINDEN_HOST_DEVICE void for_each_entry(const SellLayout<I>& layout, const I* col_idxs, size_type position, Use use)
{
    const size_type slice = layout.slice_of(position);
    const size_type place = position - slice * layout.slice_rows;
    for (size_type c = layout.first_column(slice); c < layout.last_column(slice); ++c) {
        const size_type entry = c * layout.slice_rows + place;
        if (col_idxs[entry] != no_column<I>) {
            use(entry, col_idxs[entry]);
        }
    }
}

template <class I>
struct CountSell {
    SellLayout<I> layout;
    const I* col_idxs;
    const I* tail_ptrs;
    I* counts;

    LINDEN_HOST_DEVICE size_type size() const { return layout.rows; }
    LINDEN_HOST_DEVICE void operator()(size_type position) const
    {
        const size_type row = layout.row(position);
        I count = tail_ptrs == nullptr ? 0 : tail_ptrs[row + 1] - tail_ptrs[row];
        for_each_entry(layout, col_idxs, position, [&](size_type, I) { ++count; });
        counts[row] = count;
    }
};

template <class I>
struct ExtractSell {
    SellLayout<I> layout;
    const I* col_idxs;
    const I* row_ptrs;
    I* csr_col_idxs;
    size_type* map;

    LINDEN_HOST_DEVICE size_type size() const { return layout.rows; }
    LINDEN_HOST_DEVICE void operator()(size_type position) const
    {
        size_type to = row_ptrs[layout.row(position)];
        for_each_entry(layout, col_idxs, position, [&](size_type entry, I col) {
            csr_col_idxs[to] = col;
            map[to] = entry;
            ++to;
        });
    }
};

/// The most that an offset of 16 bits may be.
inline constexpr std::int32_t max_short_offset = 0xFFFE;

struct CompressSell {
    size_type slice_rows;
    size_type num_columns;
    const std::int32_t* col_idxs;
    std::int32_t* bases;
    std::uint16_t* offsets;
    std::int32_t* spans;

    LINDEN_HOST_DEVICE size_type size() const { return num_columns; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return num_columns * slice_rows; }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type column) const
    {
        const std::int32_t* const cols = col_idxs + column * slice_rows;
        // Padding is the least of all numbers, and the largest of those without sign; lanes have a maximum.
        std::uint32_t complement = 0;
        std::int32_t highest = -1;
        for (size_type i = Lanes::lane(); i < slice_rows; i += Lanes::size) {
            const auto col = ~static_cast<std::uint32_t>(cols[i]);
            complement = col > complement ? col : complement;
            highest = cols[i] > highest ? cols[i] : highest;
        }
        complement = Lanes::max(complement);
        highest = Lanes::max(highest);
        const std::int32_t base = highest < 0 ? 0 : static_cast<std::int32_t>(~complement);
        std::uint16_t* const to = offsets + column * slice_rows;
        for (size_type i = Lanes::lane(); i < slice_rows; i += Lanes::size) {
            const auto offset = static_cast<std::uint16_t>(cols[i] - base);
            to[i] = cols[i] < 0 ? no_column<std::uint16_t> : offset;
        }
        if (Lanes::lane() == 0) {
            bases[column] = base;
            spans[column] = highest < 0 ? 0 : highest - base;
        }
    }
};

struct MarkWide {
    size_type num_columns;
    const std::int32_t* spans;
    std::int32_t* marks;

    LINDEN_HOST_DEVICE size_type size() const { return num_columns; }
    LINDEN_HOST_DEVICE void operator()(size_type column) const { marks[column] = spans[column] > max_short_offset; }
};

struct ExpandSell {
    size_type slice_rows;
    size_type num_columns;
    const std::int32_t* bases;
    const std::uint16_t* offsets;
    std::int32_t* col_idxs;

    LINDEN_HOST_DEVICE size_type size() const { return num_columns * slice_rows; }
    LINDEN_HOST_DEVICE void operator()(size_type entry) const
    {
        const auto offset = offsets[entry];
        col_idxs[entry] = offset == no_column<std::uint16_t> ? no_column<std::int32_t>
                                                             : bases[entry / slice_rows] + std::int32_t{offset};
    }
};

template <class F>
void for_each_portable_sell(const F& f)
{
    for_each_index([&]<class I>() {
        f(sell_sort_rows<I>, BodyOf<SortRows<I>>());
        f(sell_count_slices<I>, BodyOf<CountSlices<I>>());
        f(sell_fill<I>, BodyOf<FillSell<I>>());
        f(sell_count_rows<I>, BodyOf<CountSell<I>>());
        f(sell_extract<I>, BodyOf<ExtractSell<I>>());
    });
    f(sell_compress, BodyOf<CompressSell>());
    f(sell_mark_wide, BodyOf<MarkWide>());
    f(sell_expand, BodyOf<ExpandSell>());
}

}  // namespace linden
