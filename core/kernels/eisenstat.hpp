#pragma once

#include <cmath>

#include "core/kernels/cg.hpp"
#include "core/kernels/sweep.hpp"

/// The conjugate gradient method with SSOR as preconditioner, reading the matrix once per iteration. [Eisenstat81]
///
/// A = D + L + U is Hermitian, D real and positive, 0 < omega < 2. With L' = omega D^-1 L and U' = omega D^-1 U, whose
/// rows stand colour after colour as in sweep.hpp, the operator
///     C = (I + L')^-1 (omega D^-1 A) (I + U')^-1,   C p = t + w,   t = (I + U')^-1 p,
///     w = (I + L')^-1 (p - (2 - omega) t),
/// is self-adjoint in <a, b>_D = a^H D b. The method for C y = (I + L')^-1 omega D^-1 b with x = (I + U')^-1 y has the
/// iterates x of the preconditioned one for A x = b. Its residual is r = (I + L')^-1 omega D^-1 (b - A x), which
/// sweep_forward forms from b - A x with scale = omega D^-1; back again, b - A x = (1 / omega) D (I + L') r.
///
/// The steps of a solve, for colours from the first to the last; r is formed by sweep_forward before:
///     eisenstat_start              once stop_initialize, or stop_resume, knows the norms of b - A x;
///     while stop.header->running != 0:
///         eisenstat_backward       for the colours of U' from the last to the first,
///         eisenstat_forward        for the colours of L' from the first to the last,
///         eisenstat_update,
///         eisenstat_residual_norm  for the colours of L', in any order.
/// All vectors are in the order of the positions, n x k; p, t and w need no values before the start. d: n values, the
/// diagonal of D by positions. Columns that no longer run keep x and r.
namespace linden {

/// The scalars of k columns in the executor's memory, all set by eisenstat_start but pv and square.
template <class V>
struct EisenstatScalars {
    V* rho;                ///< <r, r>_D
    V* rho_old;            ///< of the iteration before; 0 before the first
    V* pv;                 ///< <p, C p>_D
    real_t<V>* ratio;      ///< ||b - A x|| / ||r||_D when they were last compared
    real_t<V>* square;     ///< ||D (I + L') r||^2, while it is formed
    std::int32_t* is_due;  ///< whether eisenstat_residual_norm is to end the iteration of the column
};

/// Whether a true residual norm is to be formed in an iteration: in every `period`-th, and from an estimate of it on
/// that comes close to the tolerance. Shared by the backends.
template <class R>
LINDEN_HOST_DEVICE inline bool eisenstat_is_due(R estimate, R tolerance, std::int64_t iteration, std::int64_t period)
{
    return iteration % period == 0 || !(estimate > 2 * tolerance);
}

/// rho := <r, r>_D;  rho_old := 0;  ratio := stop.residual / ||r||_D, 1 where r = 0;  is_due := 0, for all columns.
/// n (k V + R). Deterministic. Workspace: reduction_workspace_bytes<V>(k).
template <class V>
inline constinit kernel<void(const real_t<V>* d, DenseView<const V> r, EisenstatScalars<V> scalars,
                             StopView<real_t<V>> stop, WorkspaceView workspace)>
    eisenstat_start{"eisenstat::start", types_of<V>};

/// For running columns and the rows of each block of a colour of U' from the last to the first, at positions i, with
/// beta := rho / rho_old, or 0 without reading p if rho_old = 0:
///     p(i) := r(i) + beta p(i);  t(i) := p(i) - sum over k in row i of values[k] t(cols[k]).
/// r, p and t are three blocks. Otherwise as sweep_backward. 5 k V per row.
template <class V, class S, class J>
inline constinit kernel<void(ColourView<S, J> colour, DenseView<const V> r, DenseView<V> p, DenseView<V> t,
                             EisenstatScalars<V> scalars, StopView<real_t<V>> stop)>
    eisenstat_backward{"eisenstat::backward", types_of<V, S, J>};

/// What eisenstat_forward works on.
template <class V>
struct EisenstatForwardStep {
    real_t<V> omega;
    const real_t<V>* d = nullptr;
    DenseView<const V> p;
    DenseView<const V> t;
    DenseView<V> w;         ///< overwritten in the rows of the colour
    bool is_first = false;  ///< whether it is the first colour
};

/// For running columns and the rows of each block of a colour of L' in their order, at positions i:
///     w(i) := p(i) - (2 - omega) t(i) - sum over k in row i of values[k] w(cols[k]);
///     pv := (0 if `is_first`, else pv) + sum over the rows of d[i] conj(p(i)) (t(i) + w(i)).
/// Colours without rows count too. Otherwise as sweep_forward. Deterministic. 4 k V + R per row.
/// Workspace: reduction_workspace_bytes<V>(k).
template <class V, class S, class J>
inline constinit kernel<void(ColourView<S, J> colour, EisenstatForwardStep<V> step, EisenstatScalars<V> scalars,
                             StopView<real_t<V>> stop, WorkspaceView workspace)>
    eisenstat_forward{"eisenstat::forward", types_of<V, S, J>};

/// What eisenstat_update works on.
template <class V>
struct EisenstatUpdateStep {
    const real_t<V>* d = nullptr;
    DenseView<const V> t;
    DenseView<const V> w;
    DenseView<V> x;
    DenseView<V> r;
    std::int64_t period = 1;  ///< iterations from one true residual norm to the next, 1 or more
};

/// For running columns, with alpha := rho / pv:
///     x := x + alpha t;  r := r - alpha (t + w);  rho_old := rho;  rho := <r, r>_D.
/// A column of which eisenstat_is_due(ratio ||r||_D, ..., period) then says so has is_due := 1 and runs on; the others
/// have is_due := 0, and their iteration ends with that estimate as the residual norm, by which none converges.
/// Breakdowns as in cg_update_residual: these columns, too, keep x and r, with is_due := 0.
/// n (6 k V + R). Deterministic. Workspace: reduction_workspace_bytes<V>(k).
template <class V>
inline constinit kernel<void(EisenstatUpdateStep<V> step, EisenstatScalars<V> scalars, StopView<real_t<V>> stop,
                             WorkspaceView workspace)>
    eisenstat_update{"eisenstat::update", types_of<V>};

/// What eisenstat_residual_norm works on.
template <class V>
struct EisenstatNormStep {
    real_t<V> omega;
    const real_t<V>* d = nullptr;
    DenseView<const V> r;
    bool is_first = false;  ///< whether it is the first colour
    bool is_last = false;   ///< whether it is the last one
};

/// For columns that are due, over the rows of one colour of L', at positions i:
///     square := (0 if `is_first`, else square) + sum of |d[i] (r(i) + sum over k in row i of values[k] r(cols[k]))|^2.
/// With `is_last` their iteration then ends with ||b - A x|| = sqrt(square) / omega;  ratio := this / ||r||_D unless
/// that is 0;  is_due := 0. Where no column is due, nothing is read but that, and nothing happens.
/// Colours without rows count too. Deterministic. Per row 2 k V + R. Workspace: reduction_workspace_bytes<V>(k).
template <class V, class S, class J>
inline constinit kernel<void(ColourView<S, J> colour, EisenstatNormStep<V> step, EisenstatScalars<V> scalars,
                             StopView<real_t<V>> stop, WorkspaceView workspace)>
    eisenstat_residual_norm{"eisenstat::residual_norm", types_of<V, S, J>};

}  // namespace linden
