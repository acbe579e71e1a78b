#include "core/matrix/auction_prices.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>

namespace linden::detail {
namespace {

/// Costs in single precision, beside their columns: bids wait for memory, and need not be exact. A row's last one has
/// -1 - column.
struct Offer {
    std::int32_t column;
    float cost;
};

/// A column, and the first offer of the row that has it, -1: none. At most 256 deep, prices are exact to 3e-5.
struct Ware {
    float price = 0;
    std::int32_t buyer = -1;
};

/// Rows that bid in turn: a bid waits for the memory of the row that lost its column in the last one, and bids of
/// several rows wait together.
constexpr size_type num_bidders = 4;

class Auction {
public:
    explicit Auction(const MatchingCosts& costs) : wares_(static_cast<std::size_t>(costs.num_rows()))
    {
        offers_.reserve(costs.columns.size());
        for (std::size_t row = 0; row < wares_.size(); ++row) {
            for (auto k = costs.row_ptrs[row]; k < costs.row_ptrs[row + 1]; ++k) {
                const bool is_last = k + 1 == costs.row_ptrs[row + 1];
                const auto column = static_cast<std::int32_t>(costs.columns[k]);
                offers_.push_back({is_last ? -1 - column : column, static_cast<float>(costs.costs[k])});
            }
        }
    }

    /// All rows bid anew, by `step` beyond what the second best column is worth, until a few have no column. Whether
    /// that came to pass.
    bool hold(const MatchingCosts& costs, float step)
    {
        constexpr size_type most_bids_each = 16, few = 5000;
        const size_type num_rows = costs.num_rows();
        std::for_each(wares_.begin(), wares_.end(), [](Ware& ware) { ware.buyer = -1; });
        std::array<std::int32_t, num_bidders> bidders;
        bidders.fill(-1);
        size_type next = 0, num_bids = 0, num_bidding = 0;
        do {
            num_bidding = 0;
            for (auto& row : bidders) {
                row = row < 0 ? next_bidder(costs, next) : row;
                if (row >= 0) {
                    row = bid(row, step);
                    ++num_bidding;
                }
            }
            num_bids += num_bidding;
            if (num_bids > most_bids_each * num_rows) {
                return false;
            }
        } while (num_bidding > 0 && (num_rows - next) * few >= num_rows);
        return true;
    }

    std::vector<double> prices() const
    {
        std::vector<double> prices(wares_.size());
        std::transform(wares_.begin(), wares_.end(), prices.begin(), [](const Ware& ware) { return ware.price; });
        return prices;
    }

private:
    /// The first offer of the next row that has any, -1: none.
    static std::int32_t next_bidder(const MatchingCosts& costs, size_type& next)
    {
        while (next < costs.num_rows()) {
            const size_type row = next++;
            if (costs.row_ptrs[row] < costs.row_ptrs[row + 1]) {
                return static_cast<std::int32_t>(costs.row_ptrs[row]);
            }
        }
        return -1;
    }

    /// Of the row whose offers begin here; returns those of the row that had the column, -1 if none had it. A row whose
    /// best column is that dear gives up: more rows than columns may bid for the same ones, without an end, and prices
    /// are to stay logarithms of scalings.
    std::int32_t bid(std::int32_t row, float step)
    {
        constexpr float infinite = std::numeric_limits<float>::infinity(), most = 16, least_price = -256;
        float best = infinite, second = infinite;
        std::int32_t best_column = -1;
        const Offer* offer = offers_.data() + row;
        for (bool is_last = false; !is_last; ++offer) {
            is_last = offer->column < 0;
            const std::int32_t column = is_last ? -1 - offer->column : offer->column;
            const float cost = offer->cost - wares_[column].price;
            second = std::min(second, std::max(best, cost));  // without branches, whose outcome is any
            best_column = cost < best ? column : best_column;
            best = std::min(best, cost);
        }
        if (best_column < 0 || wares_[best_column].price < least_price) {
            return -1;
        }
        Ware& ware = wares_[best_column];
        ware.price -= std::min(second - best, most) + step;
        return std::exchange(ware.buyer, row);
    }

    std::vector<Offer> offers_;
    std::vector<Ware> wares_;
};

}  // namespace

std::vector<double> auction_prices(const MatchingCosts& costs)
{
    constexpr size_type counted = std::numeric_limits<std::int32_t>::max();
    if (costs.num_rows() > counted || static_cast<size_type>(costs.columns.size()) > counted) {
        return {};
    }
    Auction auction(costs);
    std::vector<double> prices;
    for (const float step : {2.0F, 0.3F, 0.05F, 0.01F, 0.002F}) {
        if (!auction.hold(costs, step)) {
            break;
        }
        prices = auction.prices();
    }
    return prices;
}

}  // namespace linden::detail
