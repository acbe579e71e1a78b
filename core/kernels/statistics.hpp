#pragma once

#include <linden/views.hpp>

#include "core/base/host_device.hpp"
#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

/// Counts that describe a matrix. All are integers, so that any order of the rows gives the same.
namespace linden {

/// Rows without entries are of class 0, rows of 2^(c - 1) to 2^c - 1 entries of class c.
inline constexpr int num_length_classes = 64;

LINDEN_HOST_DEVICE constexpr int length_class(size_type length)
{
    int bits = 0;
    for (; length > 0; length /= 2) {
        ++bits;
    }
    return bits;
}

struct PatternCounts {
    static constexpr size_type no_row = INT64_MAX;

    size_type shortest_row;  ///< INT64_MAX without rows
    size_type longest_row;
    size_type squared_lengths;  ///< sum over the rows; wrong where it is 2^63 or more
    size_type rows_of_class[num_length_classes];
    size_type lower_bandwidth;  ///< the largest row - col, 0 if none is positive
    size_type upper_bandwidth;  ///< the largest col - row, 0 if none is positive
    size_type num_diagonal;
    size_type first_malformed;  ///< the first row whose columns do not increase or leave the matrix; no_row
};

LINDEN_HOST_DEVICE constexpr PatternCounts no_counts()
{
    PatternCounts counts{};
    counts.shortest_row = INT64_MAX;
    counts.first_malformed = PatternCounts::no_row;
    return counts;
}

/// *counts := what the pattern has. Row pointers are valid; columns are looked at, not followed. Reads the pattern
/// once.
template <class I>
inline constinit kernel<void(PatternView<I> a, PatternCounts* counts)> pattern_statistics{"pattern::statistics",
                                                                                          types_of<I>};

struct ValueCounts {
    size_type num_unmirrored;         ///< entries (i, j) without an entry (j, i)
    size_type num_unsymmetric;        ///< entries with a_ij != a_ji, where what is missing is 0
    size_type num_not_hermitian;      ///< entries with a_ij != conj(a_ji)
    size_type num_dominant;           ///< rows with |a_ii| >= sum_{j != i} |a_ij|, up to rounding
    size_type num_strictly_dominant;  ///< rows with |a_ii| > sum_{j != i} |a_ij| by more than rounding
};

/// How |a_ii| and the sum of the other magnitudes of a row compare: they count as equal within the bound of the sum's
/// rounding errors, row length * eps.
struct Dominance {
    bool is_weak;
    bool is_strict;
};
LINDEN_HOST_DEVICE constexpr Dominance compare_diagonal(double diagonal, double others, size_type length, double eps)
{
    const double tolerance = static_cast<double>(length) * eps;
    return {diagonal >= others * (1 - tolerance), diagonal > others * (1 + tolerance)};
}

/// *counts := what the values have. Row pointers are valid, rows sorted (nothing is read outside of A where they are
/// not). Each entry's mirror image is found by bisection; of matrices that are not square only dominance is counted.
/// Reads A once, and log2(row length) columns for each entry.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, ValueCounts* counts)> csr_statistics{"csr::statistics", types_of<V, I>};

}  // namespace linden
