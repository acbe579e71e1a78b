#pragma once

#include <linden/matrix/csr.hpp>

#include <cstdint>
#include <vector>

namespace linden {

/// Pairs of a row and a column of a square matrix, each in one pair at most.
struct LINDEN_EXPORT Matching {
    std::vector<std::int64_t> column_of_row;  ///< n; -1 for rows that cannot be matched
    /// n each, positive normal numbers: |r_i a_ij c_j| <= 1, and 1 for pairs, up to rounding. Where this takes factors
    /// beyond the range of double, they are the closest in it, and it does not hold.
    std::vector<double> row_scaling, column_scaling;
    size_type num_matched = 0;

    bool is_perfect() const { return num_matched == static_cast<size_type>(column_of_row.size()); }
    /// In increasing order.
    std::vector<size_type> unmatched_rows() const;
    std::vector<size_type> unmatched_columns() const;
};

/// The pairs whose entries have the largest product of magnitudes, of all ways to pair every row with a column: brought
/// to the diagonal, they are good pivots. Where rows and columns cannot all be paired (A is structurally singular), as
/// many as possible are. Zeros, and entries that are not finite, count as absent. [DuffKoster01]
///
/// Augmenting paths, on the host: through entries that cost nothing [PothenFan90], then shortest ones. O(n nnz log n)
/// at worst. Deterministic, and the same for matrices on any executor. A few passes over the entries where the first
/// choice of each row is nearly a matching, or entries are equal; with 8 random entries in a row, seconds for 1e5 rows.
/// @throws DimensionMismatch if A is not square, OutOfMemory
template <class V, class I>
LINDEN_EXPORT Matching maximum_product_matching(const Csr<V, I>& a);

}  // namespace linden
