#pragma once

#include <cstdint>

#include "core/kernels/gmres.hpp"

/// What IDR(s) with biorthogonal directions does besides products and sums. [VanGijzenSonneveld11, figure 2] All blocks
/// n x cols; directions u_i, their images g_i = A u_i and shadow vectors p_i, i < s, are bases of s blocks.
///
/// The paper makes g_k orthogonal to p_0 .. p_(k-1) one after the other, with a sum for each. Since M = P^H G is lower
/// triangular, all coefficients and the new column of M follow from q = P^H A u_k by forward substitution: one sum per
/// product. [CollignonVanGijzen11]
namespace linden {

/// The scalars of the columns of IDR(s) in the executor's memory: entry i of column col is at [i cols + col].
template <class V>
struct IdrScalars {
    size_type s;          ///< dimension of the shadow space
    V* f;                 ///< s: P^H r
    V* q;                 ///< s: P^H A u_k; then in i < k the coefficients that make g_k biorthogonal
    V* m;                 ///< s x s: M = P^H G, entry (i, l), i >= l, at [(l s + i) cols + col]
    V* c;                 ///< s: coefficients of the next direction, those of i < k unused
    V* beta;              ///< 1: step length along u_k
    V* omega;             ///< 1: step length of the space G_j
    V* rt;                ///< 1: r^H t
    V* tt;                ///< 1: t^H t
    std::int32_t* fresh;  ///< 1: not 0 in the first cycle, when there are no directions yet
};

/// p(i, row, col) := numbers in [-1, 1) from a hash of seed, i and row: the same bits on every backend and in every
/// column; for complex types both parts. [SteeleEtAl14]
template <class V>
inline constinit kernel<void(BasisView<V> p, std::int64_t seed)> idr_shadow{"idr::shadow", types_of<V>, {.eps = 0}};

/// Starts running columns: omega := 1, fresh := 1 in `scalars`. No vectors; `stop` is read.
template <class V>
inline constinit kernel<void(IdrScalars<V> scalars, StopView<real_t<V>> stop)> idr_start{"idr::start", types_of<V>};

/// Starts a cycle of running columns (`stop`): c := M^-1 f in `scalars`, 0 in the first cycle. Columns whose c is not
/// finite become not_a_number. No vectors.
template <class V>
inline constinit kernel<void(IdrScalars<V> scalars, StopView<real_t<V>> stop)> idr_begin{"idr::begin", types_of<V>};

/// v := r - sum of c_i g_i, k <= i < s, for running columns (`stop`), with c of `scalars`; 0 for others. g_i with
/// c_i = 0 are not read. (s - k + 2) n words.
template <class V>
inline constinit kernel<void(BasisView<const V> g, size_type k, DenseView<const V> r, DenseView<V> v,
                             IdrScalars<V> scalars, StopView<real_t<V>> stop)>
    idr_project{"idr::project", types_of<V>};

/// u_k := omega (v - sum of c_i g_i) + sum of c_i u_i, k <= i < s, for running columns (`stop`), with c and omega of
/// `scalars`; 0 for others. Without blocks in g its sum is left out. u_i and g_i with c_i = 0 are not read.
/// (2 (s - k) + 2) n words.
template <class V>
inline constinit kernel<void(BasisView<V> u, BasisView<const V> g, size_type k, DenseView<const V> v,
                             IdrScalars<V> scalars, StopView<real_t<V>> stop)>
    idr_direction{"idr::direction", types_of<V>};

/// The scalar work of direction k for running columns (`stop`), `idr_new_column` has the formulas: from q of `scalars`
/// the coefficients of biorthogonality, column k of M, beta := f_k / m_kk, f := f - beta M e_k, and c of direction
/// k + 1. Columns with m_kk = 0 break down, those with numbers that are not finite become not_a_number. No vectors.
template <class V>
inline constinit kernel<void(IdrScalars<V> scalars, size_type k, StopView<real_t<V>> stop)> idr_coefficients{
    "idr::coefficients", types_of<V>, {.eps = 1024}};

/// The vectors of a step.
template <class V>
struct IdrVectors {
    BasisView<V> u;
    BasisView<V> g;
    DenseView<V> x;
    DenseView<V> r;
};

/// With q and beta of `scalars`, for running columns (`stop`) in `vectors`:
///     g_k := g_k - sum of q_i g_i;  u_k := u_k - sum of q_i u_i, i < k;  x := x + beta u_k;  r := r - beta g_k.
/// (2 k + 8) n words.
template <class V>
inline constinit kernel<void(IdrVectors<V> vectors, size_type k, IdrScalars<V> scalars, StopView<real_t<V>> stop)>
    idr_update{"idr::update", types_of<V>};

/// omega := r^H t / ||t||^2 conjugated, made longer where the cosine of the angle between r and t is less than kappa:
/// times kappa / cosine. [SleijpenVanDerVorst95] Any phase does where they are orthogonal. For running columns
/// (`stop`), whose residuals are ||r||; those with t = 0 break down, and with kappa = 0 those with r^H t = 0. Ends the
/// first cycle: fresh := 0. In `scalars`; no vectors.
template <class V>
inline constinit kernel<void(double kappa, IdrScalars<V> scalars, StopView<real_t<V>> stop)> idr_omega{"idr::omega",
                                                                                                       types_of<V>};

/// x := x + omega v;  r := r - omega t, for running columns (`stop`), with omega of `scalars`. 6 n words.
/// v may be r.
template <class V>
inline constinit kernel<void(DenseView<const V> t, DenseView<const V> v, DenseView<V> x, DenseView<V> r,
                             IdrScalars<V> scalars, StopView<real_t<V>> stop)>
    idr_minimise{"idr::minimise", types_of<V>};

/// c := coefficients k .. s-1 of the lower triangular system M c = f, 0 in the first cycle. False if not finite.
template <class V>
LINDEN_HOST_DEVICE inline bool idr_solve(const IdrScalars<V>& a, size_type k, size_type col, size_type cols)
{
    bool finite = true;
    for (size_type i = k; i < a.s; ++i) {
        V sum{};
        if (a.fresh[col] == 0) {
            sum = a.f[i * cols + col];
            for (size_type l = k; l < i; ++l) {
                sum = sum - a.m[(l * a.s + i) * cols + col] * a.c[l * cols + col];
            }
            sum = sum / a.m[(i * a.s + i) * cols + col];
        }
        a.c[i * cols + col] = sum;
        finite = finite && is_finite(sum);
    }
    return finite;
}

/// Column k of M and the coefficients of biorthogonality from q, by forward substitution:
///     q_i := (q_i - sum of m_il q_l, l < i) / m_ii, i < k;    m_ik := q_i - sum of m_il q_l, l < k, i >= k.
/// Returns m_kk, or 0 where it cannot be told from 0: below eps / 1000 of the largest |q_i| (see `vanishes` of
/// BiCGStab).
template <class V>
LINDEN_HOST_DEVICE inline V idr_new_column(const IdrScalars<V>& a, size_type k, size_type col, size_type cols)
{
    real_t<V> largest{};
    for (size_type i = 0; i < a.s; ++i) {
        V sum = a.q[i * cols + col];
        largest = magnitude(sum) > largest ? magnitude(sum) : largest;
        for (size_type l = 0; l < (i < k ? i : k); ++l) {
            sum = sum - a.m[(l * a.s + i) * cols + col] * a.q[l * cols + col];
        }
        if (i < k) {
            a.q[i * cols + col] = sum / a.m[(i * a.s + i) * cols + col];
        } else {
            a.m[(k * a.s + i) * cols + col] = sum;
        }
    }
    const V pivot = a.m[(k * a.s + k) * cols + col];
    return magnitude(pivot) <= unit_roundoff<V> / 1000 * largest ? V{} : pivot;
}

}  // namespace linden
