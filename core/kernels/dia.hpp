#pragma once

#include <linden/views_formats.hpp>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

namespace linden {

/// x := alpha A b + beta x.  b: n x k, x: m x k.  With beta = 0 the old x is not read. All entries of a diagonal inside
/// of the matrix count, also zeros. A is read once for all k columns. Deterministic.
/// Bytes: diagonals m V + (n + m) k V. [Saad03, 3.4]
template <class V, class I>
inline constinit LINDEN_EXPORT
    kernel<void(DiaView<V, I> a, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta, DenseView<V> x)>
        dia_spmv{"dia::spmv", types_of<V, I>};

/// x := A b;  wx[col] := w(:, col)^H x(:, col);  xx[col] := x(:, col)^H x(:, col) unless xx is null.
/// b: n x k, x and w: m x k; w may be b.  Deterministic. Workspace: reduction_workspace_bytes<V>(2 k).
template <class V, class I>
inline constinit LINDEN_EXPORT kernel<void(DiaView<V, I> a, DenseView<const V> b, DenseView<V> x, DenseView<const V> w,
                                           V* wx, V* xx, WorkspaceView workspace)>
    dia_spmv_dot{"dia::spmv_dot", types_of<V, I>};

}  // namespace linden
