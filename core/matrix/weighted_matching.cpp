#include "core/matrix/weighted_matching.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "core/matrix/auction_prices.hpp"

namespace linden::detail {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

}  // namespace

std::vector<size_type> rename_columns(MatchingCosts& costs)
{
    std::vector<size_type> name(static_cast<std::size_t>(costs.num_rows()), -1), old_names;
    old_names.reserve(name.size());
    const auto name_of = [&](size_type column) {
        if (name[column] < 0) {
            name[column] = static_cast<size_type>(old_names.size());
            old_names.push_back(column);
        }
        return name[column];
    };
    std::transform(costs.columns.begin(), costs.columns.end(), costs.columns.begin(), name_of);
    for (size_type column = 0; column < costs.num_rows(); ++column) {
        (void)name_of(column);  // those without entries
    }
    return old_names;
}

WeightedMatching::WeightedMatching(const MatchingCosts& costs, size_type num_rows)
    : column_of_row(static_cast<std::size_t>(num_rows), -1),
      row_of_column(column_of_row),
      u(column_of_row.size(), 0),
      v(column_of_row.size(), infinite),
      a_(costs),
      is_visited_(column_of_row.size(), 0),
      num_looked_at_(column_of_row.size(), 0),
      num_followed_(column_of_row.size(), 0),
      distance_(column_of_row.size(), infinite),
      row_before_(column_of_row.size(), -1),
      region_of_row_(column_of_row),
      region_of_column_(column_of_row)
{
}

WeightedMatching::WeightedMatching(const MatchingCosts& costs) : WeightedMatching(costs, costs.num_rows())
{
    constexpr size_type many = 64;
    match_cheaply();
    match_tightly();
    is_maximum = num_lacking_columns() <= costs.num_rows() / many;
    size_type num_open = 0;
    for (size_type row = 0; row < costs.num_rows(); ++row) {
        num_open += column_of_row[row] < 0 && costs.has_entries(row) ? 1 : 0;
    }
    if (is_maximum && num_open > costs.num_rows() / many) {
        is_maximum = match_by_prices() || can_be_complete();
    }
    is_maximum = is_maximum && complete();
}

WeightedMatching::WeightedMatching(const MatchingCosts& costs, std::vector<size_type> start,
                                   std::vector<double> start_u, std::vector<double> start_v)
    : WeightedMatching(costs, costs.num_rows())
{
    u = std::move(start_u);
    v = std::move(start_v);
    start_from(std::move(start));
    is_maximum = complete();
}

/// All entries are tight.
std::vector<size_type> WeightedMatching::largest(const MatchingCosts& costs, std::vector<size_type> start)
{
    WeightedMatching matching(costs, costs.num_rows());
    std::fill(matching.u.begin(), matching.u.end(), infinite);
    std::fill(matching.v.begin(), matching.v.end(), 0.0);
    matching.start_from(std::move(start));
    matching.match_tightly();
    return std::move(matching.column_of_row);
}

void WeightedMatching::start_from(std::vector<size_type> start)
{
    column_of_row = std::move(start);
    for (size_type row = 0; row < a_.num_rows(); ++row) {
        if (column_of_row[row] >= 0) {
            row_of_column[column_of_row[row]] = row;
        }
    }
}

size_type WeightedMatching::num_lacking_columns() const
{
    std::vector<char> is_empty(row_of_column.size(), 1);
    for (const auto column : a_.columns) {
        is_empty[column] = 0;
    }
    size_type num_empty = std::count(is_empty.begin(), is_empty.end(), 1);
    for (size_type row = 0; row < a_.num_rows(); ++row) {
        num_empty -= a_.has_entries(row) ? 0 : 1;
    }
    return std::max(num_empty, size_type{0});
}

bool WeightedMatching::can_be_complete() const
{
    if (num_lacking_columns() > 0) {
        return false;
    }
    const auto pairs = largest(a_, column_of_row);
    for (size_type row = 0; row < a_.num_rows(); ++row) {
        if (pairs[row] < 0 && a_.has_entries(row)) {
            return false;
        }
    }
    return true;
}

bool WeightedMatching::complete()
{
    constexpr size_type many = 4;
    match_tightly();
    size_type num_searched = 0;
    bool is_certain = false;
    for (size_type row = 0; row < a_.num_rows(); ++row) {
        if (column_of_row[row] >= 0) {
            continue;
        }
        augment_or_retire(row);
        num_searched += static_cast<size_type>(final_columns_.size());
        if (num_searched > many * a_.num_rows() && !is_certain) {
            is_certain = can_be_complete();
            if (!is_certain) {
                return false;
            }
        }
    }
    if (num_regions_ > 0) {
        restore_retired();
    }
    return true;
}

bool WeightedMatching::is_tight(size_type row, size_type k) const { return a_.costs[k] - v[a_.columns[k]] <= u[row]; }

size_type WeightedMatching::free_tight_column(size_type row)
{
    for (size_type k = a_.row_ptrs[row] + num_looked_at_[row]; k < a_.row_ptrs[row + 1]; ++k) {
        ++num_looked_at_[row];
        if (row_of_column[a_.columns[k]] < 0 && is_tight(row, k)) {
            return a_.columns[k];
        }
    }
    return -1;
}

void WeightedMatching::take(size_type row, size_type& column)
{
    row_of_column[column] = row;
    std::swap(column_of_row[row], column);
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
        if (size_type column = free_tight_column(row); column >= 0) {
            take(row, column);
        }
    }
}

/// u_i := the least cost of row i beyond the prices, then v_j as far up as all rows let it.
bool WeightedMatching::match_by_prices()
{
    auto prices = auction_prices(a_);
    if (prices.empty()) {
        return false;
    }
    v = std::move(prices);
    std::vector<double> room(v.size(), infinite);
    for (size_type row = 0; row < a_.num_rows(); ++row) {
        double least = infinite;
        for (size_type k = a_.row_ptrs[row]; k < a_.row_ptrs[row + 1]; ++k) {
            least = std::min(least, a_.costs[k] - v[a_.columns[k]]);
        }
        u[row] = least == infinite ? 0 : least;
        for (size_type k = a_.row_ptrs[row]; k < a_.row_ptrs[row + 1]; ++k) {
            auto& of_column = room[a_.columns[k]];
            of_column = std::min(of_column, a_.costs[k] - v[a_.columns[k]] - u[row]);
        }
    }
    for (std::size_t column = 0; column < v.size(); ++column) {
        v[column] += room[column] == infinite ? 0 : room[column];
    }
    std::fill(column_of_row.begin(), column_of_row.end(), size_type{-1});
    std::fill(row_of_column.begin(), row_of_column.end(), size_type{-1});
    std::fill(num_looked_at_.begin(), num_looked_at_.end(), size_type{0});
    return true;
}

/// Phases of paths without a row in common, depth first, until one finds no path [PothenFan90]; every other phase
/// follows the entries of a row from the last to the first [DuffKayaUcar11].
void WeightedMatching::match_tightly()
{
    bool is_found = true;
    for (bool forward = true; is_found; forward = !forward) {
        is_found = false;
        std::fill(is_visited_.begin(), is_visited_.end(), char{0});
        std::fill(num_followed_.begin(), num_followed_.end(), size_type{0});
        for (size_type row = 0; row < a_.num_rows(); ++row) {
            is_found |= column_of_row[row] < 0 && augment_tightly(row, forward);
        }
    }
    std::fill(is_visited_.begin(), is_visited_.end(), char{0});
}

bool WeightedMatching::augment_tightly(size_type root, bool forward)
{
    path_.assign(1, root);
    while (!path_.empty()) {
        const size_type row = path_.back();
        if (size_type column = free_tight_column(row); column >= 0) {
            std::for_each(path_.rbegin(), path_.rend(), [&](size_type i) { take(i, column); });
            return true;
        }
        const size_type first = a_.row_ptrs[row], last = a_.row_ptrs[row + 1] - 1;
        const size_type num_before = num_followed_[row]++;
        if (num_before > last - first) {
            path_.pop_back();
            continue;
        }
        const size_type k = forward ? first + num_before : last - num_before;
        const size_type column = a_.columns[k];
        if (is_visited_[column] == 0 && is_tight(row, k)) {
            is_visited_[column] = 1;
            path_.push_back(row_of_column[column]);
        }
    }
    return false;
}

void WeightedMatching::augment_or_retire(size_type root)
{
    const auto [sink, length] = shortest_path(root);
    if (sink < 0) {
        retire(root);
        return;
    }
    u[root] += length;
    for (const size_type column : final_columns_) {
        const double change = length - distance_[column];
        v[column] -= change;
        u[row_of_column[column]] += change;
    }
    for (size_type column = sink; column >= 0;) {
        take(row_before_[column], column);
    }
    for (const size_type column : touched_columns_) {
        distance_[column] = infinite;
        is_visited_[column] = 0;
    }
}

/// Its columns stay visited.
void WeightedMatching::retire(size_type root)
{
    retired_rows_.push_back(root);
    region_of_row_[root] = num_regions_;
    for (const size_type column : final_columns_) {
        retired_rows_.push_back(row_of_column[column]);
        region_of_row_[row_of_column[column]] = num_regions_;
        region_of_column_[column] = num_regions_;
    }
    ++num_regions_;
}

/// Dijkstra's algorithm, without columns that are farther than a free one. Columns that are no farther than the row
/// need no heap: they come next. [DuffKoster01, 4]
std::pair<size_type, double> WeightedMatching::shortest_path(size_type root)
{
    nearest_.clear();
    equally_near_.clear();
    final_columns_.clear();
    touched_columns_.clear();
    size_type sink = -1;
    double shortest = infinite;  // to a free column
    double length = 0;
    for (size_type row = root; row >= 0;) {
        const double u_row = u[row];
        for (size_type k = a_.row_ptrs[row]; k < a_.row_ptrs[row + 1]; ++k) {
            const size_type column = a_.columns[k];
            const double distance = length + std::max(a_.costs[k] - u_row - v[column], 0.0);
            if (distance >= shortest || distance >= distance_[column] || is_visited_[column] != 0) {
                continue;
            }
            touched_columns_.push_back(column);
            distance_[column] = distance;
            row_before_[column] = row;
            expect_row(row_of_column[column]);
            if (row_of_column[column] < 0) {
                sink = column;
                shortest = distance;
            } else if (distance == length) {
                equally_near_.push_back(column);
            } else {
                nearest_.emplace_back(distance, column);
                std::push_heap(nearest_.begin(), nearest_.end(), std::greater<>());
            }
        }
        const size_type column = take_nearest(length, shortest);
        row = -1;
        if (column >= 0) {
            is_visited_[column] = 1;
            final_columns_.push_back(column);
            row = row_of_column[column];
        }
    }
    return {sink, shortest};
}

void WeightedMatching::expect_row(size_type row) const
{
    if (row >= 0) {
        __builtin_prefetch(&a_.row_ptrs[row]);
        __builtin_prefetch(&u[row]);
    }
}

void WeightedMatching::expect_entries(size_type row) const
{
    __builtin_prefetch(&a_.columns[a_.row_ptrs[row]]);
    __builtin_prefetch(&a_.costs[a_.row_ptrs[row]]);
}

size_type WeightedMatching::take_nearest(double& length, double shortest)
{
    while (!equally_near_.empty() && length < shortest) {
        const size_type column = equally_near_.back();
        equally_near_.pop_back();
        if (is_visited_[column] == 0) {
            return column;
        }
    }
    while (!nearest_.empty() && nearest_.front().first < shortest) {
        const auto [distance, column] = nearest_.front();
        std::pop_heap(nearest_.begin(), nearest_.end(), std::greater<>());
        nearest_.pop_back();
        if (is_visited_[column] == 0) {
            if (!nearest_.empty()) {
                expect_entries(row_of_column[nearest_.front().second]);
            }
            length = distance;
            return column;
        }
    }
    return -1;
}

/// Rows of a region have entries in its columns and those of earlier regions only. So u may grow and v shrink by one
/// number for a whole region, as much as rows outside need, whose u have grown since. The last region comes first.
void WeightedMatching::restore_retired()
{
    std::vector<double> change(static_cast<std::size_t>(num_regions_), 0.0);
    const auto require = [&](size_type row) {
        for (size_type k = a_.row_ptrs[row]; k < a_.row_ptrs[row + 1]; ++k) {
            const size_type column = a_.columns[k];
            const size_type region = region_of_column_[column];
            if (region >= 0 && region != region_of_row_[row]) {
                change[region] = std::max(change[region], u[row] + v[column] - a_.costs[k]);
            }
        }
    };
    for (size_type row = 0; row < a_.num_rows(); ++row) {
        if (region_of_row_[row] < 0) {
            require(row);
        }
    }
    std::for_each(retired_rows_.rbegin(), retired_rows_.rend(), [&](size_type row) {
        u[row] += change[region_of_row_[row]];
        if (const size_type column = column_of_row[row]; column >= 0) {
            v[column] -= change[region_of_row_[row]];
        }
        require(row);
    });
}

}  // namespace linden::detail
