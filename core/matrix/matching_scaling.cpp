#include "core/matrix/matching_scaling.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace linden {
namespace {

/// exp of every entry, at least and at most the smallest and largest normal numbers.
std::vector<double> normal_exp(std::vector<double> exponents)
{
    using limits = std::numeric_limits<double>;
    for (auto& x : exponents) {
        x = std::clamp(std::exp(x), limits::min(), limits::max());
    }
    return exponents;
}

/// Adds to the exponents of rows, and takes from those of columns, the least number for which exp of both is in the
/// range of double; where there is none, one by which they exceed it equally.
void shift_into_range(std::vector<double>& rows, std::vector<double>& columns)
{
    if (rows.empty()) {
        return;
    }
    using limits = std::numeric_limits<double>;
    const double least = std::log(limits::min()), most = std::log(limits::max());
    const auto [row_min, row_max] = std::minmax_element(rows.begin(), rows.end());
    const auto [column_min, column_max] = std::minmax_element(columns.begin(), columns.end());
    const double at_least = std::max(least - *row_min, *column_max - most);
    const double at_most = std::min(most - *row_max, *column_min - least);
    const double shift = at_least <= at_most ? std::clamp(0.0, at_least, at_most) : (at_least + at_most) / 2;
    for (auto& x : rows) {
        x += shift;
    }
    for (auto& x : columns) {
        x -= shift;
    }
}

}  // namespace

void detail::set_scaling(Matching& matching, std::vector<double> log_rows, std::vector<double> log_columns)
{
    double sum = 0;
    for (std::size_t row = 0; row < log_rows.size(); ++row) {
        const auto column = matching.column_of_row[row];
        sum += column < 0 ? 0.0 : log_rows[row] + log_columns[static_cast<std::size_t>(column)];
    }
    matching.log_bound = -sum;
    shift_into_range(log_rows, log_columns);
    matching.row_scaling = normal_exp(std::move(log_rows));
    matching.column_scaling = normal_exp(std::move(log_columns));
}

std::vector<size_type> Matching::unmatched_rows() const
{
    std::vector<size_type> rows;
    for (std::size_t row = 0; row < column_of_row.size(); ++row) {
        if (column_of_row[row] < 0) {
            rows.push_back(static_cast<size_type>(row));
        }
    }
    return rows;
}

std::vector<size_type> Matching::unmatched_columns() const
{
    std::vector<char> is_matched(column_of_row.size(), 0);
    for (const auto column : column_of_row) {
        if (column >= 0) {
            is_matched[static_cast<std::size_t>(column)] = 1;
        }
    }
    std::vector<size_type> columns;
    for (std::size_t column = 0; column < is_matched.size(); ++column) {
        if (is_matched[column] == 0) {
            columns.push_back(static_cast<size_type>(column));
        }
    }
    return columns;
}

}  // namespace linden
