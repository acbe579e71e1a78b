#pragma once

#include <linden/views_formats.hpp>

#include "core/base/kernel.hpp"
#include "core/kernels/stored_types.hpp"

/// Products with matrices in (sliced) ELLPACK.
namespace linden {

/// Calls `f.operator()<V, S, J>()` for every value type, storage type and type of column indices of `sell_spmv`: values
/// as they are with all index types, rounded ones with 32 bits, both with 16 bits.
template <class F>
void for_each_sell_type(F&& f)
{
    for_each_value([&]<class V>() {
        for_each_index([&]<class I>() { f.template operator()<V, V, I>(); });
        f.template operator()<V, V, std::uint16_t>();
        for_each_lower_storage<V>([&]<class S>() {
            f.template operator()<V, S, std::int32_t>();
            f.template operator()<V, S, std::uint16_t>();
        });
    });
}

/// x := alpha A b + beta x, arithmetic in V.  b: n x k, x: m x k.  With beta = 0 the old x is not read; what b holds in
/// columns where a row has no entry does not matter. A row's products are summed from left to right. A is read once for
/// all k columns. slice_rows is a power of two from 32 where there are slice pointers. Deterministic.
/// Bytes: entries (S + J) with padding, + (n + m) k V. [KreutzerEtAl14]
template <class V, class S, class J>
inline constinit kernel<void(SellView<S, J> a, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta, DenseView<V> x)>
    sell_spmv{"sell::spmv", types_of<V, S, J>};

/// x := A b;  wx[col] := w(:, col)^H x(:, col);  xx[col] := x(:, col)^H x(:, col) unless xx is null.
/// b: n x k, x and w: m x k; w may be b.  Deterministic. Workspace: reduction_workspace_bytes<V>(2 k).
template <class V, class S, class J>
inline constinit kernel<void(SellView<S, J> a, DenseView<const V> b, DenseView<V> x, DenseView<const V> w, V* wx, V* xx,
                             WorkspaceView workspace)>
    sell_spmv_dot{"sell::spmv_dot", types_of<V, S, J>};

// Conversions work on patterns alone; values follow by a map that says for each entry of the new matrix which value of
// the old one it takes, -1 where it has none (padding). a: the pattern of a Csr matrix.

/// row_order: in each window of `sigma` rows, those with more entries first, else as they stood.  2 <= sigma.
/// O(num_rows sigma).
template <class I>
inline constinit kernel<void(size_type num_rows, const I* row_ptrs, size_type sigma, I* row_order)> sell_sort_rows{
    "sell::sort_rows", types_of<I>};

/// widths[s] := the length of the longest row in slice s.  row_order may be null.
template <class I>
inline constinit kernel<void(size_type num_rows, const I* row_ptrs, size_type slice_rows, const I* row_order,
                             I* widths)>
    sell_count_slices{"sell::count_slices", types_of<I>};

/// Column indices and map of a matrix in this layout; num_columns: of all slices. Of rows longer than their slice is
/// wide only the first entries go in.
template <class I>
inline constinit kernel<void(PatternView<I> a, SellLayout<I> layout, size_type num_columns, I* col_idxs,
                             size_type* map)>
    sell_fill{"sell::fill", types_of<I>};

/// counts[row] := entries of the row, with those of its tail where tail_ptrs is not null.
template <class I>
inline constinit kernel<void(SellLayout<I> layout, const I* col_idxs, const I* tail_ptrs, I* counts)> sell_count_rows{
    "sell::count_rows", types_of<I>};

/// The entries as those of a Csr matrix with these row pointers: its columns and map.
template <class I>
inline constinit kernel<void(SellLayout<I> layout, const I* col_idxs, const I* row_ptrs, I* csr_col_idxs,
                             size_type* map)>
    sell_extract{"sell::extract", types_of<I>};

/// bases[c] := the smallest column index in column c of the slices, 0 if it has none; offsets := what the others are
/// behind it; spans[c] := the largest of them. Where that is more than 65534 the offsets of the column are unspecified.
inline constinit kernel<void(size_type slice_rows, size_type num_columns, const std::int32_t* col_idxs,
                             std::int32_t* bases, std::uint16_t* offsets, std::int32_t* spans)>
    sell_compress{"sell::compress", "int32"};

/// marks[c] := spans[c] does not fit into 16 bits.
inline constinit kernel<void(size_type num_columns, const std::int32_t* spans, std::int32_t* marks)> sell_mark_wide{
    "sell::mark_wide", "int32"};

/// Column indices from bases and offsets.
inline constinit kernel<void(size_type slice_rows, size_type num_columns, const std::int32_t* bases,
                             const std::uint16_t* offsets, std::int32_t* col_idxs)>
    sell_expand{"sell::expand", "int32"};

}  // namespace linden
