#pragma once

#include <linden/views.hpp>

#include <cstdint>
#include <limits>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

/// A matching of a square matrix whose product of magnitudes is nearly the largest, by an auction [Bertsekas88]: rows
/// without a column bid for the one that costs them least, cost_ij - price_j, all at once; who bids most gets it, and
/// the row that had it bids again.
///
/// Costs are logarithms in integers, and so every executor finds the same pairs, in any order of work. Columns of A are
/// unique within rows.
namespace linden {

/// Unit of costs and prices: 2^-16 in the logarithm to base 2.
inline constexpr std::int32_t auction_octave = 1 << 16;
/// Of entries that cannot be matched.
inline constexpr std::int32_t no_auction_cost = std::numeric_limits<std::int32_t>::max();
inline constexpr std::uint64_t no_auction_offer = ~std::uint64_t{0};

/// How much a bid changes a price.
struct AuctionSteps {
    std::int64_t least = auction_octave - 4;  ///< beyond the cost of the second best column
    std::int64_t most = 8 * auction_octave;   ///< to the cost of the second best column
};

/// An auction of n rows and columns.
template <class I>
struct AuctionState {
    AuctionSteps steps{};
    int row_bits = 0;                     ///< those of n - 1
    const std::int32_t* costs = nullptr;  ///< of entries
    std::int64_t* prices = nullptr;       ///< n: never rise
    std::int64_t* bids = nullptr;         ///< n: by how much the row would lower the price
    std::uint64_t* offers = nullptr;      ///< n: of a column, the best bid for it and its row; the least is the best
    I* column_of_row = nullptr;           ///< n: -1: none
    I* row_of_column = nullptr;           ///< n
};

/// costs[k] := log |largest entry of the row| - log |a_ij| for entry k, to the unit below for each logarithm;
/// no_auction_cost for zeros and what is not finite.  largest[i] := the logarithm of the largest entry of row i, 0 for
/// rows without one.
/// a: n x n; costs: one for each entry; largest: n. Deterministic, the same on every backend. Reads a once.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, std::int32_t* costs, std::int32_t* largest)> auction_find_costs{
    "auction::find_costs", types_of<V, I>};

/// The state before the first round: no pairs, no offers, prices[j] := the largest number.
template <class I>
inline constinit kernel<void(size_type n, AuctionState<I> state)> auction_start{"auction::start", types_of<I>};

/// prices[j] := the least cost of an entry of column j, which has no lower price before. Deterministic: atomic minima
/// of integers.
template <class I>
inline constinit kernel<void(PatternView<I> a, AuctionState<I> state)> auction_open{"auction::open", types_of<I>};

/// Each row i without a column bids for the column j of its least cost c_ij = costs - price, of equal ones the first
/// without a row, else the first. Let gap be the second least cost less that one, at most steps.most:  bids[i] := 0
/// where j has no row, else steps.least + gap;  offers[j] := the bid of the largest gap, of equal ones that of the
/// first row. So c_ij with the price that i pays exceeds no other cost of row i by more than steps.least, then and
/// later. Deterministic: atomic minima of integers. Reads rows without a column, and the price of each column there.
template <class I>
inline constinit kernel<void(PatternView<I> a, AuctionState<I> state)> auction_bid{"auction::bid", types_of<I>};

/// Columns take their best offers: prices[j] -= bids[i], and the row that had column j has none any more. No offers are
/// left. Deterministic. Reads n offers.
template <class I>
inline constinit kernel<void(size_type n, AuctionState<I> state)> auction_settle{"auction::settle", types_of<I>};

/// *count += the number of rows without a column. Deterministic: an atomic sum of integers. Reads n columns.
template <class I>
inline constinit kernel<void(size_type n, const I* column_of_row, std::uint64_t* count)> auction_count_left{
    "auction::count_left", types_of<I>};

/// least[i] := the least of costs - prices in row i, 0 for rows without any;  bids[i] := the cost of the row's pair, 0
/// if it has none.  least: n values. Deterministic. Reads a once, and the price of each column there.
template <class I>
inline constinit kernel<void(PatternView<I> a, AuctionState<I> state, std::int64_t* least)> auction_conclude{
    "auction::conclude", types_of<I>};

}  // namespace linden
