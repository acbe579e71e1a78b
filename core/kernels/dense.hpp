#pragma once

#include <linden/views.hpp>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

/// Kernels on dense blocks of vectors. All blocks m x k with any stride unless said otherwise; no aliasing unless said.
namespace linden {

/// x := value
template <class V>
inline constinit kernel<void(V value, DenseView<V> x)> dense_fill{"dense::fill", types_of<V>};

/// x := b
template <class V>
inline constinit kernel<void(DenseView<const V> b, DenseView<V> x)> dense_copy{"dense::copy", types_of<V>};

/// x := alpha x.  With alpha = 0, x is overwritten, NaN or not.
template <class V>
inline constinit kernel<void(Scalar<V> alpha, DenseView<V> x)> dense_scale{"dense::scale", types_of<V>};

/// x := alpha b + beta x.  With beta = 0 the old x is not read.
template <class V>
inline constinit kernel<void(Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta, DenseView<V> x)> dense_axpby{
    "dense::axpby", types_of<V>};

/// result[col] := a(:, col)^H b(:, col), col = 0 .. k-1.  a and b may be the same.
/// Deterministic. Workspace: reduction_workspace_bytes<V>(k).
template <class V>
inline constinit kernel<void(DenseView<const V> a, DenseView<const V> b, V* result, WorkspaceView workspace)> dense_dot{
    "dense::dot", types_of<V>};

/// result[col] := sum_i |x(i, col)|.  Deterministic. Workspace: reduction_workspace_bytes<V>(k).
template <class V>
inline constinit kernel<void(DenseView<const V> x, real_t<V>* result, WorkspaceView workspace)> dense_norm1{
    "dense::norm1", types_of<V>};

/// result[col] := sqrt(sum_i |x(i, col)|^2), without guard against overflow of the squares.
/// Deterministic. Workspace: reduction_workspace_bytes<V>(k).
template <class V>
inline constinit kernel<void(DenseView<const V> x, real_t<V>* result, WorkspaceView workspace)> dense_norm2{
    "dense::norm2", types_of<V>};

/// result[col] := max_i |x(i, col)|; NaN if any is NaN.  Workspace: reduction_workspace_bytes<V>(k).
template <class V>
inline constinit kernel<void(DenseView<const V> x, real_t<V>* result, WorkspaceView workspace)> dense_norm_inf{
    "dense::norm_inf", types_of<V>};

/// x := alpha A b + beta x.  A: m x n, b: n x k, x: m x k.  With beta = 0 the old x is not read.
template <class V>
inline constinit kernel<void(DenseView<const V> a, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta,
                             DenseView<V> x)>
    dense_multiply{"dense::multiply", types_of<V>};

/// x := alpha D b + beta x.  D = diag(d), d: m x 1.  With beta = 0 the old x is not read.
template <class V>
inline constinit kernel<void(DenseView<const V> d, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta,
                             DenseView<V> x)>
    dense_scale_rows{"dense::scale_rows", types_of<V>};

/// x(i, :) := b(rows[i], :), i = 0 .. m-1.  b: n x k, rows: m indices into b.
template <class V, class I>
inline constinit kernel<void(const I* rows, DenseView<const V> b, DenseView<V> x)> dense_gather_rows{
    "dense::gather_rows", types_of<V, I>};

/// x(rows[i], :) := b(i, :), i = 0 .. m-1.  rows: m different indices into x; rows of x not named stay.
template <class V, class I>
inline constinit kernel<void(const I* rows, DenseView<const V> b, DenseView<V> x)> dense_scatter_rows{
    "dense::scatter_rows", types_of<V, I>};

}  // namespace linden
