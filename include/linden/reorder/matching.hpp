#pragma once

#include <linden/matrix/csr.hpp>

#include <cstdint>
#include <vector>

namespace linden {

/// Pairs of a row and a column of a square matrix, each in one pair at most.
struct LINDEN_EXPORT Matching {
    std::vector<std::int64_t> column_of_row;  ///< n; -1 for rows that cannot be matched
    /// n each, positive normal numbers: |r_i a_ij c_j| <= 1, and 1 (approximate matchings: 1/2 to 1) for pairs, up to
    /// rounding. Where this takes factors beyond the range of double, they are the closest in it, and it does not hold.
    std::vector<double> row_scaling, column_scaling;
    size_type num_matched = 0;
    double log_product = 0;  ///< sum of log |a_ij| over the pairs
    /// No other pairs of the matched rows and columns have a larger sum: minus that of log r_i + log c_j, which scaling
    /// proves.
    double log_bound = 0;

    bool is_perfect() const { return num_matched == static_cast<size_type>(column_of_row.size()); }
    /// In increasing order.
    std::vector<size_type> unmatched_rows() const;
    std::vector<size_type> unmatched_columns() const;
};

/// The pairs whose entries have the largest product of magnitudes, of all ways to pair every row with a column: brought
/// to the diagonal, they are good pivots. Where rows and columns cannot all be paired (A is structurally singular), as
/// many as possible are. Zeros, and entries that are not finite, count as absent. [DuffKoster01]
///
/// Augmenting paths, on the host: through entries that cost nothing [PothenFan90], by the prices of an auction where
/// the least costs leave many rows [Bertsekas88], then shortest ones. O(n nnz log n) at worst. Deterministic, and the
/// same for matrices on any executor. A few passes over the entries where the first choice of each row is nearly a
/// matching, or entries are equal; with 8 random entries in a row, half a second for 1e5 rows, and structurally
/// singular matrices take about as long.
/// @throws DimensionMismatch if A is not square, OutOfMemory
template <class V, class I>
LINDEN_EXPORT Matching maximum_product_matching(const Csr<V, I>& a);

/// Pairs whose entries are at least half of what the best ones have in geometric mean: log_product >= log_bound -
/// num_matched log 2, where the scaling proves that none have more than log_bound, and brings every pair's entry to 1/2
/// to 1. In parallel on the executor, which finds the same pairs as every other one.
///
/// An auction: rows bid for columns by their entries against prices, all at once [Bertsekas88]. Rows that are left when
/// few are, or rounds no longer match more, are matched along shortest paths on the host, from the prices on. As many
/// rows are matched as there can be; structurally singular matrices are matched as by maximum_product_matching.
/// @throws DimensionMismatch if A is not square, OutOfMemory
template <class V, class I>
LINDEN_EXPORT Matching approximate_product_matching(const Csr<V, I>& a);

}  // namespace linden
