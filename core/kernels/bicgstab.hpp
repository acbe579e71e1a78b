#pragma once

#include <linden/views.hpp>

#include "core/base/math.hpp"
#include "core/kernels/stop.hpp"

/// The fused vector work of BiCGStab with right preconditioning. [vanDerVorst92]
/// All blocks n x k, same rows; scalars are k values each. In the middle of a step r holds s = r - alpha v. The shadow
/// residual rhat is the block `shadow`.
namespace linden {

/// The scalars of k columns of BiCGStab in the executor's memory.
template <class V>
struct BiCgStabScalars {
    V* rho;                  ///< rhat^H r
    V* rho_old;              ///< of the iteration before; 0 before the first
    V* alpha;                ///< step length along M^-1 p; 0 for columns that stand still
    V* omega;                ///< step length along M^-1 s
    V* sigma;                ///< rhat^H v
    V* vv;                   ///< v^H v
    V* st;                   ///< s^H t
    V* tt;                   ///< t^H t
    real_t<V>* shadow_norm;  ///< ||rhat||
    std::int32_t* halfway;   ///< 1 where the column has converged at s
};

/// Whether a product a^H b is 0 as far as its sum can tell: |a^H b| <= eps / 1000 ||a|| ||b||. A product of eps itself
/// is mostly rounding errors, too, but iterations recover from such: of 31 runs (15 matrices, single and double
/// precision) that bound made 4 break down that converge with this one.
template <class V>
LINDEN_HOST_DEVICE inline bool vanishes(V product, real_t<V> norms)
{
    return magnitude(product) <= unit_roundoff<V> / 1000 * norms;
}

/// result := dividend / divisor; false, with the status that says why, where `broken` or where it is not finite.
template <class V>
LINDEN_HOST_DEVICE inline bool bicgstab_quotient(V dividend, V divisor, bool broken, SolveStatus& status, V& result)
{
    const V quotient = dividend / divisor;
    if (broken) {
        status = SolveStatus::breakdown;
    } else if (!is_finite(quotient)) {
        status = SolveStatus::not_a_number;
    } else {
        result = quotient;
        return true;
    }
    return false;
}

/// beta = (rho / rho_old) (alpha / omega), or 0 in the first step.
template <class V>
LINDEN_HOST_DEVICE inline V bicgstab_beta(const BiCgStabScalars<V>& s, size_type col)
{
    return s.rho_old[col] == V{} ? V{} : (s.rho[col] / s.rho_old[col]) * s.alpha[col] / s.omega[col];
}

/// Whether a running column can go on with that; else its status says why not.
template <class V>
LINDEN_HOST_DEVICE inline bool bicgstab_check_direction(const BiCgStabScalars<V>& s, size_type col,
                                                        const StopView<real_t<V>>& stop)
{
    const bool first = s.rho_old[col] == V{};
    if (vanishes(s.rho[col], s.shadow_norm[col] * stop.residual[col]) || (!first && s.omega[col] == V{})) {
        stop.status[col] = SolveStatus::breakdown;
    } else if (!is_finite(s.rho[col]) || !is_finite(bicgstab_beta(s, col))) {
        stop.status[col] = SolveStatus::not_a_number;
    }
    return stop.is_running(col);
}

/// alpha = rho / sigma; false where the column breaks down (sigma = 0).
template <class V>
LINDEN_HOST_DEVICE inline bool bicgstab_alpha(const BiCgStabScalars<V>& s, size_type col,
                                              const StopView<real_t<V>>& stop)
{
    using std::sqrt;
    const real_t<V> v_norm = sqrt(magnitude(s.vv[col]));
    return bicgstab_quotient(s.rho[col], s.sigma[col], vanishes(s.sigma[col], s.shadow_norm[col] * v_norm),
                             stop.status[col], s.alpha[col]);
}

/// omega = t^H s / t^H t, where ||s|| is the column's residual; false where the column breaks down (t or omega = 0).
template <class V>
LINDEN_HOST_DEVICE inline bool bicgstab_omega(const BiCgStabScalars<V>& s, size_type col,
                                              const StopView<real_t<V>>& stop)
{
    using std::sqrt;
    const real_t<V> t_norm = sqrt(magnitude(s.tt[col]));
    return bicgstab_quotient(conj(s.st[col]), s.tt[col], vanishes(s.st[col], stop.residual[col] * t_norm),
                             stop.status[col], s.omega[col]);
}

/// Starts running columns from their residual, whose norm the stopping state has:
///     rhat := r;  rho := ||r||^2;  shadow_norm := ||r||;  rho_old := 0;  halfway := 0.
/// Other columns: rhat stays. 2 n words.
template <class V>
inline constinit kernel<void(DenseView<const V> r, DenseView<V> shadow, BiCgStabScalars<V> scalars,
                             StopView<real_t<V>> stop)>
    bicgstab_start{"bicgstab::start", types_of<V>};

/// p := r + beta (p - omega v) for running columns, beta = (rho / rho_old) (alpha / omega).
/// In the first step (rho_old = 0) p := r, and p and v are not read. Columns with rho = 0 or omega = 0 break down,
/// those whose beta is not finite become not_a_number; both leave p alone, as do columns that no longer run. 4 n words.
template <class V>
inline constinit kernel<void(DenseView<const V> r, DenseView<const V> v, DenseView<V> p, BiCgStabScalars<V> scalars,
                             StopView<real_t<V>> stop)>
    bicgstab_update_direction{"bicgstab::update_direction", types_of<V>};

/// The first half of a step. alpha := rho / sigma for running columns, 0 for the others; then for columns that still
/// run
///     r := r - alpha v, residual := ||r||.
/// A column at its tolerance is converged and has made its iteration: halfway := 1. Columns with sigma = 0 break down
/// and those with alpha or ||r|| not finite become not_a_number; both get alpha := 0, so that x stays. The number of
/// running columns is brought up to date. 3 n words. Deterministic. Workspace: reduction_workspace_bytes<V>(k).
template <class V>
inline constinit kernel<void(DenseView<const V> v, DenseView<V> r, BiCgStabScalars<V> scalars, StopView<real_t<V>> stop,
                             WorkspaceView workspace)>
    bicgstab_first_half{"bicgstab::first_half", types_of<V>};

/// The vectors of the second half of a step.
template <class V>
struct BiCgStabVectors {
    DenseView<const V> p_hat;   ///< M^-1 p
    DenseView<const V> s_hat;   ///< M^-1 s; may be the block r itself
    DenseView<const V> t;       ///< A s_hat
    DenseView<const V> shadow;  ///< rhat
    DenseView<V> x;
    DenseView<V> r;  ///< s before, the residual after
};

/// The second half of a step.
/// Columns with alpha = 0 are left alone; columns that no longer run (converged halfway): x := x + alpha p_hat.
/// For running columns omega := t^H s / t^H t, and
///     x := x + alpha p_hat + omega s_hat;  r := r - omega t;  rho_old := rho;  rho := rhat^H r;
/// then the stopping rule with ||r||. Columns with t = 0 or omega = 0 break down, those with omega not finite become
/// not_a_number; both get omega := 0: x := x + alpha p_hat only, and r, which is the residual of that, stays.
/// 7 n words, 8 n where s_hat is not r. Deterministic. Workspace: reduction_workspace_bytes<V>(2 k).
template <class V>
inline constinit kernel<void(BiCgStabVectors<V> vectors, BiCgStabScalars<V> scalars, StopView<real_t<V>> stop,
                             WorkspaceView workspace)>
    bicgstab_second_half{"bicgstab::second_half", types_of<V>};

/// What follows the first half's sums in a running column, shared by the backends: `norm` is ||s||.
template <class V>
LINDEN_HOST_DEVICE inline void bicgstab_check_halfway(const BiCgStabScalars<V>& s, size_type col, real_t<V> norm,
                                                      const StopView<real_t<V>>& stop, std::int64_t now)
{
    if (!is_finite(norm)) {
        stop.status[col] = SolveStatus::not_a_number;
        s.alpha[col] = V{};
    } else if (norm <= stop.tolerance[col]) {
        check_column(stop, col, norm, now);
        s.halfway[col] = 1;
    } else {
        stop.residual[col] = norm;
    }
}

}  // namespace linden
