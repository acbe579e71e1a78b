#pragma once

#include <linden/views_formats.hpp>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

namespace linden {

/// x := alpha A b + beta x.  b: n x k, x: m x k.  With beta = 0 the old x is not read. All entries of a diagonal inside
/// of the matrix count, also zeros. A is read once for all k columns. Deterministic.
/// Bytes: diagonals m V + (n + m) k V. [Saad03, 3.4]
template <class V, class I>
inline constinit kernel<void(DiaView<V, I> a, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta, DenseView<V> x)>
    dia_spmv{"dia::spmv", types_of<V, I>};

/// x := A b;  wx[col] := w(:, col)^H x(:, col);  xx[col] := x(:, col)^H x(:, col) unless xx is null.
/// b: n x k, x and w: m x k; w may be b.  Deterministic. Workspace: reduction_workspace_bytes<V>(2 k).
template <class V, class I>
inline constinit kernel<void(DiaView<V, I> a, DenseView<const V> b, DenseView<V> x, DenseView<const V> w, V* wx, V* xx,
                             WorkspaceView workspace)>
    dia_spmv_dot{"dia::spmv_dot", types_of<V, I>};

// Conversions, as those of core/kernels/sell.hpp.

/// marks[col - row + rows - 1] := 1 for each entry; marks: rows + cols - 1, which start as zeros.
template <class I>
inline constinit kernel<void(PatternView<I> a, I* marks)> dia_mark_diagonals{"dia::mark_diagonals", types_of<I>};

/// The offsets of marked diagonals in ascending order.  numbers: the prefix sums of the marks, num_marks + 1.
template <class I>
inline constinit kernel<void(size_type num_rows, size_type num_marks, const I* numbers, I* offsets)>
    dia_collect_diagonals{"dia::collect_diagonals", types_of<I>};

/// map[entry] := the number in a of each entry that the layout has room for, -1 where a has none there.
template <class I>
inline constinit kernel<void(PatternView<I> a, DiaLayout<I> layout, size_type* map)> dia_fill{"dia::fill", types_of<I>};

/// counts[row] := entries whose value is marked.
template <class I>
inline constinit kernel<void(DiaLayout<I> layout, const std::uint8_t* marks, I* counts)> dia_count_rows{
    "dia::count_rows", types_of<I>};

/// The marked entries as those of a Csr matrix with these row pointers: its columns and map.
template <class I>
inline constinit kernel<void(DiaLayout<I> layout, const std::uint8_t* marks, const I* row_ptrs, I* csr_col_idxs,
                             size_type* map)>
    dia_extract{"dia::extract", types_of<I>};

}  // namespace linden
