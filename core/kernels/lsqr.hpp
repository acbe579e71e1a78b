#pragma once

#include <linden/views.hpp>

#include "core/kernels/stop.hpp"

/// The work of LSQR besides products with A and A^H. [PaigeSaunders82] For A of m x n: blocks u of m x k, all others
/// n x k; scalars k of each. Vectors of the bidiagonalization by Golub and Kahan are kept without their scaling:
/// u = beta u_j, v = alpha v_j. All portable.
namespace linden {

/// The scalars of k columns.
template <class R>
struct LsqrScalars {
    R* alpha;             ///< ||v||, of the last step
    R* beta;              ///< ||u||, of the last step
    R* square;            ///< the squared Frobenius norm of the bidiagonal matrix so far, at most that of A
    R* rho_bar;           ///< the diagonal entry that the next rotation works on
    R* phi_bar;           ///< ||b - A x||
    R* tau;               ///< the step length along w; 0 for columns that stand still
    R* weights;           ///< 2 of it: 1 / alpha and the factor of w in the next direction
    std::int32_t* marks;  ///< 1 for columns that have ended with a least-squares solution, else 0
};

/// x := b / s - (s / t) x for running columns: the next vector of the bidiagonalization, from unscaled ones. Where s =
/// 0 the process has ended, and x := 0.  b, x: blocks of one size; s, t: norms of the last two vectors, k of each. 3
/// words per value.
template <class V>
inline constinit kernel<void(DenseView<const V> b, const real_t<V>* s, const real_t<V>* t, DenseView<V> x,
                             StopView<real_t<V>> stop)>
    lsqr_advance{"lsqr::advance", types_of<V>};

/// Sets all scalars from alpha and beta of the start. Running columns with alpha = 0 have a least-squares solution:
/// they end as after a step, without an iteration.
template <class R>
inline constinit kernel<void(LsqrScalars<R> scalars, StopView<R> stop)> lsqr_start{"lsqr::start", types_of<R>};

/// The rotation of a step, from its alpha and beta, for running columns. norms[col] := ||b - A x|| by the recurrence.
/// Where ||A^H r|| <= max(tolerance, eps) ||A|| ||r||, with the norm of the bidiagonal matrix, and ||r|| is not at the
/// tolerance of the rule, the column ends: its iteration is counted here, its status becomes `stagnated`, and it is
/// marked. Those that are not finite become not_a_number, and a zero on the diagonal is a breakdown. No vectors.
template <class R>
inline constinit kernel<void(LsqrScalars<R> scalars, double tolerance, R* norms, StopView<R> stop)> lsqr_rotate{
    "lsqr::rotate", types_of<R>};

/// x := x + tau w for columns with tau != 0;  w := weights_0 v - weights_1 w for those that run.
/// 5 n words.
template <class V>
inline constinit kernel<void(const real_t<V>* tau, const real_t<V>* weights, DenseView<const V> v, DenseView<V> w,
                             DenseView<V> x, StopView<real_t<V>> stop)>
    lsqr_correct{"lsqr::correct", types_of<V>};

}  // namespace linden
