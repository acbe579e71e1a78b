#pragma once

#include <linden/views.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/base/host_device.hpp"
#include "core/base/kernel.hpp"
#include "core/base/math.hpp"
#include "core/base/type_lists.hpp"

/// Numbers that describe a matrix. All are integers, so that any order of the rows gives the same.
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
    size_type num_skew;               ///< entries with |a_ij - conj(a_ji)| > 1024 eps max_k |a_ik|
    size_type num_zero_diagonal;      ///< rows, of those that have a column, with a_ii = 0 or without it
    size_type num_tiny_diagonal;      ///< of the other rows, those with |a_ii| < 10^-8 max_k |a_ik|
    size_type num_negative_diagonal;  ///< rows with Re(a_ii) < 0
    /// Rows with a real a_ii != 0 whose other entries are real, and 0 or of the other sign: all rows of M-matrices
    size_type num_sign_rows;
    /// Binary exponents of the smallest and the largest max_k |a_ik| of rows that have one; infinite ones count as 2048
    size_type least_exponent, most_exponent;
    /// `ordered_bits` of the smallest and the largest Re(a_ii) of rows that have a column; all integers lie between
    /// them where an a_ii is not real
    size_type least_diagonal, most_diagonal;
};

LINDEN_HOST_DEVICE constexpr ValueCounts no_value_counts()
{
    ValueCounts counts{};
    counts.least_exponent = counts.least_diagonal = INT64_MAX;
    counts.most_exponent = counts.most_diagonal = INT64_MIN;
    return counts;
}

/// Integers in the order of the numbers.
LINDEN_HOST_DEVICE constexpr size_type ordered_bits(double number)
{
    const auto bits = std::bit_cast<std::int64_t>(number);
    return bits < 0 ? bits ^ INT64_MAX : bits;
}

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

/// What is to be known of a row for the counts that are not about its mirror image.
struct RowValues {
    double diagonal;                  ///< |a_ii|, 0 without it
    double others;                    ///< sum_{j != i} |a_ij|
    double largest;                   ///< max_j |a_ij|
    double part;                      ///< Re(a_ii), 0 without it
    bool has_positive, has_negative;  ///< entries off the diagonal
    bool has_complex;                 ///< entries that are not real
    bool has_complex_diagonal;        ///< a_ii is not real
};

/// Adds an entry of this magnitude and real part.
LINDEN_HOST_DEVICE constexpr void add_entry(double magnitude, double part, bool is_real, bool is_diagonal,
                                            RowValues& row)
{
    row.largest = magnitude > row.largest ? magnitude : row.largest;
    row.has_complex = row.has_complex || !is_real;
    if (is_diagonal) {
        row.diagonal += magnitude;
        row.part = part;
        row.has_complex_diagonal = !is_real;
    } else {
        row.others += magnitude;
        row.has_positive = row.has_positive || part > 0;
        row.has_negative = row.has_negative || part < 0;
    }
}

/// Adds a row to `counts`; `is_square_part`: its number is that of a column, too.
LINDEN_HOST_DEVICE inline void count_row_values(const RowValues& row, size_type length, bool is_square_part, double eps,
                                                ValueCounts& counts)
{
    const auto found = compare_diagonal(row.diagonal, row.others, length, eps);
    counts.num_dominant += found.is_weak ? 1 : 0;
    counts.num_strictly_dominant += found.is_strict ? 1 : 0;
    const bool is_zero = row.diagonal == 0;
    counts.num_zero_diagonal += is_zero && is_square_part ? 1 : 0;
    counts.num_tiny_diagonal += !is_zero && row.diagonal < 1e-8 * row.largest ? 1 : 0;
    counts.num_negative_diagonal += row.part < 0 ? 1 : 0;
    const bool has_sign = row.part > 0 || row.part < 0;
    const bool has_same_sign = row.part > 0 ? row.has_positive : row.has_negative;
    counts.num_sign_rows += has_sign && !has_same_sign && !row.has_complex ? 1 : 0;
    if (is_square_part) {
        const size_type least = row.has_complex_diagonal ? INT64_MIN : ordered_bits(row.part);
        const size_type most = row.has_complex_diagonal ? INT64_MAX : least;
        counts.least_diagonal = least < counts.least_diagonal ? least : counts.least_diagonal;
        counts.most_diagonal = most > counts.most_diagonal ? most : counts.most_diagonal;
    }
    if (row.largest > 0) {
        using std::ilogb;
        const bool is_finite = row.largest <= std::numeric_limits<double>::max();
        const size_type exponent = is_finite ? ilogb(row.largest) : 2048;
        counts.least_exponent = exponent < counts.least_exponent ? exponent : counts.least_exponent;
        counts.most_exponent = exponent > counts.most_exponent ? exponent : counts.most_exponent;
    }
}

/// Compares an entry of a row, whose largest magnitude is given, with its mirror image, 0 if that is missing.
template <class V>
void count_mirrored(V value, V mirrored, bool is_there, double largest, ValueCounts& counts)
{
    constexpr double eps = std::numeric_limits<real_t<V>>::epsilon();
    counts.num_unmirrored += !is_there;
    counts.num_unsymmetric += value != mirrored;
    counts.num_not_hermitian += value != conj(mirrored);
    counts.num_skew += static_cast<double>(magnitude(value - conj(mirrored))) > 1024 * eps * largest;
}

/// Adds the counts of some rows to those of others.
inline void join(PatternCounts& all, const PatternCounts& some)
{
    all.shortest_row = std::min(all.shortest_row, some.shortest_row);
    all.longest_row = std::max(all.longest_row, some.longest_row);
    all.squared_lengths += some.squared_lengths;
    for (int i = 0; i < num_length_classes; ++i) {
        all.rows_of_class[i] += some.rows_of_class[i];
    }
    all.lower_bandwidth = std::max(all.lower_bandwidth, some.lower_bandwidth);
    all.upper_bandwidth = std::max(all.upper_bandwidth, some.upper_bandwidth);
    all.num_diagonal += some.num_diagonal;
    all.first_malformed = std::min(all.first_malformed, some.first_malformed);
}

inline void join(ValueCounts& all, const ValueCounts& some)
{
    all.num_unmirrored += some.num_unmirrored;
    all.num_unsymmetric += some.num_unsymmetric;
    all.num_not_hermitian += some.num_not_hermitian;
    all.num_dominant += some.num_dominant;
    all.num_strictly_dominant += some.num_strictly_dominant;
    all.num_skew += some.num_skew;
    all.num_zero_diagonal += some.num_zero_diagonal;
    all.num_tiny_diagonal += some.num_tiny_diagonal;
    all.num_negative_diagonal += some.num_negative_diagonal;
    all.num_sign_rows += some.num_sign_rows;
    all.least_exponent = std::min(all.least_exponent, some.least_exponent);
    all.most_exponent = std::max(all.most_exponent, some.most_exponent);
    all.least_diagonal = std::min(all.least_diagonal, some.least_diagonal);
    all.most_diagonal = std::max(all.most_diagonal, some.most_diagonal);
}

/// *counts := what the values have. Row pointers are valid, rows sorted (nothing is read outside of A where they are
/// not; entries in columns outside of A have no mirror image). Each entry's mirror image is found by bisection, on omp
/// from where the last search in its row ended; of matrices that are not square only dominance is counted. Reads A
/// once, and log2(row length) columns for each entry; on omp a column or two.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, ValueCounts* counts)> csr_statistics{
    "csr::statistics", types_of<V, I>, {.eps = 0}};

}  // namespace linden
