#pragma once

#include "core/kernels/persistent.hpp"
#include "core/kernels/stop.hpp"

namespace linden {

/// Blocks that bicgstab_run_persistent works in, n x 1 each.
template <class V>
struct BiCgStabScratch {
    DenseView<V> shadow;
    DenseView<V> p;
    DenseView<V> p_hat;  ///< only where M is not I
    DenseView<V> s_hat;
};

/// Runs BiCGStab for one right-hand side to its end in one kernel: from the residual r, with bicgstab_start and then
/// the steps above, until the stopping rule holds, for systems of which r, v and t have room in the fast memory of all
/// blocks of a device together (core/kernels/persistent.hpp). *halfway: as in the scalars. An iteration reads A twice
/// and moves 10 n words, of p, s_hat, x and the shadow residual, and 13 n with d. Deterministic. Workspace:
/// persistent_workspace_bytes<V>(n, solve.partition).
template <class V, class I>
inline constinit kernel<void(WholeSolve<V, I> solve, BiCgStabScratch<V> scratch, std::int32_t* halfway,
                             WorkspaceView workspace, StopView<real_t<V>> stop)>
    bicgstab_run_persistent{"bicgstab::run_persistent", types_of<V, I>, {.eps = 32, .scratch = arguments(1, 2)}};

}  // namespace linden
