#pragma once

#include "core/portable/formats.hpp"

/// Conversions from and to (sliced) ELLPACK, item by item; see format_items.hpp.
namespace linden {

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
    LINDEN_HOST_DEVICE void operator()(size_type column) const
    {
        const std::int32_t* const cols = col_idxs + column * slice_rows;
        std::int32_t lowest = -1;
        for (size_type i = 0; i < slice_rows; ++i) {
            lowest = cols[i] >= 0 && (lowest < 0 || cols[i] < lowest) ? cols[i] : lowest;
        }
        lowest = lowest < 0 ? 0 : lowest;
        std::int32_t span = 0;
        for (size_type i = 0; i < slice_rows; ++i) {
            const std::int32_t offset = cols[i] - lowest;
            span = cols[i] >= 0 && offset > span ? offset : span;
            offsets[column * slice_rows + i] =
                cols[i] < 0 ? no_column<std::uint16_t> : static_cast<std::uint16_t>(offset);
        }
        bases[column] = lowest;
        spans[column] = span;
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

}  // namespace linden
