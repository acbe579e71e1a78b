#pragma once

#include <linden/views.hpp>

#include "core/kernels/levels.hpp"

/// Incomplete factorizations on a given pattern. [Saad03, 10.3], [Naumov11]
namespace linden {

/// What a factorization met on its diagonal.
struct PivotReport {
    size_type num_bad = 0;            ///< pivots that were replaced
    size_type first_row = INT64_MAX;  ///< the least row of them
};

/// The pattern of factors with the order in which rows can be found. Rows are sorted and hold their diagonal entry.
template <class I>
struct FactorPatternView {
    PatternView<I> pattern;       ///< n x n
    const I* diagonal = nullptr;  ///< index of entry (i, i)
    const I* order = nullptr;     ///< rows by the levels of the lower triangle, as `levels_order` gives it; on hosts
                                  ///< these may be of runs, or one level on one thread, as for LevelFactorView
    size_type num_levels = 0;
    const I* level_ptrs = nullptr;  ///< num_levels + 1
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

/// values := the factors L (strictly lower, its unit diagonal is not stored) and U of A, whose values it held, with
/// (L U)_ij = a_ij on the pattern. Row i by rows k < i of its pattern, in increasing k:
///   l_ik := a_ik / u_kk,   a_ij := a_ij - l_ik u_kj for j > k in the patterns of both rows.
/// A pivot with not |u_ii| > eps norms[i] (also NaN) is bad: norms[i] stands in for it, or 1 where that is 0 or not
/// finite.  *report is overwritten. Deterministic, and the same whatever the order. Workspace: ilu_workspace_bytes(n).
/// [Saad03, 10.4]
template <class V, class I>
inline constinit kernel<void(FactorPatternView<I> f, const real_t<V>* norms, V* values, PivotReport* report,
                             WorkspaceView workspace)>
    ilu_factorize{"ilu::factorize", types_of<V, I>};

/// values := L with (L L^H)_ij = a_ij on the pattern, which is lower triangular with the diagonal last in each row;
/// A Hermitian, by its lower triangle.
///   l_ik := (a_ik - sum over j < k of l_ij conj(l_kj)) / l_kk,   l_ii := sqrt(Re a_ii - sum over j < i of |l_ij|^2).
/// The root is bad where what it is taken of is not > eps norms[i] (also NaN): sqrt(norms[i]) stands in for l_ii, or 1
/// as above.
template <class V, class I>
inline constinit kernel<void(FactorPatternView<I> f, const real_t<V>* norms, V* values, PivotReport* report,
                             WorkspaceView workspace)>
    ic_factorize{"ic::factorize", types_of<V, I>};

}  // namespace linden
