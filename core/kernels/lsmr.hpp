#pragma once

#include "core/kernels/golub_kahan.hpp"

/// The work of LSMR besides the bidiagonalization. [FongSaunders11] Blocks of
/// n x k. All portable.
namespace linden {

/// The scalars of k columns: those of the method in one array, k of each.
template <class R>
struct LsmrScalars {
    /// Names of the paper.
    enum Own {
        tau,        ///< the step length along g, times the scale of A; 0 for columns that stand still
        sigma,      ///< the factor of the last g in g
        scale,      ///< 1 / alpha, that of v in h
        theta,      ///< the factor of the last h in h
        alpha_bar,  ///< the diagonal entry that the next rotation works on
        zeta_bar,   ///< ||A^H r||, with its sign
        rho,        ///< of the last step, as those that follow
        rho_bar,
        c_bar,
        s_bar,
        zeta,
        beta_dots,  ///< of the residual's norm, [FongSaunders11, section 3]
        beta_dot,
        rho_dot,
        tau_tilde,
        theta_tilde,
        num_own
    };
    GolubKahanScalars<R> lengths;
    R* own;  ///< num_own of them
};

/// Sets all scalars from alpha and beta of the start. Running columns with alpha = 0 have a least-squares solution:
/// they end as after a step, without an iteration.
template <class R>
inline constinit kernel<void(LsmrScalars<R> scalars, StopView<R> stop)> lsmr_start{"lsmr::start", types_of<R>};

/// The rotations of a step, from its alpha and beta, for running columns. norms[col] := ||b - A x|| by the recurrence.
/// Columns end as in lsqr_rotate. No vectors.
template <class R>
inline constinit kernel<void(LsmrScalars<R> scalars, double tolerance, R* norms, StopView<R> stop)> lsmr_rotate{
    "lsmr::rotate", types_of<R>};

/// g := h - sigma g, x := x + tau g for columns that run or have tau != 0;  h := scale v - theta h for those that run.
/// weights: tau, sigma, scale and theta, k of each. 7 n words.
template <class V>
inline constinit kernel<void(const real_t<V>* weights, DenseView<const V> v, DenseView<V> h, DenseView<V> g,
                             DenseView<V> x, StopView<real_t<V>> stop)>
    lsmr_correct{"lsmr::correct", types_of<V>};

}  // namespace linden
