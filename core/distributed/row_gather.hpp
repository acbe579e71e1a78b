#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "core/distributed/ghost_exchange.hpp"
#include "core/distributed/rows_of.hpp"
#include "core/kernels/reduction.hpp"

namespace linden::distributed {

/// What ranks know of a block of a few rows, such as sums over domains, when each has computed some of them: all, after
/// one message. Where the ranks' devices are peers it is two kernels, which the host does not wait for.
template <class V, class I>
class RowGather {
public:
    /// Collective. rows: which of them each rank computes.
    RowGather(const Executor& exec, const Communicator& ranks, Partition rows)
        : exec_(exec),
          ranks_(ranks),
          rows_(std::move(rows))
    {
        for (int rank = 0; rank < ranks.size(); ++rank) {
            most_rows_ = std::max(most_rows_, rows_.num_rows(rank));
        }
        if (!exec.is_host() && !ranks.is_single()) {
            const auto extent = Extent::whole(rows_, ranks.rank());
            exchange_.emplace(exec, ranks, extent, make_ghost_map(ranks, rows_, extent.ghosts()));
        }
    }

    size_type num_rows() const { return rows_.num_rows(); }
    /// Whether nothing is needed of the host.
    bool is_peer() const { return exchange_ && exchange_->is_peer(); }
    /// Collective for each number of columns at its first use, where the ranks are peers.
    void make_room(size_type cols)
    {
        if (exchange_) {
            exchange_->make_room(cols);
        }
    }
    /// Those of this rank.
    DenseView<V> own(DenseView<V> all) const { return of_rank(all, ranks_.rank()); }
    /// Collective. all: num_rows x k, without padding, for k columns that there is room for; the own rows are there.
    void operator()(DenseView<V> all)
    {
        if (ranks_.is_single()) {
            return;
        }
        if (exchange_ && !exchange_->needs_host()) {
            (*exchange_)(all);
            return;
        }
        pack(all);
        parts_.resize(own_part_.size() * static_cast<std::size_t>(ranks_.size()));
        ranks_.all_gather(own_part_.data(), own_part_.size() * sizeof(V), parts_.data());
        unpack(all);
    }
    /// The same in one message with the sums that a solver holds, so that on hosts the others' rows are there when
    /// these are released, and not before. all: in memory that is then still there.
    void among_sums(DenseView<V> all, WorkspaceView sums)
    {
        if (ranks_.is_single() || !exec_.is_host()) {
            (*this)(all);
            return;
        }
        pack(all);
        parts_.clear();
        // Each rank's part comes to `add` in the order of ranks, but for the first one's, which is the total.
        const auto add = [parts = &parts_](V&, const V& value) { parts->push_back(value); };
        const auto finish = [this, all](const V* first_part) {
            parts_.insert(parts_.begin(), first_part, first_part + own_part_.size());
            unpack(all);
        };
        finish_sums(sums, own_part_.data(), static_cast<size_type>(own_part_.size()), Later{finish}, add);
    }

private:
    DenseView<V> of_rank(DenseView<V> all, int rank) const
    {
        return rows_of(all, rows_.first(rank), rows_.num_rows(rank));
    }
    /// The own rows to a part of the same length on all ranks.
    void pack(DenseView<V> all)
    {
        const auto rows = own(all);
        own_part_.resize(static_cast<std::size_t>(most_rows_ * all.cols));
        Array<V>::view(exec_, rows.rows * all.cols, rows.values).copy_to_host(own_part_.data());
    }
    /// All parts, one after the other, to their rows.
    void unpack(DenseView<V> all)
    {
        for (int rank = 0; rank < ranks_.size(); ++rank) {
            const auto rows = of_rank(all, rank);
            Array<V>::view(exec_, rows.rows * rows.cols, rows.values)
                .copy_from_host(parts_.data() + static_cast<std::size_t>(rank) * own_part_.size());
        }
    }

    Executor exec_;
    Communicator ranks_;
    Partition rows_;
    size_type most_rows_ = 0;
    std::optional<GhostExchange<V, I>> exchange_;  // on devices
    std::vector<V> own_part_, parts_;
};

}  // namespace linden::distributed
