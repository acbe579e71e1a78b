#pragma once

#include <linden/views.hpp>

#include "core/kernels/stop.hpp"

/// The work of MINRES between products and applications of M^-1. [PaigeSaunders75] All blocks n x k, scalars k of each,
/// all portable. Vectors of the Lanczos process are kept without their scaling: v = gamma v_j, where the vectors v_j
/// are orthonormal in the inner product of M^-1, and z = M^-1 v.
namespace linden {

/// The scalars of k columns. Where there are two of a kind, the k of the step before follow those of the last step.
template <class V>
struct MinresScalars {
    V* delta;             ///< z^H A z
    V* gamma_squared;     ///< v^H z, of the newest v
    real_t<V>* gamma;     ///< 2 of it: lengths of v; off the diagonal of the tridiagonal matrix T
    real_t<V>* cosine;    ///< 2 of it: of the rotations
    real_t<V>* sine;      ///< 2 of it
    real_t<V>* length;    ///< 2 of it: the diagonal of the triangle, by which directions are to be divided
    real_t<V>* eta;       ///< the norm of the residual in M^-1, with a sign
    real_t<V>* square;    ///< the largest delta^2 + gamma^2 of a column of T so far, at most ||A||^2
    real_t<V>* weights;   ///< 6 of it: the factors of minres_advance, 1 / gamma first, and T's rotated diagonal entry
    real_t<V>* movement;  ///< 3 of it: factors of d, r and v in minres_correct; 0, 1, 0 for columns that stand still
};

/// The vectors of the recurrences.
template <class V>
struct MinresVectors {
    DenseView<const V> q;  ///< A z
    DenseView<const V> z;  ///< M^-1 v; the block v itself where M = I
    DenseView<V> v;        ///< the Lanczos vector
    DenseView<V> v_old;    ///< the one before
    DenseView<V> d;        ///< the direction
    DenseView<V> d_old;    ///< the one before
};

/// Sets all scalars for the first step, from gamma_squared = r^H M^-1 r. Running columns where that is not positive
/// break down: M is not positive definite. Those where it is not finite become not_a_number.
template <class V>
inline constinit kernel<void(MinresScalars<V> scalars, StopView<real_t<V>> stop)> minres_start{"minres::start",
                                                                                               types_of<V>};

/// The weights of a step from delta = z^H A z and the rotations so far, for running columns. No vectors.
template <class V>
inline constinit kernel<void(MinresScalars<V> scalars, StopView<real_t<V>> stop)> minres_weights{"minres::weights",
                                                                                                 types_of<V>};

/// For running columns the next Lanczos vector and direction, with w_i for the `weights`:
///     v_old, v := v, w_0 q - w_1 v - w_2 v_old;  d_old, d := d, w_0 z - w_3 d - w_4 d_old, with the old z.
/// 10 n words, 9 n where z is v.
template <class V>
inline constinit kernel<void(MinresVectors<V> vectors, const real_t<V>* weights, StopView<real_t<V>> stop)>
    minres_advance{"minres::advance", types_of<V>};

/// Ends the scalar work of a step from gamma_squared = v^H z: the rotation, eta, and the movement of the columns.
/// norms[col] := |eta|, the norm of the residual if M = I.
/// - gamma_squared < 0 beyond rounding: M is not positive definite, and the column breaks down.
/// - ||A r|| <= 4 eps ||A|| ||r|| before the step: r is orthogonal to the range of A up to rounding, so the system is
///   singular and x a least-squares solution; the column has stagnated.
/// Such columns stand still, as do those that are not finite, which become not_a_number. No vectors.
template <class V>
inline constinit kernel<void(MinresScalars<V> scalars, real_t<V>* norms, StopView<real_t<V>> stop)> minres_rotate{
    "minres::rotate", types_of<V>};

/// x := x + m_0 d;  r := m_1 r + m_2 v, unless r has no rows; for columns with m_0 != 0, where m is the `movement`.
/// 6 n words, 3 n without r.
template <class V>
inline constinit kernel<void(const real_t<V>* movement, DenseView<const V> d, DenseView<const V> v, DenseView<V> x,
                             DenseView<V> r)>
    minres_correct{"minres::correct", types_of<V>};

}  // namespace linden
