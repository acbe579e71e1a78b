#pragma once

#include <linden/matrix/csr.hpp>

#include <cstdint>
#include <vector>

namespace linden {

/// Pairs of a row and a column of a square matrix, each in one pair at most.
struct LINDEN_EXPORT Matching {
    std::vector<std::int64_t> column_of_row;  ///< n; -1 for rows that cannot be matched
    /// n positive normal numbers each. Up to rounding, |r_i a_ij c_j| <= 1 for all entries, and it is 1 for the pairs
    /// (1/2 to 1 for approximate matchings). A factor that would be beyond the range of double is the closest number in
    /// it, and the bounds then do not hold.
    std::vector<double> row_scaling, column_scaling;
    size_type num_matched = 0;
    double log_product = 0;  ///< sum of log |a_ij| over the pairs
    /// Minus the sum of log r_i + log c_j over the pairs. The scaling proves that no other pairs of the matched rows
    /// and columns have a larger log_product than that.
    double log_bound = 0;

    bool is_perfect() const { return num_matched == static_cast<size_type>(column_of_row.size()); }
    /// In increasing order.
    std::vector<size_type> unmatched_rows() const;
    std::vector<size_type> unmatched_columns() const;
};

/// Of all ways to pair every row with a column, the one whose entries have the largest product of magnitudes: brought
/// to the diagonal, these entries are good pivots. If A is structurally singular, as many rows and columns as possible
/// are paired. Zeros and entries that are not finite count as absent. [DuffKoster01]
///
/// Runs on the host, along augmenting paths: first through entries that cost nothing [PothenFan90]; then, if that
/// leaves many rows, by the prices of an auction [Bertsekas88]; then along shortest paths. O(n nnz log n) at worst.
/// Deterministic, and the same for matrices on any executor.
///
/// It takes a few passes over the entries if the first choice of each row is nearly a matching, or if entries are
/// equal; half a second for 1e5 rows with 8 random entries each. Structurally singular matrices take about as long.
/// @throws DimensionMismatch if A is not square, OutOfMemory
template <class V, class I>
LINDEN_EXPORT Matching maximum_product_matching(const Csr<V, I>& a);

/// Pairs whose entries are, in geometric mean, at least half as large as those of the best pairs: log_product >=
/// log_bound - num_matched log 2. The scaling proves that no pairs have more than log_bound, and brings the entry of
/// every pair to 1/2 to 1. Runs in parallel on the executor; every executor finds the same pairs.
///
/// An auction: all rows bid for columns at once, by their entries against prices [Bertsekas88]. When few rows are left,
/// or rounds no longer match more, the rest is matched on the host, along shortest paths that start from the prices. As
/// many rows as possible are matched; structurally singular matrices are matched as by maximum_product_matching.
/// @throws DimensionMismatch if A is not square, OutOfMemory
template <class V, class I>
LINDEN_EXPORT Matching approximate_product_matching(const Csr<V, I>& a);

}  // namespace linden
