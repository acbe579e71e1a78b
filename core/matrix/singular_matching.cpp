#include "core/matrix/singular_matching.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

namespace linden::detail {
namespace {

/// The part of a matrix that has more rows than columns is transposed: its columns are rows, called as those that they
/// are paired with in a matching with as many pairs as there can be, and its rows are columns, likewise; those without
/// a pair come last. Each row with entries can be matched then.
class TurnedMatching {
public:
    TurnedMatching(const MatchingCosts& costs, std::vector<size_type> pairs)
        : TurnedMatching(costs, std::move(pairs), char{0})
    {
        find_part();
        name_columns();
    }
    /// All of the matrix is transposed.
    explicit TurnedMatching(const MatchingCosts& costs) : TurnedMatching(costs, identity(costs.num_rows()), char{1})
    {
        row_of_column_ = pairs_;
        name_columns();
    }

    /// Nothing where that is given up.
    std::optional<WeightedPairs> pairs() const
    {
        auto costs = turned_costs();
        const auto old_names = rename_columns(costs);
        const WeightedMatching turned(costs);
        return turned.is_maximum ? std::optional(turned_back(turned, old_names)) : std::nullopt;
    }

private:
    TurnedMatching(const MatchingCosts& costs, std::vector<size_type> pairs, char is_turned)
        : a_(costs),
          pairs_(std::move(pairs)),
          row_of_column_(pairs_.size(), -1),
          has_row_turned_(pairs_.size(), is_turned),
          has_column_turned_(pairs_.size(), is_turned)
    {
    }
    static std::vector<size_type> identity(size_type size)
    {
        std::vector<size_type> result(static_cast<std::size_t>(size));
        std::iota(result.begin(), result.end(), size_type{0});
        return result;
    }

    /// What alternating paths from rows without a column reach.
    void find_part()
    {
        std::vector<size_type> rows;
        for (size_type row = 0; row < a_.num_rows(); ++row) {
            if (pairs_[row] >= 0) {
                row_of_column_[pairs_[row]] = row;
            } else {
                has_row_turned_[row] = 1;
                rows.push_back(row);
            }
        }
        while (!rows.empty()) {
            const auto row = rows.back();
            rows.pop_back();
            for (auto k = a_.row_ptrs[row]; k < a_.row_ptrs[row + 1]; ++k) {
                const auto column = a_.columns[k];
                if (has_column_turned_[column] == 0) {
                    has_column_turned_[column] = 1;
                    has_row_turned_[row_of_column_[column]] = 1;  // it has one: there is no augmenting path
                    rows.push_back(row_of_column_[column]);
                }
            }
        }
    }

    /// Of turned rows.
    void name_columns()
    {
        size_type last = a_.num_rows();
        for (const auto column : pairs_) {
            column_name_.push_back(column < 0 ? last++ : column);
        }
        num_names_ = last;
    }

    /// The row of an entry in the turned matrix, -1 if it is outside of both parts.
    size_type turned_row(size_type row, size_type column) const
    {
        if (has_row_turned_[row] != 0) {
            return row_of_column_[column];
        }
        return has_column_turned_[column] != 0 ? -1 : row;
    }

    MatchingCosts turned_costs() const
    {
        MatchingCosts result;
        result.row_ptrs.assign(static_cast<std::size_t>(num_names_) + 1, 0);
        for_each_entry([&](size_type row, size_type k) {
            if (const auto turned = turned_row(row, a_.columns[k]); turned >= 0) {
                ++result.row_ptrs[turned + 1];
            }
        });
        for (size_type row = 0; row < num_names_; ++row) {
            result.row_ptrs[row + 1] += result.row_ptrs[row];
        }
        result.columns.resize(static_cast<std::size_t>(result.row_ptrs.back()));
        result.costs.resize(result.columns.size());
        auto next = result.row_ptrs;
        for_each_entry([&](size_type row, size_type k) {
            if (const auto turned = turned_row(row, a_.columns[k]); turned >= 0) {
                const auto place = next[turned]++;
                result.columns[place] = has_row_turned_[row] != 0 ? column_name_[row] : a_.columns[k];
                result.costs[place] = a_.costs[k];
            }
        });
        return result;
    }

    template <class F>
    void for_each_entry(F f) const
    {
        for (size_type row = 0; row < a_.num_rows(); ++row) {
            for (auto k = a_.row_ptrs[row]; k < a_.row_ptrs[row + 1]; ++k) {
                f(row, k);
            }
        }
    }

    WeightedPairs turned_back(const WeightedMatching& turned, const std::vector<size_type>& old_names) const
    {
        const auto column_values = by_old_names(old_names, turned.v);
        const auto row_of_name = by_old_names(old_names, turned.row_of_column);
        WeightedPairs result;
        for (size_type row = 0; row < a_.num_rows(); ++row) {
            const bool is_turned = has_row_turned_[row] != 0;
            const auto name = is_turned ? row_of_name[column_name_[row]] : turned.column_of_row[row];
            result.column_of_row.push_back(is_turned ? (name < 0 ? -1 : pairs_[name]) : old_names[name]);
            result.u.push_back(is_turned ? column_values[column_name_[row]] : turned.u[row]);
        }
        for (size_type column = 0; column < a_.num_rows(); ++column) {
            result.v.push_back(has_column_turned_[column] != 0 ? turned.u[row_of_column_[column]]
                                                               : column_values[column]);
        }
        make_room(result);
        return result;
    }

    /// cost_ij >= u_i + v_j between the parts: rows that are not turned may have entries in columns that are. Theirs
    /// are the only entries of columns that are not, and so one number may go from all of their u to all v of those.
    void make_room(WeightedPairs& pairs) const
    {
        double excess = 0;
        for_each_entry([&](size_type row, size_type k) {
            excess = std::max(excess, pairs.u[row] + pairs.v[a_.columns[k]] - a_.costs[k]);
        });
        for (std::size_t i = 0; i < pairs.u.size(); ++i) {
            pairs.u[i] -= has_row_turned_[i] != 0 ? 0 : excess;
            pairs.v[i] += has_column_turned_[i] != 0 ? 0 : excess;
        }
    }

    const MatchingCosts& a_;
    std::vector<size_type> pairs_, row_of_column_;
    std::vector<char> has_row_turned_, has_column_turned_;
    std::vector<size_type> column_name_;
    size_type num_names_ = 0;
};

}  // namespace

WeightedPairs singular_matching(const MatchingCosts& costs)
{
    WeightedMatching found(costs);
    if (found.is_maximum) {
        return {std::move(found.column_of_row), std::move(found.u), std::move(found.v)};
    }
    if (found.num_lacking_columns() > 0) {
        if (auto pairs = TurnedMatching(costs).pairs()) {
            return *std::move(pairs);
        }
    }
    return TurnedMatching(costs, WeightedMatching::largest(costs, std::move(found.column_of_row))).pairs().value();
}

}  // namespace linden::detail
