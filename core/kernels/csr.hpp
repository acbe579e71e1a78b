#pragma once

#include <linden/views.hpp>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

/// Kernels on compressed sparse rows. A: m x n, columns of a row sorted and unique unless said otherwise.
namespace linden {

/// x := alpha A b + beta x.  b: n x k, x: m x k.  With beta = 0 the old x is not read. A is read once for all k
/// columns. Deterministic. Minimum bytes: nnz (V + I) + (m + 1) I + (n + m) k V.
template <class V, class I>
inline constinit LINDEN_EXPORT kernel<void(CsrView<V, I>, Scalar<V>, DenseView<const V>, Scalar<V>, DenseView<V>)>
    csr_spmv{"csr::spmv", types_of<V, I>};

/// x := A b;  wx[col] := w(:, col)^H x(:, col);  xx[col] := x(:, col)^H x(:, col) unless xx is null.
/// b: n x k, x and w: m x k; w may be b.  Deterministic. Workspace: reduction_workspace_bytes<V>(2 k).
template <class V, class I>
inline constinit LINDEN_EXPORT
    kernel<void(CsrView<V, I>, DenseView<const V>, DenseView<V>, DenseView<const V>, V*, V*, WorkspaceView)>
        csr_spmv_dot{"csr::spmv_dot", types_of<V, I>};

/// d := diag(A).  d: min(m, n) x 1, overwritten; 0 where A has no entry.  Deterministic. [Saad03, 3.4]
template <class V, class I>
inline constinit LINDEN_EXPORT kernel<void(CsrView<V, I>, DenseView<V>)> csr_extract_diagonal{"csr::extract_diagonal",
                                                                                              types_of<V, I>};

}  // namespace linden
