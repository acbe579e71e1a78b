#include "core/matrix/auction_prices.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace linden::detail {
namespace {

/// Costs in single precision, beside their columns: bids wait for memory, and need not be exact.
struct Offer {
    std::int32_t column;
    float cost;
};

class Auction {
public:
    explicit Auction(const MatchingCosts& costs)
        : row_ptrs_(costs.row_ptrs),
          row_of_column_(static_cast<std::size_t>(costs.num_rows())),
          prices_(row_of_column_.size(), 0)
    {
        offers_.reserve(costs.columns.size());
        for (std::size_t k = 0; k < costs.columns.size(); ++k) {
            offers_.push_back({static_cast<std::int32_t>(costs.columns[k]), static_cast<float>(costs.costs[k])});
        }
    }

    /// All rows bid anew, by `step` beyond what the second best column is worth, until a few have no column. Whether
    /// that came to pass.
    bool hold(double step)
    {
        constexpr size_type most_bids_each = 16, few = 20;
        const auto num_rows = static_cast<size_type>(row_of_column_.size());
        std::fill(row_of_column_.begin(), row_of_column_.end(), -1);
        size_type num_free = num_rows, num_bids = 0;
        for (size_type first = 0; first < num_rows; ++first) {
            for (size_type row = first; row >= 0; ++num_bids) {
                if (num_bids > most_bids_each * num_rows) {
                    return false;
                }
                row = bid(row, step);
            }
            --num_free;
            if (num_free * few < num_rows) {
                return true;
            }
        }
        return true;
    }

    const std::vector<double>& prices() const { return prices_; }

private:
    /// Returns the row that had the column, -1 if none had it or there is no column.
    size_type bid(size_type row, double step)
    {
        constexpr double infinite = std::numeric_limits<double>::infinity(), most = 16;
        double best = infinite, second = infinite;
        std::int32_t column = -1;
        for (size_type k = row_ptrs_[row]; k < row_ptrs_[row + 1]; ++k) {
            const double cost = offers_[k].cost - prices_[offers_[k].column];
            if (cost < best) {
                second = best;
                best = cost;
                column = offers_[k].column;
            } else {
                second = std::min(second, cost);
            }
        }
        if (column < 0) {
            return -1;
        }
        prices_[column] -= std::min(second - best, most) + step;
        return std::exchange(row_of_column_[column], static_cast<std::int32_t>(row));
    }

    const std::vector<size_type>& row_ptrs_;
    std::vector<Offer> offers_;
    std::vector<std::int32_t> row_of_column_;
    std::vector<double> prices_;
};

}  // namespace

std::vector<double> auction_prices(const MatchingCosts& costs)
{
    if (costs.num_rows() > std::numeric_limits<std::int32_t>::max()) {
        return {};
    }
    Auction auction(costs);
    std::vector<double> prices;
    for (const double step : {2.0, 0.25, 0.03}) {
        if (!auction.hold(step)) {
            break;
        }
        prices = auction.prices();
    }
    return prices;
}

}  // namespace linden::detail
