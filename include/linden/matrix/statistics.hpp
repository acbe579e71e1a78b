#pragma once

#include <linden/matrix/csr.hpp>

#include <string>
#include <vector>

namespace linden {

/// What a Csr matrix is like; see `statistics`.
struct LINDEN_EXPORT MatrixStatistics {
    Dim size;
    size_type num_nonzeros = 0;

    size_type min_row_length = 0;
    size_type max_row_length = 0;
    double mean_row_length = 0;
    double row_length_variance = 0;  ///< mean of the squared distance to the mean
    size_type num_empty_rows = 0;
    /// Rows by length: [0] counts the empty ones, [k] those with 2^(k - 1) to 2^k - 1 entries, up to the longest row.
    std::vector<size_type> row_length_histogram;

    size_type lower_bandwidth = 0;  ///< the largest row - col of an entry, at least 0
    size_type upper_bandwidth = 0;  ///< the largest col - row of an entry, at least 0
    size_type num_diagonal_entries = 0;

    bool is_pattern_symmetric = false;  ///< with each entry (i, j) there is (j, i)
    bool is_symmetric = false;          ///< A = A^T, to the last bit; what is not there is 0
    bool is_hermitian = false;          ///< A = A^H
    /// Rows with |a_ii| >= sum_{j != i} |a_ij|, up to the rounding errors of the sum, and those where it is more.
    size_type num_dominant_rows = 0;
    size_type num_strictly_dominant_rows = 0;

    /// A few lines for people.
    std::string text() const;
};

/// Describes a matrix in two passes on its executor, and waits for it. Takes O(nnz log(longest row)) time.
/// @throws InvalidParameter naming the first row whose columns do not increase strictly, or leave the matrix
template <class V, class I>
LINDEN_EXPORT MatrixStatistics statistics(const Csr<V, I>& matrix);

}  // namespace linden
