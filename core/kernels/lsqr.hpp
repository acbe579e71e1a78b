#pragma once

#include "core/kernels/golub_kahan.hpp"

/// The work of LSQR besides the bidiagonalization. [PaigeSaunders82] Blocks of n x k. All portable.
namespace linden {

/// The scalars of k columns.
template <class R>
struct LsqrScalars {
    GolubKahanScalars<R> lengths;
    R* rho_bar;  ///< the diagonal entry that the next rotation works on
    R* phi_bar;  ///< ||b - A x||
    R* tau;      ///< the step length along w, times the scale of A; 0 for columns that stand still
    R* weights;  ///< 2 of it: 1 / alpha and the factor of w in the next direction
};

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
