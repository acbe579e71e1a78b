#pragma once

#include <linden/views.hpp>

#include "core/kernels/stop.hpp"

/// The fused vector work of the conjugate gradient method. All blocks n x k, same rows; scalars are k values each.
namespace linden {

/// The scalars of k columns of CG in the executor's memory.
template <class V>
struct CgScalars {
    V* rho;      ///< r^H z
    V* rho_old;  ///< of the iteration before
    V* pq;       ///< p^H A p
    V* alpha;    ///< step length; 0 for columns that stand still
};

/// alpha := rho / curvature; false, with the status that says why, where the method breaks down. Shared by the
/// backends, which pass their own complex type.
template <class V>
LINDEN_HOST_DEVICE inline bool cg_step_length(V rho, V curvature, SolveStatus& status, V& alpha)
{
    const V quotient = rho / curvature;
    if (rho == V{} || curvature == V{}) {
        status = SolveStatus::breakdown;
    } else if (!(quotient - quotient == V{})) {
        status = SolveStatus::not_a_number;
    } else {
        alpha = quotient;
        return true;
    }
    return false;
}

/// For running columns, with alpha := rho / pq:
///     r := r - alpha q;  rho_old := rho;  if `identity`, rho := r^H r;  then the stopping rule with ||r||.
/// Columns with rho = 0 or pq = 0 break down; not finite ones become not_a_number. Both leave r alone, with alpha := 0,
/// as do columns that no longer run. 3 n words. Deterministic. Workspace: reduction_workspace_bytes<V>(k).
template <class V>
inline constinit kernel<void(DenseView<const V> q, DenseView<V> r, CgScalars<V> scalars, bool identity,
                             StopView<real_t<V>> stop, WorkspaceView workspace)>
    cg_update_residual{"cg::update_residual", types_of<V>};

/// x := x + alpha p for columns with alpha != 0 (it is 0 where nothing moved; x stays then, whatever p holds);
/// for columns that run on: p := z + (rho / rho_old) p.  z may be the residual itself.
/// 5 n words.
template <class V>
inline constinit kernel<void(DenseView<const V> z, DenseView<V> p, DenseView<V> x, CgScalars<V> scalars,
                             StopView<real_t<V>> stop)>
    cg_update_direction{"cg::update_direction", types_of<V>};

/// The scalars of CG with one reduction per iteration. [ChronopoulosGear89]
template <class V>
struct CgSingleScalars {
    V* gamma;      ///< r^H z
    V* gamma_old;  ///< of the iteration before; 0 before the first
    V* delta;      ///< z^H A z, for z := M^-1 r
    V* alpha;      ///< the last step length
};

/// The vectors of single-reduction CG.
template <class V>
struct CgSingleVectors {
    DenseView<const V> z;  ///< M^-1 r; the block r itself where M = I
    DenseView<const V> w;  ///< A z
    DenseView<V> p;        ///< direction
    DenseView<V> s;        ///< A p
    DenseView<V> x;
    DenseView<V> r;
};

/// One step of single-reduction CG for running columns:
///     beta := gamma / gamma_old (0 if gamma_old = 0);  alpha := gamma / (delta - beta gamma / alpha);
///     p := z + beta p;  s := w + beta s;  x := x + alpha p;  r := r - alpha s;
///     gamma_old := gamma;  if `identity`, gamma := r^H r;  then the stopping rule with ||r||.
/// With `identity` z is r: pass the same block. Breakdowns as in cg_update_residual; nothing moves then.
/// 9 n words with `identity`, else 10 n. Deterministic. Workspace: reduction_workspace_bytes<V>(k).
template <class V>
inline constinit kernel<void(CgSingleVectors<V> vectors, CgSingleScalars<V> scalars, bool identity,
                             StopView<real_t<V>> stop, WorkspaceView workspace)>
    cg_single_reduction_step{"cg::single_reduction_step", types_of<V>};

/// The vectors of pipelined CG. Where M = I, m, q and u are w, s and r: pass the same blocks.
template <class V>
struct CgPipelinedVectors {
    DenseView<const V> m;  ///< M^-1 w
    DenseView<const V> n;  ///< A m
    DenseView<V> p;        ///< direction
    DenseView<V> s;        ///< A p
    DenseView<V> q;        ///< M^-1 s
    DenseView<V> z;        ///< A q
    DenseView<V> x;
    DenseView<V> r;
    DenseView<V> u;  ///< M^-1 r
    DenseView<V> w;  ///< A u
};

/// One step of pipelined CG for running columns, with beta and alpha as in cg_single_reduction_step:
///     p := u + beta p;  s := w + beta s;  q := m + beta q;  z := n + beta z;
///     x := x + alpha p;  r := r - alpha s;  u := u - alpha q;  w := w - alpha z;
///     gamma_old := gamma;  gamma := r^H u;  delta := u^H w;  then the stopping rule with ||r||.
/// q and u are left out with `identity`. Breakdowns as in cg_update_residual; nothing moves then.
/// 18 n words, 13 n with `identity`. Deterministic. Workspace: reduction_workspace_bytes<V>(3 k). [GhyselsVanroose14]
template <class V>
inline constinit kernel<void(CgPipelinedVectors<V> vectors, CgSingleScalars<V> scalars, bool identity,
                             StopView<real_t<V>> stop, WorkspaceView workspace)>
    cg_pipelined_step{"cg::pipelined_step", types_of<V>};

}  // namespace linden
