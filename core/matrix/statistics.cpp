#include "core/matrix/statistics_of_counts.hpp"

#include <linden/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

// instantiate: MatrixStatistics statistics(const Csr<V, I>&)

namespace linden {
namespace {

std::string line(std::string_view key, const std::string& value)
{
    std::string text(key);
    text.resize(20, ' ');
    return text + value + "\n";
}

std::string short_number(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value);
    return text;
}

/// `3: 17` for 17 rows of 3 entries, `4-7: 5`, separated by commas.
std::string histogram_text(const std::vector<size_type>& histogram)
{
    std::string text;
    for (std::size_t k = 0; k < histogram.size(); ++k) {
        if (histogram[k] == 0) {
            continue;
        }
        const size_type first = k == 0 ? 0 : size_type{1} << (k - 1);
        const size_type last = k == 0 ? 0 : 2 * first - 1;
        text += (text.empty() ? "" : ", ") + std::to_string(first) +
                (last > first ? "-" + std::to_string(last) : std::string()) + ": " + std::to_string(histogram[k]);
    }
    return text.empty() ? "no rows" : text;
}

void set_row_lengths(MatrixStatistics& s, const PatternCounts& counts)
{
    const auto* const classes = counts.rows_of_class;
    s.row_length_histogram.assign(classes, classes + length_class(counts.longest_row) + 1);
    s.num_empty_rows = classes[0];
    s.max_row_length = counts.longest_row;
    if (s.size.rows == 0) {
        return;
    }
    const auto rows = static_cast<double>(s.size.rows);
    s.min_row_length = counts.shortest_row;
    s.mean_row_length = static_cast<double>(s.num_nonzeros) / rows;
    s.row_length_variance =
        std::max(0.0, static_cast<double>(counts.squared_lengths) / rows - s.mean_row_length * s.mean_row_length);
}

}  // namespace

std::string MatrixStatistics::text() const
{
    const auto of_rows = [this](size_type n) { return std::to_string(n) + " of " + std::to_string(size.rows); };
    const char* const symmetry = is_symmetric && is_hermitian ? "symmetric"
                                 : is_hermitian               ? "Hermitian"
                                 : is_symmetric               ? "symmetric, not Hermitian"
                                 : is_nearly_hermitian        ? "Hermitian up to rounding"
                                 : is_pattern_symmetric       ? "no, but the pattern is symmetric"
                                                              : "no";
    return line("size", std::to_string(size.rows) + " x " + std::to_string(size.cols) + ", " +
                            std::to_string(num_nonzeros) + " nonzeros") +
           line("row lengths", std::to_string(min_row_length) + " to " + std::to_string(max_row_length) + ", mean " +
                                   short_number(mean_row_length) + ", variance " + short_number(row_length_variance)) +
           line("rows by length", histogram_text(row_length_histogram)) +
           line("bandwidths",
                std::to_string(lower_bandwidth) + " below, " + std::to_string(upper_bandwidth) + " above") +
           line("diagonal entries",
                std::to_string(num_diagonal_entries) + " of " + std::to_string(std::min(size.rows, size.cols))) +
           line("symmetry", symmetry) +
           line("diagonal dominance",
                "rows: " + of_rows(num_dominant_rows) + ", strictly: " + of_rows(num_strictly_dominant_rows));
}

MatrixStatistics detail::statistics_of(Dim size, size_type num_nonzeros, const MatrixCounts& counts)
{
    MatrixStatistics s;
    s.size = size;
    s.num_nonzeros = num_nonzeros;
    set_row_lengths(s, counts.pattern);
    s.lower_bandwidth = counts.pattern.lower_bandwidth;
    s.upper_bandwidth = counts.pattern.upper_bandwidth;
    s.num_diagonal_entries = counts.pattern.num_diagonal;
    const bool is_square = s.size.rows == s.size.cols;
    s.num_unmirrored = is_square ? counts.values.num_unmirrored : 0;
    s.is_pattern_symmetric = is_square && counts.values.num_unmirrored == 0;
    s.is_symmetric = is_square && counts.values.num_unsymmetric == 0;
    s.is_hermitian = is_square && counts.values.num_not_hermitian == 0;
    s.num_dominant_rows = counts.values.num_dominant;
    s.num_strictly_dominant_rows = counts.values.num_strictly_dominant;
    s.is_nearly_hermitian = is_square && counts.values.num_skew == 0;
    s.num_zero_diagonal = counts.values.num_zero_diagonal;
    s.num_tiny_diagonal = counts.values.num_tiny_diagonal;
    s.num_negative_diagonal = counts.values.num_negative_diagonal;
    s.num_sign_rows = counts.values.num_sign_rows;
    s.has_constant_diagonal = counts.values.least_diagonal == counts.values.most_diagonal;
    if (counts.values.most_exponent >= counts.values.least_exponent) {
        s.row_scale_spread =
            std::exp2(static_cast<double>(counts.values.most_exponent - counts.values.least_exponent + 1));
    }
    return s;
}

template <class V, class I>
MatrixStatistics statistics(const Csr<V, I>& matrix)
{
    const auto& exec = matrix.executor();
    Array<detail::MatrixCounts> device_counts(exec, 1);
    pattern_statistics<I>(exec, matrix.view(), &device_counts.data()->pattern);
    csr_statistics<V, I>(exec, matrix.view(), &device_counts.data()->values);
    const auto counts = device_counts.to_host().front();
    if (counts.pattern.first_malformed != PatternCounts::no_row) {
        throw InvalidParameter("row " + std::to_string(counts.pattern.first_malformed),
                               "unsorted columns, repeated ones or some outside of the matrix",
                               "columns that increase strictly; see sort_rows and validate");
    }
    return detail::statistics_of(matrix.size(), matrix.num_nonzeros(), counts);
}

}  // namespace linden
