#pragma once

#include "core/base/math.hpp"
#include "core/kernels/auction.hpp"
#include "core/kernels/auction_bid.hpp"
#include "core/portable/atomics.hpp"
#include "core/portable/body.hpp"
#include "core/portable/fixed_log.hpp"
#include "core/portable/lanes.hpp"

namespace linden {

template <class V, class I>
struct FindAuctionCosts {
    CsrView<V, I> a;
    std::int32_t* costs;
    std::int32_t* largest;

    LINDEN_HOST_DEVICE size_type size() const { return a.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return a.num_nonzeros; }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type row) const
    {
        std::int32_t most = -no_auction_cost;
        for (size_type k = a.row_ptrs[row] + Lanes::lane(); k < a.row_ptrs[row + 1]; k += Lanes::size) {
            const V value = a.values[k];
            const bool has_log = is_finite(value) && !(value == V{});
            const std::int32_t log = has_log ? log_of(value) : -no_auction_cost;
            costs[k] = log;
            most = log > most ? log : most;
        }
        most = Lanes::max(most);
        for (size_type k = a.row_ptrs[row] + Lanes::lane(); k < a.row_ptrs[row + 1]; k += Lanes::size) {
            costs[k] = costs[k] == -no_auction_cost ? no_auction_cost : most - costs[k];
        }
        if (Lanes::lane() == 0) {
            largest[row] = most == -no_auction_cost ? 0 : most;
        }
    }

private:
    LINDEN_HOST_DEVICE static std::int32_t log_of(V value)
    {
        if constexpr (is_complex<V>) {
            return fixed_log2(real(value), imag(value));
        } else {
            return fixed_log2(value, 0);
        }
    }
};

template <class I>
struct StartAuction {
    size_type n;
    AuctionState<I> state;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const
    {
        state.prices[i] = std::numeric_limits<std::int64_t>::max();
        state.bids[i] = 0;
        state.offers[i] = no_auction_offer;
        state.column_of_row[i] = state.row_of_column[i] = -1;
    }
};

template <class I>
struct OpenAuction {
    PatternView<I> a;
    AuctionState<I> state;

    LINDEN_HOST_DEVICE size_type size() const { return a.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return a.num_nonzeros; }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type row) const
    {
        for (size_type k = a.row_ptrs[row] + Lanes::lane(); k < a.row_ptrs[row + 1]; k += Lanes::size) {
            if (state.costs[k] != no_auction_cost) {
                atomic_lower(reinterpret_cast<std::uint64_t*>(state.prices + a.col_idxs[k]),
                             static_cast<std::uint64_t>(state.costs[k]));
            }
        }
    }
};

template <class I>
struct BidInAuction {
    static constexpr bool is_often_idle = true;

    PatternView<I> a;
    AuctionState<I> state;

    LINDEN_HOST_DEVICE size_type size() const { return a.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return a.num_nonzeros; }
    LINDEN_HOST_DEVICE size_type length(size_type row) const
    {
        return state.column_of_row[row] >= 0 ? -1 : row_length(a, row);
    }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes lanes, size_type row) const
    {
        const AuctionBid bid = find_bid(lanes, a, state, row);
        if (Lanes::lane() == 0 && bid.column >= 0) {
            state.bids[row] = step_of(bid, state);
            const auto order = static_cast<std::uint64_t>(state.steps.most - bid.gap);
            atomic_lower(state.offers + bid.column, order << state.row_bits | static_cast<std::uint64_t>(row));
        }
    }
};

template <class I>
struct SettleAuction {
    size_type n;
    AuctionState<I> state;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type column) const
    {
        const std::uint64_t offer = state.offers[column];
        if (offer == no_auction_offer) {
            return;
        }
        const auto row = static_cast<size_type>(offer & ((std::uint64_t{1} << state.row_bits) - 1));
        take_column(state, row, column, state.bids[row]);
        state.offers[column] = no_auction_offer;
    }
};

template <class I>
struct CountRowsLeft {
    size_type n;
    const I* column_of_row;
    std::uint64_t* count;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        if (column_of_row[row] < 0) {
            atomic_increase(count, 1);
        }
    }
};

template <class I>
struct ConcludeAuction {
    PatternView<I> a;
    AuctionState<I> state;
    std::int64_t* least;

    LINDEN_HOST_DEVICE size_type size() const { return a.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return a.num_nonzeros; }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes lanes, size_type row) const
    {
        constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
        std::int64_t found = none, pair_cost = 0;
        for (size_type k = a.row_ptrs[row] + Lanes::lane(); k < a.row_ptrs[row + 1]; k += Lanes::size) {
            if (state.costs[k] != no_auction_cost) {
                const std::int64_t cost = state.costs[k] - state.prices[a.col_idxs[k]];
                found = cost < found ? cost : found;
                pair_cost = a.col_idxs[k] == state.column_of_row[row] ? state.costs[k] : pair_cost;
            }
        }
        found = least_of_lanes(lanes, found);
        pair_cost = Lanes::max(pair_cost);
        if (Lanes::lane() == 0) {
            least[row] = found == none ? 0 : found;
            state.bids[row] = pair_cost;
        }
    }
};

template <class F>
void for_each_portable_auction(const F& f)
{
    for_each_value_index([&]<class V, class I>() { f(auction_find_costs<V, I>, BodyOf<FindAuctionCosts<V, I>>()); });
    for_each_index([&]<class I>() {
        f(auction_start<I>, BodyOf<StartAuction<I>>());
        f(auction_open<I>, BodyOf<OpenAuction<I>>());
        f(auction_bid<I>, BodyOf<BidInAuction<I>>());
        f(auction_settle<I>, BodyOf<SettleAuction<I>>());
        f(auction_count_left<I>, BodyOf<CountRowsLeft<I>>());
        f(auction_conclude<I>, BodyOf<ConcludeAuction<I>>());
    });
}

}  // namespace linden
