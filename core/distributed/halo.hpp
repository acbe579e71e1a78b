#pragma once

#include <linden/array.hpp>
#include <linden/distributed/partition.hpp>
#include <linden/matrix/dense.hpp>

#include <optional>

#include "core/base/executor_state.hpp"
#include "core/distributed/rows_of.hpp"
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

    std::int64_t first_own = 0;           // the first own row
    std::vector<std::int64_t> ghosts;     // rows of other ranks, in ascending order
    std::vector<Range> receives;          // of ghosts, by owner
    std::vector<std::int64_t> send_rows;  // own rows, counted from the first own one, by receiver
    std::vector<Range> sends;             // of send_rows
};

/// Collective. `ghosts` are in ascending order, none is an own row.
GhostMap make_ghost_map(const Communicator& communicator, const Partition& partition, std::vector<std::int64_t> ghosts);

/// Messages of ranges of a block, of whose rows each has `width` values.
template <class T>
std::vector<Message> messages_of(T* block, const std::vector<GhostMap::Range>& ranges, size_type width)
{
    std::vector<Message> result;
    for (const auto& range : ranges) {
        result.push_back(
            {range.rank, block + range.first * width, static_cast<std::size_t>(range.count * width) * sizeof(T)});
    }
    return result;
}

/// Begins to send the ranges of `sent` and to receive those of `received`; a row has `width` values.
template <class T>
std::unique_ptr<PendingExchange> start_ranges(const Communicator& ranks, T* sent,
                                              const std::vector<GhostMap::Range>& sends, T* received,
                                              const std::vector<GhostMap::Range>& receives, size_type width)
{
    const auto outgoing = messages_of(sent, sends, width);
    auto& transport = ranks.transport();
    const AddSeconds timer(transport.exchange_seconds);
    ++transport.counters.exchanges;
    for (const auto& message : outgoing) {
        transport.counters.bytes_sent += message.bytes;
    }
    return transport.start(outgoing, messages_of(received, receives, width));
}

/// The exchange of a map's values, on a device by way of the host. One at a time.
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
    /// map().send_rows in the executor's memory.
    const I* send_rows() const { return send_rows_.data(); }
    size_type num_ghosts() const { return static_cast<size_type>(map_.ghosts.size()); }

    /// Begins to send the rows of b that others need and to receive the ghosts.
    void start(DenseView<const V> b)
    {
        if (map_.sends.empty() && map_.receives.empty()) {
            return;
        }
        begin(pack(b), map_.sends, received_, map_.receives);
    }
    /// The rows of b that others need, in the order of map().send_rows, in the executor's memory.
    Dense<V>& pack(DenseView<const V> b)
    {
        make_room(b.cols);
        dense_gather_rows<V, I>(exec_, send_rows_.data(), b, sent_.view());
        return sent_;
    }
    /// Where ghosts arrive, num_ghosts x k, once rows of k columns have been packed.
    Dense<V>& received() { return received_; }
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
        for (const auto& range : map_.sends) {  // a row is once among those of a receiver
            const auto* const rows = send_rows_.data() + range.first;
            Dense<V> sum(exec_, {range.count, x.cols});
            dense_gather_rows<V, I>(exec_, rows, x, sum.view());
            dense_axpby<V>(exec_, V{1}, rows_of(std::as_const(sent_).view(), range.first, range.count), V{1},
                           sum.view());
            dense_scatter_rows<V, I>(exec_, rows, std::as_const(sum).view(), x);
        }
    }

private:
    void make_room(size_type cols)
    {
        if (sent_.size().cols != cols) {
            sent_ = Dense<V>(exec_, {send_rows_.size(), cols});
            received_ = Dense<V>(exec_, {num_ghosts(), cols});
            if (!exec_.is_host()) {
                host_sent_.resize(static_cast<std::size_t>(std::max(send_rows_.size(), num_ghosts()) * cols));
                host_received_.resize(host_sent_.size());
            }
        }
    }
    void begin(Dense<V>& from, const std::vector<GhostMap::Range>& sends, Dense<V>& to,
               const std::vector<GhostMap::Range>& receives)
    {
        const auto cols = from.size().cols;
        V* source = from.data();
        V* target = to.data();
        if (!exec_.is_host()) {
            if (from.size().rows > 0) {
                exec_.state().copy_to_host(source, host_sent_.data(),
                                           static_cast<std::size_t>(from.size().rows * cols) * sizeof(V));
            }
            source = host_sent_.data();
            target = host_received_.data();
            arriving_ = &to;
        }
        pending_ = start_ranges(communicator_, source, sends, target, receives, cols);
    }
    void wait()
    {
        if (const auto pending = std::move(pending_); pending != nullptr) {
            const AddSeconds timer(communicator_.transport().exchange_seconds);
            pending->wait();
            if (!exec_.is_host() && arriving_->size().rows > 0) {
                exec_.state().copy_from_host(
                    host_received_.data(), arriving_->data(),
                    static_cast<std::size_t>(arriving_->size().rows * arriving_->size().cols) * sizeof(V));
            }
        }
    }

    Executor exec_;
    Communicator communicator_;
    GhostMap map_;
    Array<I> send_rows_;
    Dense<V> sent_, received_;
    std::vector<V> host_sent_, host_received_;  // of devices
    Dense<V>* arriving_ = nullptr;              // in which of both
    std::unique_ptr<PendingExchange> pending_;
};

}  // namespace linden::distributed
