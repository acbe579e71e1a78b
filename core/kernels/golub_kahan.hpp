#pragma once

#include <linden/views.hpp>

#include "core/kernels/stop.hpp"

/// The bidiagonalization of Golub and Kahan besides products with A and A^H. [PaigeSaunders82] For A of m x n: blocks u
/// of m x k, all others n x k; scalars k of each. Vectors are kept without their scaling: u = beta u_j, v = alpha v_j.
/// All portable.
namespace linden {

/// The scalars of k columns.
template <class R>
struct GolubKahanScalars {
    R* alpha;             ///< ||v||, of the last step
    R* beta;              ///< ||u||, of the last step
    R* square;            ///< the squared Frobenius norm of the bidiagonal matrix so far, at most that of A
    std::int32_t* marks;  ///< 1 for columns that have ended with a least-squares solution, else 0
    R scale = 1;          ///< of A: the bidiagonalization is that of scale A, steps of x are scale times as long
};

/// x := b / s - (s / t) x for running columns: the next vector of the bidiagonalization, from unscaled ones. Where s =
/// 0 the process has ended, and x := 0.  b, x: blocks of one size; s, t: norms of the last two vectors, k of each. 3
/// words per value.
template <class V>
inline constinit kernel<void(DenseView<const V> b, const real_t<V>* s, const real_t<V>* t, DenseView<V> x,
                             StopView<real_t<V>> stop)>
    golub_kahan_advance{"golub_kahan::advance", types_of<V>};

/// alpha[col] := sqrt(Re squares[col]), the length of v in the inner product of M, for running columns; k of each.
/// Where the square is negative, M is not positive definite, and the
/// column breaks down; where it is not finite it becomes not_a_number. No vectors.
template <class V>
inline constinit kernel<void(const V* squares, real_t<V>* alpha, StopView<real_t<V>> stop)> golub_kahan_length{
    "golub_kahan::length", types_of<V>};

/// weights[i] := 1 / ||a_i||^2 for the rows a_i of A; 1 where that is zero, infinite or not a number.
/// a: n x m; weights: n values. Deterministic.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, V* weights)> golub_kahan_weights{"golub_kahan::weights", types_of<V, I>};

}  // namespace linden
