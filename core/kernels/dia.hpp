#pragma once

#include <linden/views_formats.hpp>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

namespace linden {

/// x := alpha A b + beta x.  b: n x k, x: m x k.  With beta = 0 the old x is not read. All entries of a diagonal inside
/// of the matrix count, also zeros. A is read once for all k columns. Deterministic.
/// Bytes: diagonals m V + (n + m) k V. [Saad03, 3.4]
template <class V, class I>
inline constinit kernel<void(DiaView<V, I>, Scalar<V>, DenseView<const V>, Scalar<V>, DenseView<V>)> dia_spmv{
    "dia::spmv", types_of<V, I>};

/// x := A b;  wx[col] := w(:, col)^H x(:, col);  xx[col] := x(:, col)^H x(:, col) unless xx is null.
/// b: n x k, x and w: m x k; w may be b.  Deterministic. Workspace: reduction_workspace_bytes<V>(2 k).
template <class V, class I>
inline constinit kernel<void(DiaView<V, I>, DenseView<const V>, DenseView<V>, DenseView<const V>, V*, V*,
                             WorkspaceView)>
    dia_spmv_dot{"dia::spmv_dot", types_of<V, I>};

}  // namespace linden
