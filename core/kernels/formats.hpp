#pragma once

#include <linden/side.hpp>
#include <linden/views_formats.hpp>

#include "core/base/kernel.hpp"
#include "core/kernels/stored_types.hpp"

/// Conversions between sparse formats. They work on patterns alone; values follow by a map that says for each entry of
/// the new matrix which value of the old one it takes, -1 where it has none (padding). All are deterministic and do one
/// independent piece of work per item; core/kernels/format_items.hpp has the pieces.
namespace linden {

/// target[i] := source[map[i]], in the type W; 0 where map[i] < 0.  map, target: n.
template <class V, class W>
inline constinit kernel<void(size_type, const size_type*, const V*, W*)> formats_gather{"formats::gather",
                                                                                        types_of<V, W>};

/// out[i] := values[stride i].  n values; for the real parts of complex values. (n, stride, values, out)
template <class R>
inline constinit kernel<void(size_type, size_type, const R*, R*)> formats_take_every{"formats::take_every",
                                                                                     types_of<R>};

/// marks[i] := values[i] != 0.  n values; NaN is marked.
template <class V>
inline constinit kernel<void(size_type, const V*, std::uint8_t*)> formats_mark_nonzeros{"formats::mark_nonzeros",
                                                                                        types_of<V>};

/// marks[i] := values[i] != values[0].  n values.
template <class V, class I>
inline constinit kernel<void(size_type, const V*, I*)> formats_mark_different{"formats::mark_different",
                                                                              types_of<V, I>};

/// marks[i] := row i has more than `width` entries.  (rows, row_ptrs, width, marks)
template <class I>
inline constinit kernel<void(size_type, const I*, size_type, I*)> formats_mark_longer{"formats::mark_longer",
                                                                                      types_of<I>};

/// The tail of a row is what follows its first `skip` entries.  counts[i] := the length of row i's tail.
/// (rows, row_ptrs, skip, counts)
template <class I>
inline constinit kernel<void(size_type, const I*, size_type, I*)> formats_count_tails{"formats::count_tails",
                                                                                      types_of<I>};
/// The tails as coordinates, row by row; tail_ptrs: the prefix sums of their lengths, whose last is `num_tail`.
/// (pattern, skip, num_tail, tail_ptrs, row_idxs, col_idxs, map)
template <class I>
inline constinit kernel<void(PatternView<I>, size_type, size_type, const I*, I*, I*, size_type*)> formats_fill_tails{
    "formats::fill_tails", types_of<I>};
/// row_ptrs of coordinates sorted by rows.  (rows, nnz, row_idxs, row_ptrs)
template <class I>
inline constinit kernel<void(size_type, size_type, const I*, I*)> formats_find_row_ptrs{"formats::find_row_ptrs",
                                                                                        types_of<I>};
/// Puts tails, as coordinates, to the ends of the rows of a Csr matrix. Entry k takes value number `first` + k.
/// (num_tail, first, tail_row_idxs, tail_ptrs, tail_col_idxs, row_ptrs, col_idxs, map)
template <class I>
inline constinit kernel<void(size_type, size_type, const I*, const I*, const I*, const I*, I*, size_type*)>
    formats_extract_tails{"formats::extract_tails", types_of<I>};

/// row_order: in each window of `sigma` rows, those with more entries first, else as they stood.  2 <= sigma.
/// O(rows sigma). (rows, row_ptrs, sigma, row_order)
template <class I>
inline constinit kernel<void(size_type, const I*, size_type, I*)> formats_sort_rows{"formats::sort_rows", types_of<I>};
/// widths[s] := the length of the longest row in slice s.  row_order may be null.
/// (rows, row_ptrs, slice_rows, row_order, widths)
template <class I>
inline constinit kernel<void(size_type, const I*, size_type, const I*, I*)> formats_count_slices{
    "formats::count_slices", types_of<I>};
/// Column indices and map of a matrix in this layout; `num_columns`: of all slices. Of rows longer than their slice is
/// wide only the first entries go in.  (pattern, layout, num_columns, col_idxs, map)
template <class I>
inline constinit kernel<void(PatternView<I>, SellLayout<I>, size_type, I*, size_type*)> formats_fill_sell{
    "formats::fill_sell", types_of<I>};
/// counts[row] := entries of the row, with those of its tail where tail_ptrs is not null.
/// (layout, col_idxs, tail_ptrs, counts)
template <class I>
inline constinit kernel<void(SellLayout<I>, const I*, const I*, I*)> formats_count_sell{"formats::count_sell",
                                                                                        types_of<I>};
/// The entries as those of a Csr matrix with these row pointers: its columns and map.
/// (layout, col_idxs, row_ptrs, csr_col_idxs, map)
template <class I>
inline constinit kernel<void(SellLayout<I>, const I*, const I*, I*, size_type*)> formats_extract_sell{
    "formats::extract_sell", types_of<I>};
/// bases[c] := the smallest column index in column c of the slices, 0 if it has none; offsets := what the others are
/// behind it; spans[c] := the largest of them. Where that is more than 65534 the offsets of the column are unspecified.
/// (slice_rows, num_columns, col_idxs, bases, offsets, spans)
inline constinit kernel<void(size_type, size_type, const std::int32_t*, std::int32_t*, std::uint16_t*, std::int32_t*)>
    formats_compress_sell{"formats::compress_sell", "int32"};
/// marks[c] := spans[c] does not fit into 16 bits.  (num_columns, spans, marks)
inline constinit kernel<void(size_type, const std::int32_t*, std::int32_t*)> formats_mark_wide{"formats::mark_wide",
                                                                                               "int32"};
/// Column indices from bases and offsets.  (slice_rows, num_columns, bases, offsets, col_idxs)
inline constinit kernel<void(size_type, size_type, const std::int32_t*, const std::uint16_t*, std::int32_t*)>
    formats_expand_sell{"formats::expand_sell", "int32"};

/// counts[i] := number of entries of row i strictly on `side`.  a: n x n, rows in any order.  (pattern, side, counts)
template <class I>
inline constinit kernel<void(PatternView<I>, Side, I*)> formats_count_triangle{"formats::count_triangle", types_of<I>};
/// The entries strictly on `side` of the rows first, first + 1, ... of a matrix, as many as the layout has, with the
/// values row_factors[i] a_ij col_factors[j], rounded to S; without column factors where these are null. The layout is
/// wide enough and has no row order. The factors are indexed like the matrix.
/// (pattern, values, side, first, layout, row_factors, col_factors, col_idxs, stored)
template <class V, class S, class I>
inline constinit kernel<void(PatternView<I>, const V*, Side, size_type, SellLayout<I>, const V*, const V*, I*, S*)>
    formats_fill_triangle{"formats::fill_triangle", types_of<V, S, I>};

/// marks[col - row + rows - 1] := 1 for each entry; marks: rows + cols - 1, which start as zeros.  (pattern, marks)
template <class I>
inline constinit kernel<void(PatternView<I>, I*)> formats_mark_diagonals{"formats::mark_diagonals", types_of<I>};
/// The offsets of marked diagonals in ascending order. numbers: the prefix sums of the marks, num_marks + 1.
/// (rows, num_marks, numbers, offsets)
template <class I>
inline constinit kernel<void(size_type, size_type, const I*, I*)> formats_collect_diagonals{
    "formats::collect_diagonals", types_of<I>};
/// (pattern, layout, map)
template <class I>
inline constinit kernel<void(PatternView<I>, DiaLayout<I>, size_type*)> formats_fill_dia{"formats::fill_dia",
                                                                                         types_of<I>};
/// counts[row] := entries whose value is marked.  (layout, marks, counts)
template <class I>
inline constinit kernel<void(DiaLayout<I>, const std::uint8_t*, I*)> formats_count_dia{"formats::count_dia",
                                                                                       types_of<I>};
/// (layout, marks, row_ptrs, csr_col_idxs, map)
template <class I>
inline constinit kernel<void(DiaLayout<I>, const std::uint8_t*, const I*, I*, size_type*)> formats_extract_dia{
    "formats::extract_dia", types_of<I>};

/// counts[i] := the number of blocks with entries in block row i.  (pattern, block_size, counts)
template <class I>
inline constinit kernel<void(PatternView<I>, size_type, I*)> formats_count_blocks{"formats::count_blocks", types_of<I>};
/// Their block columns.  (pattern, block_size, block_row_ptrs, block_cols)
template <class I>
inline constinit kernel<void(PatternView<I>, size_type, const I*, I*)> formats_find_blocks{"formats::find_blocks",
                                                                                           types_of<I>};
/// (pattern, layout, map)
template <class I>
inline constinit kernel<void(PatternView<I>, BsrLayout<I>, size_type*)> formats_fill_bsr{"formats::fill_bsr",
                                                                                         types_of<I>};
/// counts[row] := entries whose value is marked.  (layout, marks, counts)
template <class I>
inline constinit kernel<void(BsrLayout<I>, const std::uint8_t*, I*)> formats_count_bsr{"formats::count_bsr",
                                                                                       types_of<I>};
/// (layout, marks, row_ptrs, csr_col_idxs, map)
template <class I>
inline constinit kernel<void(BsrLayout<I>, const std::uint8_t*, const I*, I*, size_type*)> formats_extract_bsr{
    "formats::extract_bsr", types_of<I>};

}  // namespace linden
