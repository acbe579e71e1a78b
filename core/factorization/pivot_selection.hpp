#pragma once

#include <linden/array.hpp>
#include <linden/views.hpp>

namespace linden::detail {

/// Which entries of a general square matrix are pivots of a level of elimination. [Saad05], with Markowitz products for
/// weights
struct PivotRule {
    double delta = 0.1;          ///< |a_ij| >= delta max_k |a_ik|
    bool diagonal_only = false;  ///< i = j; rows whose diagonal is smaller than that have no pivot
    /// The part of the rows' first candidates whose Markowitz products (r_i - 1) (c_j - 1), the least ones, are small
    /// enough. Entries of larger products wait for a later level, for which their fill may be less.
    double fraction = 0.25;
    size_type min_product = 8;  ///< products up to this one are small enough anyway
    /// Of equal products entries are taken in an order that looks random, not in that of rows. The order of rows leaves
    /// less fill on meshes, but on chains of rows each round finds one pivot.
    bool hashed_ties = true;
    size_type rounds = 4;  ///< of choosing entries in parallel; more find a few more pivots
};

template <class I>
struct PivotSelection {
    Array<I> column;  ///< n: the column of each row's pivot, -1 for none
};

/// Pivots (i, j) whose rows and columns have a diagonal submatrix: for two of them, (i, j) and (i', j'), neither a_ij'
/// nor a_i'j is stored. At least one if A has an entry that `rule` allows, which is neither zero nor infinite nor NaN.
/// a: n x n, columns sorted and unique within rows.  The same on every executor. Nothing is read back to the host.
/// @throws DimensionMismatch unless a is square
/// @throws InvalidParameter unless 0 <= delta <= 1, 0 <= fraction <= 1, min_product >= 0, rounds >= 1
template <class V, class I>
PivotSelection<I> select_pivots(const Executor& exec, CsrView<V, I> a, const PivotRule& rule);

}  // namespace linden::detail
