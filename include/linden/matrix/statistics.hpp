#pragma once

#include <linden/matrix/csr.hpp>

#include <string>
#include <vector>

namespace linden {

/// Properties of a Csr matrix; see `statistics`.
struct MatrixStatistics {
    Dim size;
    size_type num_nonzeros = 0;

    size_type min_row_length = 0;
    size_type max_row_length = 0;
    double mean_row_length = 0;
    double row_length_variance = 0;  ///< mean squared deviation from the mean
    size_type num_empty_rows = 0;
    /// Numbers of rows by length: [0] empty rows, [k] rows with 2^(k - 1) to 2^k - 1 entries.
    std::vector<size_type> row_length_histogram;

    size_type lower_bandwidth = 0;  ///< maximum of row - col over the entries, at least 0
    size_type upper_bandwidth = 0;  ///< maximum of col - row over the entries, at least 0
    size_type num_diagonal_entries = 0;

    size_type num_unmirrored = 0;       ///< entries (i, j) of a square matrix of which (j, i) is none
    bool is_pattern_symmetric = false;  ///< structurally symmetric: (j, i) is an entry if (i, j) is
    bool is_symmetric = false;          ///< A = A^T exactly; missing entries count as 0
    bool is_hermitian = false;          ///< A = A^H exactly
    /// |a_ij - conj(a_ji)| <= 1024 eps max_k |a_ik| for all entries: A = A^H up to rounding
    bool is_nearly_hermitian = false;
    /// Rows with |a_ii| >= sum_{j != i} |a_ij|, up to rounding errors of the sum, and rows where > holds.
    size_type num_dominant_rows = 0;
    size_type num_strictly_dominant_rows = 0;

    size_type num_zero_diagonal = 0;      ///< diagonal entries that are zero or missing
    size_type num_tiny_diagonal = 0;      ///< other diagonal entries below 10^-8 of their row's largest
    size_type num_negative_diagonal = 0;  ///< diagonal entries with a negative real part
    /// Rows with a real diagonal entry and no entry of its sign beside it, as all rows of M-matrices are
    size_type num_sign_rows = 0;
    bool has_constant_diagonal = false;  ///< diagonal entries are real and the same in all rows that have a column
    /// The ratio of the largest magnitudes of two rows is at most this, a power of two; 1 without rows that have any.
    double row_scale_spread = 1;

    /// A human-readable summary of a few lines.
    LINDEN_EXPORT std::string text() const;
};

/// Computes the statistics in two passes on the matrix's executor and waits for it. O(nnz log(longest row)) work.
/// @throws InvalidParameter naming the first row whose columns are not strictly increasing or out of bounds
template <class V, class I>
LINDEN_EXPORT MatrixStatistics statistics(const Csr<V, I>& matrix);

}  // namespace linden
