#pragma once

#include <linden/distributed/communicator.hpp>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "core/base/block_sums.hpp"

namespace linden {

class PendingExchange;

/// Makes sums over the rows of one rank those of all ranks. Each rank adds the parts of all ranks in the order of
/// ranks, so that all get the same bits, in every run; where the communicator asks for reproducible sums, in the order
/// of `BlockSums`, so that they have the same bits on any number of ranks. Owned by a workspace of host executors,
/// whose header points to it.
///
/// Sums that are not needed at once can wait for later ones, so that one message has them all: between `hold` and
/// `release`, `submit` keeps those of kernels that allow for it. They are on their way from `start` on: work that needs
/// no other sums hides their time.
class RankSums {
public:
    explicit RankSums(Communicator communicator) : communicator_(std::move(communicator)) {}

    /// Whether sums are to be formed block by block, of `sum_block_rows` rows.
    bool is_reproducible() const { return communicator_.is_reproducible(); }
    /// The number of the first own block.
    std::int64_t first_block() const { return communicator_.own_rows().first / sum_block_rows; }

    /// finish(totals) with the sums of all ranks in place of the own ones: at once, or, if it `may_wait`, at the
    /// release; at once where there is one rank. Sums are combined by add(total, part). Collective.
    template <class T, class Add, class Finish>
    void submit(const T* values, size_type count, const Add& add, const Finish& finish, bool may_wait)
    {
        if (communicator_.is_single()) {
            finish(values);
            return;
        }
        const auto bytes = static_cast<std::size_t>(count) * sizeof(T);
        std::byte* const mine = room_for(bytes);
        std::memcpy(mine, values, bytes);
        const auto arrive = [this, count, bytes, add, finish](std::size_t at) {
            std::vector<T> totals(static_cast<std::size_t>(count));
            std::memcpy(totals.data(), of_rank(0) + at, bytes);
            for (int rank = 1; rank < communicator_.size(); ++rank) {
                for (size_type i = 0; i < count; ++i) {
                    T part;
                    std::memcpy(&part, of_rank(rank) + at + static_cast<std::size_t>(i) * sizeof(T), sizeof part);
                    add(totals[static_cast<std::size_t>(i)], part);
                }
            }
            finish(static_cast<const T*>(totals.data()));
        };
        keep_or_send(arrive, may_wait);
    }
    /// The same for sums of blocks.
    template <class T, class Add, class Finish>
    void submit(const BlockSums<T>& own, size_type count, const Add& add, const Finish& finish, bool may_wait)
    {
        using Sums = BlockSums<T>;
        if (communicator_.is_single()) {
            const auto totals = own.total(add);
            finish(totals.data());
            return;
        }
        const auto most_blocks = (communicator_.own_rows().most + sum_block_rows - 1) / sum_block_rows;
        const auto most_nodes = Sums::most_nodes(most_blocks);
        if (own.num_nodes() > most_nodes) {
            throw Error("a reproducible sum over more rows than the operator's communicator knows of");
        }
        const auto bytes = static_cast<std::size_t>(most_nodes) * Sums::node_bytes(count);
        std::byte* const mine = room_for(sizeof(std::int64_t) + bytes);
        const std::int64_t num_nodes = own.num_nodes();
        std::memcpy(mine, &num_nodes, sizeof num_nodes);
        own.write(mine + sizeof num_nodes);
        const auto arrive = [this, count, add, finish](std::size_t at) {
            Sums all(count);
            for (int rank = 0; rank < communicator_.size(); ++rank) {
                std::int64_t nodes = 0;
                std::memcpy(&nodes, of_rank(rank) + at, sizeof nodes);
                all.append_written(of_rank(rank) + at + sizeof nodes, nodes, add);
            }
            const auto totals = all.total(add);
            finish(totals.data());
        };
        keep_or_send(arrive, may_wait);
    }

    /// act() when what is held has been finished: at once, if nothing is.
    template <class Act>
    void after(const Act& act)
    {
        if (held_.empty()) {
            act();
        } else {
            held_.push_back({0, [act](std::size_t) { act(); }});
        }
    }

    bool is_holding() const { return is_holding_; }
    void hold() { is_holding_ = true; }
    /// Begins to send what is held, if there is anything. Until the release nothing can be submitted. Collective.
    void start();
    /// Sends what is held, or waits for it, and finishes it in the order in which it came. Collective.
    void release();
    /// Ends holding without sending: the act that held sums has failed.
    void discard() noexcept;

    /// The time on rank 0 at the last message, in nanoseconds of its clock; null where there is one rank.
    const std::int64_t* clock() const { return communicator_.is_single() ? nullptr : &clock_; }

private:
    /// In front of the values of each message: the time of its rank.
    static constexpr std::size_t header_bytes = 16;
    /// finish with what all ranks have at this offset of their messages
    using Arrival = std::function<void(std::size_t)>;
    struct Held {
        std::size_t at;
        Arrival arrive;
    };

    /// Room behind what is held. The last one asked for is that of the next `keep_or_send`.
    std::byte* room_for(std::size_t bytes);
    template <class Arrive>
    void keep_or_send(const Arrive& arrive, bool may_wait)
    {
        if (is_holding_ && may_wait) {
            held_.push_back({begin_of_last_, arrive});
            held_bytes_ = mine_.size();
            return;
        }
        exchange();
        arrive(begin_of_last_);
        mine_.resize(held_bytes_);
    }
    void stamp();
    void exchange();
    const std::byte* of_rank(int rank) const { return all_.data() + static_cast<std::size_t>(rank) * mine_.size(); }

    Communicator communicator_;
    std::vector<std::byte> mine_, all_;
    std::size_t begin_of_last_ = 0;
    std::size_t held_bytes_ = header_bytes;  // of mine_
    std::vector<Held> held_;
    bool is_holding_ = false;
    std::int64_t clock_ = 0;
    std::shared_ptr<PendingExchange> pending_;  // of what is held
};

}  // namespace linden
