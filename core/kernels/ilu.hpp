#pragma once

#include <linden/views.hpp>

#include <limits>

#include "core/kernels/levels.hpp"

/// Incomplete factorizations on a given pattern. [Saad03, 10.3], [Naumov11]
namespace linden {

/// What a factorization met on its diagonal.
struct PivotReport {
    size_type num_bad = 0;            ///< pivots that were replaced
    size_type first_row = INT64_MAX;  ///< the least row of them
};

/// Which pivots are bad, and what stands in for them.
template <class R>
struct PivotLimits {
    const R* norms = nullptr;                     ///< of the rows of A
    R least = std::numeric_limits<R>::epsilon();  ///< pivot i is bad unless its magnitude exceeds least norms[i]
    R stand_in = 1;                               ///< in multiples of norms[i]; of 1 where that is 0 or not finite
    R small = 0;  ///< for ilu_factorize, `panels` and `supernodes`: pivots up to small norms[i] are bad, too, unless
                  ///< they exceed small |u_ij| for all j > i: dividing by them lets no entry grow much
    bool keeps_sign = false;   ///< whether the stand-in has the pivot's sign, or argument
    bool is_definite = false;  ///< of `panels` and `supernodes`: a pivot is bad unless its real part exceeds that
};

/// The pattern of factors with the level-set ordering of its rows. Rows are sorted and hold their diagonal entry.
template <class I>
struct FactorPatternView {
    PatternView<I> pattern;       ///< n x n
    const I* diagonal = nullptr;  ///< index of entry (i, i)
    const I* order = nullptr;     ///< rows by the levels of the lower triangle, as `levels_order` gives it; on hosts
                                  ///< these may be of runs, or one level on one thread, as for LevelFactorView
    size_type num_levels = 0;
    const I* level_ptrs = nullptr;  ///< num_levels + 1
    /// Whether no fill is missing: a row i with column k < i has all columns of row k that are greater than k.
    bool is_closed = false;
};

/// diagonal[i] := index of the first entry (i, i) of row i, -1 if there is none; i < rows. Rows in any order.
template <class I>
inline constinit kernel<void(PatternView<I> a, I* diagonal)> pattern_find_diagonal{"pattern::find_diagonal",
                                                                                   types_of<I>};

/// a_ii := a_ii + shift ||a_i||_2 on the diagonal that the pattern has; norms[i] := ||a_i||_2 of the old values.
/// diagonal: as pattern_find_diagonal leaves it; norms: n values.
template <class V, class I>
inline constinit kernel<void(PatternView<I> a, const I* diagonal, real_t<V> shift, V* values, real_t<V>* norms)>
    ilu_prepare_rows{"ilu::prepare_rows", types_of<V, I>};

/// A flag for each row.
constexpr size_type ilu_workspace_bytes(size_type n) { return (n + 16) * 8; }

/// The same for closed patterns, which hosts factorize faster with room for a row of A in each thread.
template <class V>
constexpr size_type closed_ilu_workspace_bytes(size_type n, size_type threads)
{
    return ilu_workspace_bytes(n) + threads * n * static_cast<size_type>(sizeof(V));
}

/// values := the factors L (strictly lower, its unit diagonal is not stored) and U of A, whose values it held, with
/// (L U)_ij = a_ij on the pattern. Row i by rows k < i of its pattern, in increasing k:
///   l_ik := a_ik / u_kk,   a_ij := a_ij - l_ik u_kj for j > k in the patterns of both rows.
/// A pivot with not |u_ii| > limits.least limits.norms[i] (also NaN), or small by limits.small, is bad: limits.stand_in
/// limits.norms[i] stands in for it.  *report is overwritten. Deterministic, and the same whatever the order.
/// Workspace: ilu_workspace_bytes(n) or more, see closed_ilu_workspace_bytes. [Saad03, 10.4]
template <class V, class I>
inline constinit kernel<void(FactorPatternView<I> f, PivotLimits<real_t<V>> limits, V* values, PivotReport* report,
                             WorkspaceView workspace)>
    ilu_factorize{"ilu::factorize", types_of<V, I>};

/// values := L with (L L^H)_ij = a_ij on the pattern, which is lower triangular with the diagonal last in each row;
/// A Hermitian, by its lower triangle.
///   l_ik := (a_ik - sum over j < k of l_ij conj(l_kj)) / l_kk,   l_ii := sqrt(Re a_ii - sum over j < i of |l_ij|^2).
/// The root is bad where what it is taken of is not > limits.least limits.norms[i] (also NaN): the root of the positive
/// stand-in takes its place.
template <class V, class I>
inline constinit kernel<void(FactorPatternView<I> f, PivotLimits<real_t<V>> limits, V* values, PivotReport* report,
                             WorkspaceView workspace)>
    ic_factorize{"ic::factorize", types_of<V, I>, {.eps = 64}};

}  // namespace linden
