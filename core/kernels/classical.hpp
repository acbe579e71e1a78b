#pragma once

#include <linden/views.hpp>

#include <cstdint>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

/// Classical coarsening of algebraic multigrid: some rows are the next level's, the points C; the others, F, are
/// interpolated from them. [DeSterckEtAl06], [LiSjogreenYang21]
///
/// A is square, with sorted rows, a symmetric pattern and a full diagonal. States are those of IndependentState: a
/// member is in C, what is excluded in F. What is decided is made of comparisons: every executor finds the same, unless
/// rounding decides one, and so do two runs.
namespace linden {

/// counts[i] := number of entries of row i that it depends on strongly, and the diagonal: those with the other sign
/// than a_ii and at least threshold times the largest of these; none but the diagonal where |sum_j a_ij| > 0.9 |a_ii|.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, double threshold, I* counts)> classical_count_strong{
    "classical::count_strong", types_of<V, I>};

/// The columns of these entries, for the row pointers that the counts add up to.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, double threshold, const I* row_ptrs, I* col_idxs)> classical_take_strong{
    "classical::take_strong", types_of<V, I>};

/// states[i] := the key of row i, lower where more rows depend on it, or excluded where none does.  dependents: the
/// transposed pattern of strong entries, n x n, with its diagonal; states: n values.
template <class I>
inline constinit kernel<void(PatternView<I> dependents, std::uint64_t* states)> classical_begin{"classical::begin",
                                                                                                types_of<I>};

/// A round: an undecided row that depends on a member is excluded, one whose key is below those of all undecided rows
/// that it depends on or that depend on it becomes a member.  strong, dependents: n x n, transposes of each other;
/// before, after: n values, not the same.
template <class I>
inline constinit kernel<void(PatternView<I> strong, PatternView<I> dependents, const std::uint64_t* before,
                             std::uint64_t* after)>
    classical_decide{"classical::decide", types_of<I>};

/// marks[i] := 1 where row i is neither member nor excluded, else 0.  n values each.
template <class I>
inline constinit kernel<void(size_type n, const std::uint64_t* states, I* marks)> classical_mark_undecided{
    "classical::mark_undecided", types_of<I>};

/// marks[i] := 1 where row i is a member, else 0.  n values each.
template <class I>
inline constinit kernel<void(size_type n, const std::uint64_t* states, I* marks)> classical_mark{"classical::mark",
                                                                                                 types_of<I>};

/// The two factors of P = V U: U takes the points to themselves and to what depends on them, V spreads this among F.
/// Row i of V has the diagonal and, in F, the strong entries in F; row i of U has, in F, the strong entries in C, in C
/// the point itself.  num_v, num_u: their numbers of entries.
template <class I>
inline constinit kernel<void(PatternView<I> strong, const std::uint64_t* states, I* num_v, I* num_u)> classical_count{
    "classical::count", types_of<I>};

/// The columns of one of the factors, for the row pointers that the counts add up to: of U, numbers[j] for point j, if
/// `numbers` is not null, else of V.
template <class I>
inline constinit kernel<void(PatternView<I> strong, const std::uint64_t* states, const I* numbers, const I* row_ptrs,
                             I* col_idxs)>
    classical_take{"classical::take", types_of<I>};

/// The values of U: a_ij in F, 1 in C;  sums[i] := sum over its row in F, 0 in C.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, PatternView<I> strong, const std::uint64_t* states, const I* row_ptrs,
                             V* values, V* sums)>
    classical_values_u{"classical::values_u", types_of<V, I>, {.eps = 32}};

/// The values of V, 1 in C; in F, with q_j = a_ij / (sums[j] + a_ji), 0 where that is not finite,
///     t = a_ii + sum of weak a_ij + sum over strong j in F of q_j a_ji, or a_ij where q_j is 0,
///     -1 / t on the diagonal, -q_j / t beside it; zeros where 1 / t is not finite.  [LiSjogreenYang21, MM-ext+i]
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, PatternView<I> strong, const std::uint64_t* states, const V* sums,
                             const I* row_ptrs, V* values)>
    classical_values_v{"classical::values_v", types_of<V, I>, {.eps = 1024}};

/// The columns of the `most` largest entries of each row, earlier ones first where several are as large but for a
/// thousandth of the largest, for row pointers that the smaller ones of `most` and the rows' lengths add up to.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, size_type most, const I* row_ptrs, I* col_idxs)> classical_take_largest{
    "classical::take_largest", types_of<V, I>};

/// counts[i] := the smaller one of `most` and the entries of row i.
template <class I>
inline constinit kernel<void(PatternView<I> a, size_type most, I* counts)> classical_limit{"classical::limit",
                                                                                           types_of<I>};

}  // namespace linden
