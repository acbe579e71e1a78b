#pragma once

#include <cstdint>
#include <limits>

#include "core/base/host_device.hpp"
#include "core/kernels/auction.hpp"

/// What rows and columns do in an auction, alike in rounds and one row after the other. Lanes are the threads that find
/// a row's bid together, as core/portable/lanes.hpp has them.
namespace linden {

/// The least value of all lanes.
template <class Lanes, class T>
LINDEN_HOST_DEVICE T least_of_lanes(Lanes, T value)
{
    return -Lanes::max(-value);
}

/// The column that a row bids for, -1 if it has no entry that counts; and how much more the second best one costs.
struct AuctionBid {
    std::int64_t column = -1;
    std::int64_t gap = 0;
};

/// In all lanes. No column is the second best one if a row has one alone.
template <class Lanes, class I>
LINDEN_HOST_DEVICE AuctionBid find_bid(Lanes lanes, const PatternView<I>& a, const AuctionState<I>& state,
                                       size_type row)
{
    constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
    // Twice the cost, and 1 for columns that have a row.
    std::int64_t best = none, second = none, column = none;
    for (size_type k = a.row_ptrs[row] + Lanes::lane(); k < a.row_ptrs[row + 1]; k += Lanes::size) {
        if (state.costs[k] == no_auction_cost) {
            continue;
        }
        const I col = a.col_idxs[k];
        const std::int64_t cost = 2 * (state.costs[k] - state.prices[col]) + (state.row_of_column[col] < 0 ? 0 : 1);
        if (cost < best || (cost == best && col < column)) {
            second = best;
            best = cost;
            column = col;
        } else {
            second = cost < second ? cost : second;
        }
    }
    const std::int64_t best_of_all = least_of_lanes(lanes, best);
    const std::int64_t chosen = least_of_lanes(lanes, best == best_of_all ? column : none);
    const std::int64_t second_of_all = least_of_lanes(lanes, column == chosen ? second : best);
    if (best_of_all == none) {
        return {};
    }
    const std::int64_t gap = second_of_all == none ? none : (second_of_all >> 1) - (best_of_all >> 1);
    return {chosen, gap < state.steps.most ? gap : state.steps.most};
}

/// How much a bid lowers the price of its column.
template <class I>
LINDEN_HOST_DEVICE std::int64_t step_of(const AuctionBid& bid, const AuctionState<I>& state)
{
    return state.row_of_column[bid.column] < 0 ? 0 : state.steps.least + bid.gap;
}

/// Returns the row that had the column, -1 if none had it.
template <class I>
LINDEN_HOST_DEVICE I take_column(const AuctionState<I>& state, size_type row, size_type column, std::int64_t step)
{
    const I before = state.row_of_column[column];
    if (before >= 0) {
        state.column_of_row[before] = -1;
    }
    state.row_of_column[column] = static_cast<I>(row);
    state.column_of_row[row] = static_cast<I>(column);
    state.prices[column] -= step;
    return before;
}

}  // namespace linden
