#pragma once

#include "core/kernels/bicgstab.hpp"
#include "core/kernels/gmres.hpp"

/// What BiCGStab(l) does besides products and sums. [SleijpenFokkema93] All blocks n x cols; the bases u and r have l +
/// 1 blocks, u_i = A^i u_0 and r_i = A^i r_0. A cycle is l steps of BiCG, numbered by j, and a residual minimised over
/// l directions. The shadow residual rhat is the block `shadow`.
namespace linden {

/// The scalars of the columns of BiCGStab(l) in the executor's memory: entry i of column col is at [i cols + col].
template <class V>
struct BiCgStabLScalars {
    size_type l;             ///< degree of the polynomials
    V* rho;                  ///< rhat^H r_j
    V* rho_old;              ///< of the step before; 0 before the first
    V* alpha;                ///< step length along u_0
    V* beta;                 ///< the share of the old directions in the new ones
    V* omega;                ///< gamma_l of the cycle before
    V* sigma;                ///< rhat^H u_(j+1)
    V* square;               ///< u_(j+1)^H u_(j+1), or r_j^H r_j
    V* gram;                 ///< (l + 1) l: r_i^H r_c, 1 <= i <= l, at entry c l + i - 1; of c >= 1 those with i <= c
    V* gamma;                ///< l: coefficients of the minimised residual
    real_t<V>* shadow_norm;  ///< ||rhat||
    std::int32_t* broken;    ///< j + 1 where step j of the cycle cannot be done, l + 1 where only gamma_l is 0, else 0
};

/// The vectors of a cycle.
template <class V>
struct BiCgStabLVectors {
    BasisView<V> u;
    BasisView<V> r;
    DenseView<V> x;  ///< x, or with a preconditioner the correction y of x in this cycle, x + M^-1 y
};

/// Starts running columns (`stop`) from their `residual`: r_0 := shadow := residual, and in `scalars` rho := ||r||^2,
/// shadow_norm := ||r||, rho_old := alpha := 0, omega := 1, broken := 0. Other columns: the vectors become 0. `basis`:
/// r. 3 n words.
template <class V>
inline constinit kernel<void(DenseView<const V> residual, BasisView<V> basis, DenseView<V> shadow,
                             BiCgStabLScalars<V> scalars, StopView<real_t<V>> stop)>
    bicgstab_l_start{"bicgstab_l::start", types_of<V>};

/// beta := alpha rho / rho_old in `scalars`, where rho_old is multiplied by -omega before, if j = 0; 0 in the first
/// step. Then rho_old := rho. For running columns (`stop`). Where rho vanishes a column breaks down if j = 0, and is
/// broken else, also where rho is no more than the rounding errors of the residual before the cycle; likewise where
/// beta is not finite. No vectors.
template <class V>
inline constinit kernel<void(BiCgStabLScalars<V> scalars, size_type j, StopView<real_t<V>> stop)> bicgstab_l_beta{
    "bicgstab_l::beta", types_of<V>};

/// u_i := r_i - beta u_i, i <= j, of `vectors` for running columns (`stop`) that are not broken; u_i are not read where
/// beta of `scalars` is 0. u_j := 0 for columns that have stopped. 3 (j + 1) n words.
template <class V>
inline constinit kernel<void(BiCgStabLVectors<V> vectors, size_type j, BiCgStabLScalars<V> scalars,
                             StopView<real_t<V>> stop)>
    bicgstab_l_directions{"bicgstab_l::directions", types_of<V>};

/// alpha := rho / sigma in `scalars`, for running columns (`stop`) that are not broken. Where sigma vanishes or alpha
/// is not finite a column breaks down if j = 0, and is broken else. No vectors.
template <class V>
inline constinit kernel<void(BiCgStabLScalars<V> scalars, size_type j, StopView<real_t<V>> stop)> bicgstab_l_alpha{
    "bicgstab_l::alpha", types_of<V>};

/// x := x + alpha u_0;  r_i := r_i - alpha u_(i+1), i <= j, of `vectors` for running columns (`stop`) that are not
/// broken, with alpha of `scalars`. With `overwrite` the old x is not read, and is 0 for other columns; r_j := 0 for
/// columns that have stopped. (3 j + 6) n words.
template <class V>
inline constinit kernel<void(BiCgStabLVectors<V> vectors, size_type j, bool overwrite, BiCgStabLScalars<V> scalars,
                             StopView<real_t<V>> stop)>
    bicgstab_l_step{"bicgstab_l::step", types_of<V>};

/// gamma := the coefficients that minimise || r_0 - sum of gamma_i r_i ||, 1 <= i <= l, from gram of `scalars`, which
/// is overwritten; omega := gamma_l. Where r_c depends on those before it, up to rounding, gamma_c .. gamma_l are 0 and
/// the column is broken, as where omega is 0. Columns that were broken in step j have r_0 .. r_j: gamma_(j+1) ..
/// gamma_l
/// := 0. For running columns (`stop`). No vectors.
template <class V>
inline constinit kernel<void(BiCgStabLScalars<V> scalars, StopView<real_t<V>> stop)> bicgstab_l_gamma{
    "bicgstab_l::gamma", types_of<V>, {.eps = 16}};

/// x := x + sum of gamma_i r_(i-1);  u_0 := u_0 - sum of gamma_i u_i;  r_0 := r_0 - sum of gamma_i r_i, 1 <= i <= l, of
/// `vectors` for running columns (`stop`), with gamma of `scalars`. (2 l + 6) n words.
template <class V>
inline constinit kernel<void(BiCgStabLVectors<V> vectors, BiCgStabLScalars<V> scalars, StopView<real_t<V>> stop)>
    bicgstab_l_minimise{"bicgstab_l::minimise", types_of<V>, {.eps = 32}};

/// After the stopping rule: columns that still run (`stop`) and are broken in `scalars` break down, and the number of
/// running columns is brought up to date. No vectors.
template <class V>
inline constinit kernel<void(BiCgStabLScalars<V> scalars, StopView<real_t<V>> stop)> bicgstab_l_finish{
    "bicgstab_l::finish", types_of<V>};

/// Cholesky factorisation R^H R of the Gram matrix, columns c >= 1 of `gram`, in place and from the left. Returns how
/// many columns are independent.
template <class V>
LINDEN_HOST_DEVICE inline size_type bicgstab_l_factorize(const BiCgStabLScalars<V>& a, size_type col, size_type cols)
{
    using R = real_t<V>;
    using std::sqrt;
    const auto entry = [&](size_type i, size_type c) -> V& { return a.gram[((c + 1) * a.l + i) * cols + col]; };
    for (size_type c = 0; c < a.l; ++c) {
        const R square = real(entry(c, c));
        R rest = square;
        for (size_type i = 0; i < c; ++i) {
            V sum = entry(i, c);
            for (size_type k = 0; k < i; ++k) {
                sum = sum - conj(entry(k, i)) * entry(k, c);
            }
            sum = sum / entry(i, i);
            entry(i, c) = sum;
            rest -= magnitude(sum) * magnitude(sum);
        }
        if (!(rest > 8 * unit_roundoff<V> * square) || !is_finite(rest)) {
            return c;
        }
        entry(c, c) = V{sqrt(rest)};
    }
    return a.l;
}

/// gamma := R^-1 R^-H g, where g is column 0 of `gram`; 0 from entry `rank` on.
template <class V>
LINDEN_HOST_DEVICE inline void bicgstab_l_solve(const BiCgStabLScalars<V>& a, size_type rank, size_type col,
                                                size_type cols)
{
    const auto entry = [&](size_type i, size_type c) { return a.gram[((c + 1) * a.l + i) * cols + col]; };
    const auto gamma = [&](size_type i) -> V& { return a.gamma[i * cols + col]; };
    for (size_type i = 0; i < a.l; ++i) {
        V sum = i < rank ? a.gram[i * cols + col] : V{};
        for (size_type k = 0; i < rank && k < i; ++k) {
            sum = sum - conj(entry(k, i)) * gamma(k);
        }
        gamma(i) = i < rank ? sum / entry(i, i) : V{};
    }
    for (size_type i = rank; i-- > 0;) {
        V sum = gamma(i);
        for (size_type k = i + 1; k < rank; ++k) {
            sum = sum - entry(i, k) * gamma(k);
        }
        gamma(i) = sum / entry(i, i);
    }
}

}  // namespace linden
