#include "core/matrix/weighted_matching.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

namespace linden::detail {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

}  // namespace

WeightedMatching::WeightedMatching(const MatchingCosts& costs)
    : column_of_row(static_cast<std::size_t>(costs.num_rows()), -1),
      row_of_column(column_of_row),
      u(column_of_row.size(), 0),
      v(column_of_row.size(), infinite),
      a_(costs),
      distance_(column_of_row.size(), infinite),
      row_before_(column_of_row.size(), -1),
      is_final_(column_of_row.size(), 0)
{
    match_cheaply();
    for (size_type row = 0; row < a_.num_rows(); ++row) {
        if (column_of_row[row] < 0) {
            augment(row);
        }
    }
}

/// v_j := the least cost of column j, u_i := that of row i beyond it; then rows take columns that cost no more.
void WeightedMatching::match_cheaply()
{
    for (std::size_t k = 0; k < a_.columns.size(); ++k) {
        v[a_.columns[k]] = std::min(v[a_.columns[k]], a_.costs[k]);
    }
    std::replace(v.begin(), v.end(), infinite, 0.0);
    for (size_type row = 0; row < a_.num_rows(); ++row) {
        double least = infinite;
        for (size_type k = a_.row_ptrs[row]; k < a_.row_ptrs[row + 1]; ++k) {
            least = std::min(least, a_.costs[k] - v[a_.columns[k]]);
        }
        u[row] = least == infinite ? 0 : least;
        for (size_type k = a_.row_ptrs[row]; k < a_.row_ptrs[row + 1]; ++k) {
            const size_type column = a_.columns[k];
            if (a_.costs[k] - v[column] <= u[row] && row_of_column[column] < 0) {
                column_of_row[row] = column;
                row_of_column[column] = row;
                break;
            }
        }
    }
}

bool WeightedMatching::augment(size_type root)
{
    using Candidate = std::pair<double, size_type>;
    std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> nearest;
    std::vector<size_type> touched, final_columns;
    size_type sink = -1;
    double length = 0;
    for (size_type row = root; sink < 0;) {
        for (size_type k = a_.row_ptrs[row]; k < a_.row_ptrs[row + 1]; ++k) {
            const size_type column = a_.columns[k];
            const double distance = length + std::max(a_.costs[k] - u[row] - v[column], 0.0);
            if (is_final_[column] == 0 && distance < distance_[column]) {
                touched.push_back(column);
                distance_[column] = distance;
                row_before_[column] = row;
                nearest.emplace(distance, column);
            }
        }
        while (!nearest.empty() && is_final_[nearest.top().second] != 0) {
            nearest.pop();
        }
        if (nearest.empty()) {
            break;
        }
        const size_type column = nearest.top().second;
        length = nearest.top().first;
        is_final_[column] = 1;
        if (row_of_column[column] < 0) {
            sink = column;
        } else {
            final_columns.push_back(column);
            row = row_of_column[column];
        }
    }
    if (sink >= 0) {
        u[root] += length;
        for (const size_type column : final_columns) {
            const double change = length - distance_[column];
            v[column] -= change;
            u[row_of_column[column]] += change;
        }
        for (size_type column = sink; column >= 0;) {
            const size_type row = row_before_[column];
            row_of_column[column] = row;
            std::swap(column_of_row[row], column);
        }
    }
    for (const size_type column : touched) {
        distance_[column] = infinite;
        is_final_[column] = 0;
    }
    return sink >= 0;
}

}  // namespace linden::detail
