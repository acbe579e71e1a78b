#pragma once

#include "core/kernels/exchange.hpp"

/// Products of all rows that a rank has, in one kernel: it sends what neighbours need, multiplies the inner rows, waits
/// for the ghosts and multiplies the rows at the rim. Between devices that are peers, all of whose blocks are on the
/// device at the same time. Neighbours may use the kernels of exchange.hpp instead: what is sent is the same.
namespace linden {

/// All rows of a rank, and what their product exchanges with those of others.
template <class V, class I>
struct RankRows {
    CsrView<V, I> inner;           ///< n x n, empty at the rim. n > 0
    RimView<V, I> rim;             ///< m x n
    const I* send_rows = nullptr;  ///< own rows that neighbours need, by receiver
    GhostView<V> ghosts;           ///< g x 1, which neighbours write
};

/// x := A b.  b, x: n x 1, contiguous; x is not b.
template <class V, class I>
inline constinit kernel<void(RankRows<V, I> a, DenseView<const V> b, DenseView<V> x)> exchange_spmv{"exchange::spmv",
                                                                                                    types_of<V, I>};

/// The same, and wx := w^H x, xx := x^H x unless it is null, over the rows of all ranks of the workspace, which are
/// peers.  w: n x 1, contiguous, not x. Deterministic. Workspace: reduction_workspace_bytes<V>(2).
template <class V, class I>
inline constinit kernel<void(RankRows<V, I> a, DenseView<const V> b, DenseView<V> x, DenseView<const V> w, V* wx, V* xx,
                             WorkspaceView workspace)>
    exchange_spmv_dot{"exchange::spmv_dot", types_of<V, I>};

}  // namespace linden
