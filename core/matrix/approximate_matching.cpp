#include <linden/array.hpp>
#include <linden/reorder/matching.hpp>

#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/kernels/auction.hpp"
#include "core/kernels/auction_bid.hpp"
#include "core/matrix/matching_scaling.hpp"
#include "core/matrix/square.hpp"
#include "core/matrix/weighted_matching.hpp"

// instantiate: Matching approximate_product_matching<V, I>(const Csr<V, I>&)

namespace linden {
namespace {

/// The only thread that finds a row's bid.
struct OneThread {
    static constexpr int size = 1;
    static constexpr int lane() { return 0; }
    static constexpr std::int64_t max(std::int64_t value) { return value; }
};

/// An auction of a matrix's columns among its rows, on its executor.
template <class I>
class Auction {
public:
    template <class V>
    explicit Auction(const Csr<V, I>& a)
        : exec_(a.executor()),
          pattern_(a.view()),
          row_ptrs_(exec_),
          col_idxs_(exec_),
          costs_(exec_, a.num_nonzeros()),
          largest_(exec_, a.size().rows),
          prices_(exec_, a.size().rows),
          bids_(exec_, a.size().rows),
          offers_(exec_, a.size().rows),
          column_of_row_(exec_, a.size().rows),
          row_of_column_(exec_, a.size().rows),
          num_left_(exec_, 1)
    {
        auction_find_costs<V, I>(exec_, a.view(), costs_.data(), largest_.data());
        set_state();
        auction_start<I>(exec_, pattern_.rows, state_);
        auction_open<I>(exec_, pattern_, state_);
        hold();
    }

    /// Nothing where there is no column for some row.
    std::optional<Matching> matching()
    {
        if (left_ > 0) {
            move_to_host();
            bid_in_turn();
        }
        Array<std::int64_t> least(exec_, pattern_.rows);
        auction_conclude<I>(exec_, pattern_, state_, least.data());
        Pairs pairs{column_of_row_.to_host(), bids_.to_host(), in_doubles(least), in_doubles(prices_)};
        if (left_ > 0) {
            match_rest(pairs);
        }
        return result(std::move(pairs));
    }

private:
    static int bits_of(size_type number)
    {
        int bits = 1;
        while (number >> bits > 0) {
            ++bits;
        }
        return bits;
    }

    void set_state()
    {
        state_ = {.row_bits = bits_of(pattern_.rows - 1),
                  .costs = costs_.data(),
                  .prices = prices_.data(),
                  .bids = bids_.data(),
                  .offers = offers_.data(),
                  .column_of_row = column_of_row_.data(),
                  .row_of_column = row_of_column_.data()};
    }

    /// Rounds as long as they match half of the rows that are left.
    void hold()
    {
        constexpr int rounds_at_once = 16;
        left_ = pattern_.rows;
        for (size_type before = 2 * left_ + 1; left_ > 0 && 2 * left_ < before;) {
            for (int round = 0; round < rounds_at_once; ++round) {
                auction_bid<I>(exec_, pattern_, state_);
                auction_settle<I>(exec_, pattern_.rows, state_);
            }
            before = left_;
            left_ = count_left();
        }
    }
    size_type count_left()
    {
        const std::uint64_t none = 0;
        num_left_.copy_from_host(&none);
        auction_count_left<I>(exec_, pattern_.rows, column_of_row_.data(), num_left_.data());
        return static_cast<size_type>(num_left_.to_host().front());
    }

    void move_to_host()
    {
        if (exec_.is_host()) {
            return;
        }
        const auto host = detail::host();
        row_ptrs_ = Array<I>(host, on_host(pattern_.row_ptrs, pattern_.rows + 1));
        col_idxs_ = Array<I>(host, on_host(pattern_.col_idxs, pattern_.num_nonzeros));
        pattern_.row_ptrs = row_ptrs_.data();
        pattern_.col_idxs = col_idxs_.data();
        costs_ = costs_.clone(host);
        prices_ = prices_.clone(host);
        bids_ = bids_.clone(host);
        column_of_row_ = column_of_row_.clone(host);
        row_of_column_ = row_of_column_.clone(host);
        exec_ = host;
        set_state();
    }
    template <class T>
    std::vector<T> on_host(const T* data, size_type count) const
    {
        std::vector<T> result(static_cast<std::size_t>(count));
        copy_bytes(exec_, data, detail::host(), result.data(), result.size() * sizeof(T));
        return result;
    }

    /// The rows that are left bid one after the other, on the host, until none is left or too many bids have been made.
    void bid_in_turn()
    {
        std::vector<I> waiting;
        for (size_type row = 0; row < pattern_.rows; ++row) {
            if (state_.column_of_row[row] < 0) {
                waiting.push_back(static_cast<I>(row));
            }
        }
        const std::size_t most_bids = 8 * static_cast<std::size_t>(pattern_.rows) + 100000;
        std::size_t num_bids = 0;
        for (; num_bids < waiting.size() && num_bids < most_bids; ++num_bids) {
            const I row = waiting[num_bids];
            const auto bid = find_bid(OneThread(), pattern_, state_, row);
            if (bid.column < 0) {
                break;
            }
            if (const I before = take_column(state_, row, bid.column, step_of(bid, state_)); before >= 0) {
                waiting.push_back(before);
            }
        }
        left_ = static_cast<size_type>(waiting.size() - num_bids);
    }

    struct Pairs {
        std::vector<I> column_of_row;
        std::vector<std::int64_t> costs;
        std::vector<double> u, v;  ///< cost_ij >= u_i + v_j, for pairs at most steps.least more
    };

    /// Those of columns without entries, which have none, become 0.
    static std::vector<double> in_doubles(const Array<std::int64_t>& numbers)
    {
        std::vector<double> result;
        result.reserve(static_cast<std::size_t>(numbers.size()));
        for (const auto number : numbers.to_host()) {
            result.push_back(number == std::numeric_limits<std::int64_t>::max() ? 0.0 : static_cast<double>(number));
        }
        return result;
    }

    /// Finds columns for the rows that are left along shortest paths: where costs of pairs are lowered to
    /// u_i + v_j, pairs and dual variables are what these start from.
    void match_rest(Pairs& pairs) const
    {
        const I* const row_ptrs = pattern_.row_ptrs;
        const I* const columns = pattern_.col_idxs;
        const auto* const costs = state_.costs;
        detail::MatchingCosts lowered{{0}, {}, {}};
        lowered.row_ptrs.reserve(static_cast<std::size_t>(pattern_.rows) + 1);
        lowered.columns.reserve(static_cast<std::size_t>(pattern_.num_nonzeros));
        lowered.costs.reserve(static_cast<std::size_t>(pattern_.num_nonzeros));
        for (size_type row = 0; row < pattern_.rows; ++row) {
            for (I k = row_ptrs[row]; k < row_ptrs[row + 1]; ++k) {
                const I column = columns[k];
                if (costs[k] != no_auction_cost) {
                    const bool is_pair = column == pairs.column_of_row[row];
                    lowered.columns.push_back(column);
                    lowered.costs.push_back(is_pair ? pairs.u[row] + pairs.v[column] : costs[k]);
                }
            }
            lowered.row_ptrs.push_back(static_cast<size_type>(lowered.columns.size()));
        }
        const auto columns_before = detail::rename_columns(lowered);
        std::vector<size_type> name(columns_before.size()), start;
        for (std::size_t column = 0; column < name.size(); ++column) {
            name[columns_before[column]] = static_cast<size_type>(column);
        }
        for (const I column : pairs.column_of_row) {
            start.push_back(column < 0 ? -1 : name[column]);
        }
        detail::WeightedMatching all(lowered, std::move(start), std::move(pairs.u),
                                     detail::by_new_names(columns_before, pairs.v));
        pairs.u = std::move(all.u);
        pairs.v = detail::by_old_names(columns_before, all.v);
        for (size_type row = 0; row < pattern_.rows; ++row) {
            const auto column = all.column_of_row[row];
            pairs.column_of_row[row] = column < 0 ? I{-1} : static_cast<I>(columns_before[column]);
            for (I k = row_ptrs[row]; k < row_ptrs[row + 1]; ++k) {
                pairs.costs[row] = columns[k] == pairs.column_of_row[row] ? costs[k] : pairs.costs[row];
            }
        }
    }

    /// Logarithms of entries exceed those in integers by less than 1.01 units, for which bids leave room.
    std::optional<Matching> result(Pairs pairs) const
    {
        constexpr double room = 2, log_unit = 0.69314718055994530942 / auction_octave;
        const auto largest = largest_.to_host();
        Matching matching;
        matching.num_matched = pattern_.rows;
        matching.column_of_row.assign(pairs.column_of_row.begin(), pairs.column_of_row.end());
        for (std::size_t row = 0; row < largest.size(); ++row) {
            if (pairs.column_of_row[row] < 0) {
                return std::nullopt;
            }
            matching.log_product += static_cast<double>(largest[row] - pairs.costs[row]) * log_unit;
            pairs.u[row] = (pairs.u[row] - room - largest[row]) * log_unit;
        }
        for (auto& x : pairs.v) {
            x *= log_unit;
        }
        detail::set_scaling(matching, std::move(pairs.u), std::move(pairs.v));
        return matching;
    }

    Executor exec_;
    PatternView<I> pattern_;
    Array<I> row_ptrs_, col_idxs_;  ///< on the host, of a device's matrix
    Array<std::int32_t> costs_, largest_;
    Array<std::int64_t> prices_, bids_;
    Array<std::uint64_t> offers_;
    Array<I> column_of_row_, row_of_column_;
    Array<std::uint64_t> num_left_;
    AuctionState<I> state_;
    size_type left_ = 0;
};

}  // namespace

template <class V, class I>
Matching approximate_product_matching(const Csr<V, I>& a)
{
    detail::square("approximate_product_matching", a.size());
    if (auto matching = Auction<I>(a).matching()) {
        return *std::move(matching);
    }
    return maximum_product_matching(a);
}

}  // namespace linden
