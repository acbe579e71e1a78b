#pragma once

#include <linden/array.hpp>
#include <linden/distributed/partition.hpp>
#include <linden/matrix/dense.hpp>

#include <optional>

#include "core/distributed/transport.hpp"
#include "core/kernels/dense.hpp"

namespace linden::distributed {

/// Which rows are exchanged with whom, so that this rank gets the values of `ghosts`.
struct GhostMap {
    /// `count` rows from `first` on, of a list, are exchanged with `rank`.
    struct Range {
        int rank;
        size_type first;
        size_type count;
    };

    std::vector<std::int64_t> ghosts;     // rows of other ranks, in ascending order
    std::vector<Range> receives;          // of ghosts, by owner
    std::vector<std::int64_t> send_rows;  // own rows, counted from the first own one, by receiver
    std::vector<Range> sends;             // of send_rows
};

/// Collective. `ghosts` are in ascending order, none is an own row.
GhostMap make_ghost_map(const Communicator& communicator, const Partition& partition, std::vector<std::int64_t> ghosts);

/// The exchange of a map's values, on a host executor. One at a time.
template <class V, class I>
class Halo {
public:
    Halo(const Executor& exec, Communicator communicator, GhostMap map)
        : exec_(exec),
          communicator_(std::move(communicator)),
          map_(std::move(map)),
          send_rows_(exec, std::vector<I>(map_.send_rows.begin(), map_.send_rows.end())),
          sent_(exec, {}),
          received_(exec, {})
    {
    }

    const GhostMap& map() const { return map_; }
    size_type num_ghosts() const { return static_cast<size_type>(map_.ghosts.size()); }

    /// Begins to send the rows of b that others need and to receive the ghosts.
    void start(DenseView<const V> b)
    {
        if (map_.sends.empty() && map_.receives.empty()) {
            return;
        }
        make_room(b.cols);
        dense_gather_rows<V, I>(exec_, send_rows_.data(), b, sent_.view());
        begin(sent_, map_.sends, received_, map_.receives);
    }
    /// The values of the ghosts: num_ghosts x k, contiguous.
    DenseView<const V> finish()
    {
        wait();
        return std::as_const(received_).view();
    }

    /// Sends values for the ghosts (num_ghosts x k) back to their owners, where they are added to x.
    void add_back(DenseView<const V> ghosts, DenseView<V> x)
    {
        if (map_.sends.empty() && map_.receives.empty()) {
            return;
        }
        make_room(x.cols);
        dense_copy<V>(exec_, ghosts, received_.view());
        begin(received_, map_.receives, sent_, map_.sends);
        wait();
        for (size_type i = 0; i < sent_.size().rows; ++i) {
            for (size_type col = 0; col < x.cols; ++col) {
                x(map_.send_rows[static_cast<std::size_t>(i)], col) += sent_.view()(i, col);
            }
        }
    }

private:
    void make_room(size_type cols)
    {
        if (sent_.size().cols != cols) {
            sent_ = Dense<V>(exec_, {send_rows_.size(), cols});
            received_ = Dense<V>(exec_, {num_ghosts(), cols});
        }
    }
    void begin(Dense<V>& from, const std::vector<GhostMap::Range>& sends, Dense<V>& to,
               const std::vector<GhostMap::Range>& receives)
    {
        const auto messages = [](Dense<V>& block, const auto& ranges) {
            std::vector<Message> result;
            for (const auto& range : ranges) {
                const auto cols = block.size().cols;
                result.push_back({range.rank, block.data() + range.first * cols,
                                  static_cast<std::size_t>(range.count * cols) * sizeof(V)});
            }
            return result;
        };
        const auto outgoing = messages(from, sends);
        auto& transport = communicator_.transport();
        const AddSeconds timer(transport.exchange_seconds);
        ++transport.counters.exchanges;
        for (const auto& message : outgoing) {
            transport.counters.bytes_sent += message.bytes;
        }
        pending_ = transport.start(outgoing, messages(to, receives));
    }
    void wait()
    {
        if (const auto pending = std::move(pending_); pending != nullptr) {
            const AddSeconds timer(communicator_.transport().exchange_seconds);
            pending->wait();
        }
    }

    Executor exec_;
    Communicator communicator_;
    GhostMap map_;
    Array<I> send_rows_;
    Dense<V> sent_, received_;
    std::unique_ptr<PendingExchange> pending_;
};

}  // namespace linden::distributed
