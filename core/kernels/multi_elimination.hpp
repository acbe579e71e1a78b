#pragma once

#include <linden/views.hpp>

#include <cstdint>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

/// One level of multi-elimination. Pivots are pairs of a row and a column of A (n x n) such that the submatrix D of
/// their rows and columns is diagonal, or counts as diagonal; with the other rows and columns "kept",
///     P A Q^T = ( D  F ),   S = C - E D^-1 F  (the Schur complement, num_kept x num_kept).
///               ( E  C )
/// S is the product of the kept rows (E C) of A and the interpolation (-D^-1 F; I). [Saad96], [LukarskiEtAl14, II]
///
/// Matrices have sorted rows with unique columns. All kernels are deterministic; each reads the entries of the rows
/// that it is about once and writes what it says once.
namespace linden {

/// How rows and columns of a level are numbered: kept ones by their order, and pivots by the order of their rows.
template <class I>
struct EliminationView {
    size_type size = 0;               ///< n
    size_type num_kept = 0;           ///< rows, and as many columns
    const I* pivots = nullptr;        ///< n: the column of each row's pivot, -1 for kept rows
    const I* rows = nullptr;          ///< n: the number of a kept row; -1 - k for the row of pivot k
    const I* columns = nullptr;       ///< n: the number of a kept column; -1 - k for the column of pivot k
    const I* kept_rows = nullptr;     ///< num_kept, increasing
    const I* kept_columns = nullptr;  ///< num_kept, increasing
    const I* pivot_rows = nullptr;    ///< n - num_kept, increasing

    constexpr size_type num_pivots() const { return size - num_kept; }
};

/// strengths[i] := |a_ii|, at most ten times the largest magnitude off the diagonal of row i, or -1 where a_ii is zero,
/// not finite, or smaller than delta times that magnitude;  keys[i] := the number of entries of row i, 4095 at most,
/// before ScatteredOrder{n}.rank(i).  a: n x n, n < 2^52; strengths, keys: n values.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, double delta, real_t<V>* strengths, std::uint64_t* keys)>
    multi_elimination_measure{"multi_elimination::measure", types_of<V, I>};

/// Rows with a strength of 0 or more can be members of an independent set. Neighbours of such a row are others that are
/// the columns of its entries with |a_ij| >= theta min(strengths[i], strengths[j]).
template <class R>
struct NeighbourRule {
    const std::uint64_t* keys = nullptr;  ///< n: all different
    const R* strengths = nullptr;         ///< n
    double theta = 0;
};

/// A round of choosing an independent set: after[i] := 2 where row i cannot be a member or has a neighbour that is one,
/// else 1 where no undecided neighbour has a lower key, else 0; what was decided stays. Decisions are 0 for undecided
/// rows, 1 for members, 2 for others.  before: n values, null in the first round; after: n values, not before. Members
/// of all rounds are the greedy set in the order of the keys, as far as it has been decided, if rows are each other's
/// neighbours.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, NeighbourRule<real_t<V>> rule, const I* before, I* after)>
    multi_elimination_decide{"multi_elimination::decide", types_of<V, I>};

/// pivots[i] := i where classes[i] is `members`, else -1.  n values each.
template <class I>
inline constinit kernel<void(size_type n, const I* classes, I members, I* pivots)> multi_elimination_take_members{
    "multi_elimination::take_members", types_of<I>};

/// is_row[i] := 1 where row i has a pivot, else 0;  is_column[j] := 1 where column j is one's.  n values each;
/// is_column is all zeros before, or null.
template <class I>
inline constinit kernel<void(size_type n, const I* pivots, I* is_row, I* is_column)> multi_elimination_mark{
    "multi_elimination::mark", types_of<I>};

/// The numbers of a level's rows and columns, to be written: as EliminationView.
template <class I>
struct EliminationNumbers {
    I* rows = nullptr;
    I* columns = nullptr;
    I* kept_rows = nullptr;
    I* kept_columns = nullptr;
    I* pivot_rows = nullptr;
};

/// Numbers the rows and columns.  rows_before, columns_before: n + 1 values, the prefix sums of the marks.
template <class I>
inline constinit kernel<void(size_type n, const I* pivots, const I* rows_before, const I* columns_before,
                             EliminationNumbers<I> numbers)>
    multi_elimination_number{"multi_elimination::number", types_of<I>};

/// Names of a level's rows and columns in the matrix of the first level.
template <class I>
struct EliminationNames {
    const I* rows = nullptr;
    const I* columns = nullptr;
};

/// Where the numbers of entries go that a level's rows have.
template <class I>
struct EliminationCounts {
    I* kept = nullptr;           ///< num_kept: of row r of (E C)
    I* interpolation = nullptr;  ///< n: of row j of (-D^-1 F; I), whose rows are the columns of a
    I* factors = nullptr;        ///< by names of rows: of the row of E or F, added to what is there
};

/// Counts the entries of each row.
template <class I>
inline constinit kernel<void(PatternView<I> a, EliminationView<I> level, const I* row_names,
                             EliminationCounts<I> counts)>
    multi_elimination_count{"multi_elimination::count", types_of<I>};

/// A matrix that is written, for given row pointers.
template <class V, class I>
struct WrittenRows {
    const I* row_ptrs = nullptr;
    I* col_idxs = nullptr;
    V* values = nullptr;
};

/// Where a level's values of E and F go among those of all levels.
template <class V, class I>
struct FactorValues {
    const I* row_names = nullptr;
    /// By names of rows: the place of the first value; moves on behind the last one of a kept row.
    I* cursors = nullptr;
    V* values = nullptr;  ///< null: they are not taken
};

/// Values of pivots, num_pivots each.
template <class V>
struct WrittenPivots {
    V* d = nullptr;
    V* inverses = nullptr;
};

/// d[k] := the entry of pivot k, plus omega times the sum of the other entries of its row in columns of pivots unless
/// that leaves less than a tenth of it;  inverses[k] := 1 / d[k], 1 for zeros;  kept := (E C), row by row;
/// interpolation: 1 in rows of kept columns, -a_ij inverses[k] in that of pivot k, whose row is i;  factors: the values
/// that multi_elimination_take_factors takes, in its order.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, EliminationView<I> level, double omega, WrittenPivots<V> pivots,
                             WrittenRows<V, I> kept, WrittenRows<V, I> interpolation, FactorValues<V, I> factors)>
    multi_elimination_split{"multi_elimination::split", types_of<V, I>};

/// Which entries of a matrix are large: those of the diagonal, others but zeros where they are not finite or
///     |s_ij| > factor *mean norms[i] sqrt(|diagonal[i] diagonal[j]|),
/// where what is null counts as 1.
template <class V>
struct DropView {
    double factor = 0;
    const real_t<V>* mean = nullptr;
    const real_t<V>* norms = nullptr;
    const V* diagonal = nullptr;
};

/// norms[i] := the 2-norm of row i.  s: m x m; norms: m values.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> s, real_t<V>* norms)> multi_elimination_norms{"multi_elimination::norms",
                                                                                         types_of<V, I>};

/// counts[i] := number of large entries of row i, with the diagonal entry if it is there.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> s, DropView<V> drop, I* counts)> multi_elimination_count_large{
    "multi_elimination::count_large", types_of<V, I>};

/// kept := the large entries, for the row pointers that the counts add up to; an entry of the diagonal plus omega times
/// the sum of the row's other entries unless that leaves less than a tenth of it.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> s, DropView<V> drop, double omega, WrittenRows<V, I> kept)>
    multi_elimination_take_large{"multi_elimination::take_large", types_of<V, I>};

/// The same values on `kept`, a part of the pattern of s, whatever is large.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> s, PatternView<I> kept, double omega, V* values)>
    multi_elimination_compensate{"multi_elimination::compensate", types_of<V, I>};

/// What is known of each row of the first level's matrix once its pivot has been chosen.
template <class I>
struct EliminationRecord {
    I* levels = nullptr;   ///< the level of its pivot
    I* columns = nullptr;  ///< the column of its pivot
    I* rows = nullptr;     ///< by columns: the row of the pivot
};

/// Enters the pivots of a level. Kept rows of the last level are entered with the number `level` + 1 and the kept
/// columns of their numbers where `is_last`.
template <class I>
inline constinit kernel<void(EliminationView<I> elimination, EliminationNames<I> names, I level, bool is_last,
                             EliminationRecord<I> record)>
    multi_elimination_record{"multi_elimination::record", types_of<I>};

/// The entries of E and F in row i, those of a pivot's row in kept columns and those of a kept row in columns of
/// pivots, to the places from cursors[names.rows[i]] on, which moves on behind them; columns by name.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, EliminationView<I> level, EliminationNames<I> names, I* cursors,
                             I* col_idxs, V* values)>
    multi_elimination_take_factors{"multi_elimination::take_factors", types_of<V, I>};

/// Row p of `permuted` := row order[p] of a, with position[j] for column j, in the old order of entries.  a: n x n;
/// order, position: n values, inverse to each other.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, const I* order, const I* position, WrittenRows<V, I> permuted)>
    multi_elimination_permute{"multi_elimination::permute", types_of<V, I>};

/// target[names[k]] := source[k].  n values.
template <class V, class I>
inline constinit kernel<void(size_type n, const I* names, const V* source, V* target)> multi_elimination_scatter{
    "multi_elimination::scatter", types_of<V, I>};

}  // namespace linden
