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
};

/// x := b / s - (s / t) x for running columns: the next vector of the bidiagonalization, from unscaled ones. Where s =
/// 0 the process has ended, and x := 0.  b, x: blocks of one size; s, t: norms of the last two vectors, k of each. 3
/// words per value.
template <class V>
inline constinit kernel<void(DenseView<const V> b, const real_t<V>* s, const real_t<V>* t, DenseView<V> x,
                             StopView<real_t<V>> stop)>
    golub_kahan_advance{"golub_kahan::advance", types_of<V>};

}  // namespace linden
