#pragma once

#include <linden/views.hpp>

#include "core/kernels/stop.hpp"

/// What direct solvers do besides the factorization (ilu.hpp) and the triangular solves: values into the factors'
/// pattern, right-hand sides into their order, and iterative refinement. [ArioliEtAl89] All kernels are deterministic.
namespace linden {

/// Where the entries of A go in the pattern of the factors.
template <class I>
struct EntryPlaces {
    const I* rows = nullptr;    ///< n: row i of the factors is that row of A
    const I* places = nullptr;  ///< nnz of A: the index of the entry among those of the factors, -1: none
};

/// values[places[e]] := scaling[e] a_e for the entries e of A that have a place; other values stay. norms[i] := the
/// 2-norm of row i, with all scaled entries of row rows[i] of A.
/// a: n x n; scaling: nnz values; values: of the factors; norms: n values.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, EntryPlaces<I> to, const real_t<V>* scaling, V* values, real_t<V>* norms)>
    direct_load_rows{"direct::load_rows", types_of<V, I>};

/// x(i, :) := factors[i] b(rows[i], :).  b, x: n x k, not overlapping; rows, factors: n values.
template <class V, class I>
inline constinit kernel<void(const I* rows, const real_t<V>* factors, DenseView<const V> b, DenseView<V> x)>
    direct_permute{"direct::permute", types_of<V, I>};

/// x(:, j) := x(:, j) + z(:, j) for columns that run.  x, z: n x k.
template <class V>
inline constinit kernel<void(DenseView<const V> z, DenseView<V> x, StopView<real_t<V>> stop)> direct_correct{
    "direct::correct", types_of<V>};

/// ratios(i, j) := |r_ij| / (|A| |x| + |b|)_ij, 0 where r_ij is 0.  a: n x n; b, x, r: n x k; ratios: n x k, row-major.
/// Their maximum over i is the componentwise backward error of x. has_residual: r is b - A x; else r := b - A x, in the
/// same pass. [ArioliEtAl89]
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, DenseView<const V> b, DenseView<const V> x, DenseView<V> r,
                             bool has_residual, real_t<V>* ratios)>
    direct_error_ratios{"direct::error_ratios", types_of<V, I>};

/// Parts of the rows whose maxima are formed apart.
inline constexpr size_type num_error_parts = 512;

/// maxima(p, j) := the maximum of ratios(i, j) over the p-th of num_error_parts parts of the rows, 0 for empty ones,
/// NaN where one is NaN.  ratios: rows x cols; maxima: num_error_parts x cols.
template <class R>
inline constinit kernel<void(size_type rows, size_type cols, const R* ratios, R* maxima)> direct_error_maxima{
    "direct::error_maxima", types_of<R>};

inline constexpr std::int64_t first_hopeless_iteration = 5;

/// When refinement ends.
template <class R>
struct RefinementRule {
    const R* maxima = nullptr;  ///< num_error_parts x k: of the backward errors, as direct_error_maxima leaves them
    R* errors = nullptr;        ///< k: overwritten by the backward errors
    R* best = nullptr;          ///< k: the least error so far; overwritten in the first iteration
    double goal = 0;            ///< converged at an error of at most this
    double accepted = 0;        ///< converged at an error of at most this if no iteration halves it any more
};

/// Where the rule says so, running columns are made to converge in the stop_check that follows, by raising their
/// tolerance to norms[j], or have stagnated: one of first_hopeless_iteration or later has not halved the error, which
/// is not accepted.  norms: k residual norms.
template <class R>
inline constinit kernel<void(RefinementRule<R> rule, const R* norms, StopView<R> stop)> direct_judge{
    "direct::judge", types_of<R>, {.eps = 0}};

}  // namespace linden
