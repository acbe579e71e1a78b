#pragma once

#include <linden/side.hpp>
#include <linden/views_formats.hpp>

#include "core/base/kernel.hpp"
#include "core/kernels/stored_types.hpp"

/// Conversions between sparse formats. They work on patterns alone; values follow by a map that says for each entry of
/// the new matrix which value of the old one it takes, -1 where it has none (padding). All are deterministic and do one
/// independent piece of work per item; core/kernels/format_items.hpp has the pieces. a: the pattern of a Csr matrix.
namespace linden {

/// target[i] := source[map[i]], in the type W; 0 where map[i] < 0.  map, target: n.
template <class V, class W>
inline constinit LINDEN_EXPORT kernel<void(size_type n, const size_type* map, const V* source, W* target)>
    formats_gather{"formats::gather", types_of<V, W>};

/// out[i] := values[stride i].  n values; for the real parts of complex values.
template <class R>
inline constinit LINDEN_EXPORT kernel<void(size_type n, size_type stride, const R* values, R* out)> formats_take_every{
    "formats::take_every", types_of<R>};

/// marks[i] := values[i] != 0.  n values; NaN is marked.
template <class V>
inline constinit LINDEN_EXPORT kernel<void(size_type n, const V* values, std::uint8_t* marks)> formats_mark_nonzeros{
    "formats::mark_nonzeros", types_of<V>};

/// marks[i] := values[i] != values[0].  n values.
template <class V, class I>
inline constinit LINDEN_EXPORT kernel<void(size_type n, const V* values, I* marks)> formats_mark_different{
    "formats::mark_different", types_of<V, I>};

/// marks[i] := row i has more than `width` entries.
template <class I>
inline constinit LINDEN_EXPORT kernel<void(size_type num_rows, const I* row_ptrs, size_type width, I* marks)>
    formats_mark_longer{"formats::mark_longer", types_of<I>};

/// The tail of a row is what follows its first `skip` entries.  counts[i] := the length of row i's tail.
template <class I>
inline constinit LINDEN_EXPORT kernel<void(size_type num_rows, const I* row_ptrs, size_type skip, I* counts)>
    formats_count_tails{"formats::count_tails", types_of<I>};
/// The tails as coordinates, row by row, and for each entry its number in a.  tail_ptrs: the prefix sums of their
/// lengths, whose last is num_tail.
template <class I>
inline constinit LINDEN_EXPORT kernel<void(PatternView<I> a, size_type skip, size_type num_tail, const I* tail_ptrs,
                                           I* row_idxs, I* col_idxs, size_type* map)>
    formats_fill_tails{"formats::fill_tails", types_of<I>};
/// row_ptrs of coordinates sorted by rows.  row_idxs: num_nonzeros values.
template <class I>
inline constinit LINDEN_EXPORT kernel<void(size_type num_rows, size_type num_nonzeros, const I* row_idxs, I* row_ptrs)>
    formats_find_row_ptrs{"formats::find_row_ptrs", types_of<I>};
/// Tails as coordinates, row by row.
template <class I>
struct TailsView {
    size_type num_entries = 0;
    const I* ptrs = nullptr;      ///< rows + 1: the prefix sums of their lengths
    const I* row_idxs = nullptr;  ///< num_entries
    const I* col_idxs = nullptr;  ///< num_entries
};

/// Puts tails to the ends of the rows of a Csr matrix with these row_ptrs. Entry k takes value number `first` + k.
template <class I>
inline constinit LINDEN_EXPORT
    kernel<void(TailsView<I> tails, size_type first, const I* row_ptrs, I* col_idxs, size_type* map)>
        formats_extract_tails{"formats::extract_tails", types_of<I>};

/// row_order: in each window of `sigma` rows, those with more entries first, else as they stood.  2 <= sigma.
/// O(num_rows sigma).
template <class I>
inline constinit LINDEN_EXPORT kernel<void(size_type num_rows, const I* row_ptrs, size_type sigma, I* row_order)>
    formats_sort_rows{"formats::sort_rows", types_of<I>};
/// widths[s] := the length of the longest row in slice s.  row_order may be null.
template <class I>
inline constinit LINDEN_EXPORT
    kernel<void(size_type num_rows, const I* row_ptrs, size_type slice_rows, const I* row_order, I* widths)>
        formats_count_slices{"formats::count_slices", types_of<I>};
/// Column indices and map of a matrix in this layout; num_columns: of all slices. Of rows longer than their slice is
/// wide only the first entries go in.
template <class I>
inline constinit LINDEN_EXPORT
    kernel<void(PatternView<I> a, SellLayout<I> layout, size_type num_columns, I* col_idxs, size_type* map)>
        formats_fill_sell{"formats::fill_sell", types_of<I>};
/// counts[row] := entries of the row, with those of its tail where tail_ptrs is not null.
template <class I>
inline constinit LINDEN_EXPORT kernel<void(SellLayout<I> layout, const I* col_idxs, const I* tail_ptrs, I* counts)>
    formats_count_sell{"formats::count_sell", types_of<I>};
/// The entries as those of a Csr matrix with these row pointers: its columns and map.
template <class I>
inline constinit LINDEN_EXPORT
    kernel<void(SellLayout<I> layout, const I* col_idxs, const I* row_ptrs, I* csr_col_idxs, size_type* map)>
        formats_extract_sell{"formats::extract_sell", types_of<I>};
/// bases[c] := the smallest column index in column c of the slices, 0 if it has none; offsets := what the others are
/// behind it; spans[c] := the largest of them. Where that is more than 65534 the offsets of the column are unspecified.
inline constinit LINDEN_EXPORT kernel<void(size_type slice_rows, size_type num_columns, const std::int32_t* col_idxs,
                                           std::int32_t* bases, std::uint16_t* offsets, std::int32_t* spans)>
    formats_compress_sell{"formats::compress_sell", "int32"};
/// marks[c] := spans[c] does not fit into 16 bits.
inline constinit LINDEN_EXPORT kernel<void(size_type num_columns, const std::int32_t* spans, std::int32_t* marks)>
    formats_mark_wide{"formats::mark_wide", "int32"};
/// Column indices from bases and offsets.
inline constinit LINDEN_EXPORT kernel<void(size_type slice_rows, size_type num_columns, const std::int32_t* bases,
                                           const std::uint16_t* offsets, std::int32_t* col_idxs)>
    formats_expand_sell{"formats::expand_sell", "int32"};

/// counts[i] := number of entries of row i strictly on `side`.  a: n x n, rows in any order.
template <class I>
inline constinit LINDEN_EXPORT kernel<void(PatternView<I> a, Side side, I* counts)> formats_count_triangle{
    "formats::count_triangle", types_of<I>};
/// The strict triangle of a matrix with the values row_factors[i] a_ij col_factors[j].
template <class V, class I>
struct ScaledTriangle {
    CsrView<V, I> a;  ///< rows in any order
    Side side = Side::lower;
    const V* row_factors = nullptr;  ///< one per row of a
    const V* col_factors = nullptr;  ///< one per column; null for ones
};

/// The entries in the rows first, first + 1, ... of the triangle, as many rows as the layout has, their values rounded
/// to S. The layout is wide enough and has no row order.
template <class V, class S, class I>
inline constinit LINDEN_EXPORT
    kernel<void(ScaledTriangle<V, I> triangle, size_type first, SellLayout<I> layout, I* col_idxs, S* stored)>
        formats_fill_triangle{"formats::fill_triangle", types_of<V, S, I>};

/// marks[col - row + rows - 1] := 1 for each entry; marks: rows + cols - 1, which start as zeros.
template <class I>
inline constinit LINDEN_EXPORT kernel<void(PatternView<I> a, I* marks)> formats_mark_diagonals{
    "formats::mark_diagonals", types_of<I>};
/// The offsets of marked diagonals in ascending order.  numbers: the prefix sums of the marks, num_marks + 1.
template <class I>
inline constinit LINDEN_EXPORT kernel<void(size_type num_rows, size_type num_marks, const I* numbers, I* offsets)>
    formats_collect_diagonals{"formats::collect_diagonals", types_of<I>};
/// map[entry] := the number in a of each entry that the layout has room for, -1 where a has none there.
template <class I>
inline constinit LINDEN_EXPORT kernel<void(PatternView<I> a, DiaLayout<I> layout, size_type* map)> formats_fill_dia{
    "formats::fill_dia", types_of<I>};
/// counts[row] := entries whose value is marked.
template <class I>
inline constinit LINDEN_EXPORT kernel<void(DiaLayout<I> layout, const std::uint8_t* marks, I* counts)>
    formats_count_dia{"formats::count_dia", types_of<I>};
/// The marked entries as those of a Csr matrix with these row pointers: its columns and map.
template <class I>
inline constinit LINDEN_EXPORT
    kernel<void(DiaLayout<I> layout, const std::uint8_t* marks, const I* row_ptrs, I* csr_col_idxs, size_type* map)>
        formats_extract_dia{"formats::extract_dia", types_of<I>};

/// counts[i] := the number of blocks with entries in block row i.
template <class I>
inline constinit LINDEN_EXPORT kernel<void(PatternView<I> a, size_type block_size, I* counts)> formats_count_blocks{
    "formats::count_blocks", types_of<I>};
/// Their block columns, in ascending order.  block_row_ptrs: the prefix sums of those counts.
template <class I>
inline constinit LINDEN_EXPORT
    kernel<void(PatternView<I> a, size_type block_size, const I* block_row_ptrs, I* block_cols)>
        formats_find_blocks{"formats::find_blocks", types_of<I>};
/// map[entry] := the number in a of each entry of the layout's blocks, -1 where a has none there.
template <class I>
inline constinit LINDEN_EXPORT kernel<void(PatternView<I> a, BsrLayout<I> layout, size_type* map)> formats_fill_bsr{
    "formats::fill_bsr", types_of<I>};
/// counts[row] := entries whose value is marked.
template <class I>
inline constinit LINDEN_EXPORT kernel<void(BsrLayout<I> layout, const std::uint8_t* marks, I* counts)>
    formats_count_bsr{"formats::count_bsr", types_of<I>};
/// The marked entries as those of a Csr matrix with these row pointers: its columns and map.
template <class I>
inline constinit LINDEN_EXPORT
    kernel<void(BsrLayout<I> layout, const std::uint8_t* marks, const I* row_ptrs, I* csr_col_idxs, size_type* map)>
        formats_extract_bsr{"formats::extract_bsr", types_of<I>};

}  // namespace linden
