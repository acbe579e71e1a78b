#pragma once

#include "core/kernels/persistent.hpp"
#include "core/kernels/stop.hpp"

namespace linden {

/// cg_run_cluster for systems whose vectors have room in the fast memory of all blocks of a device together, though the
/// matrix has not. p is scratch. Of vectors, p is read and written in an iteration, and d read: 2 n words, or 3 n with
/// d, and A. Deterministic. Workspace: persistent_workspace_bytes<V>(n, solve.partition). Roundings of all iterations
/// add up.
template <class V, class I>
inline constinit kernel<void(WholeSolve<V, I> solve, DenseView<V> p, WorkspaceView workspace, StopView<real_t<V>> stop)>
    cg_run_persistent{"cg::run_persistent", types_of<V, I>, {.eps = 128, .scratch = arguments(1)}};

}  // namespace linden
