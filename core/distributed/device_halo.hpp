#pragma once

#include <optional>

#include "core/base/executor_state.hpp"
#include "core/base/rank_link.hpp"
#include "core/distributed/halo.hpp"
#include "core/kernels/exchange.hpp"

namespace linden::distributed {

/// What the kernels of a product need of other ranks, on a device: addresses in windows where the ranks are peers, else
/// the ghosts that messages have brought, of a library or through the host. One exchange at a time.
template <class V, class I>
class DeviceHalo {
public:
    /// The work between `start` and `finish`.
    enum class Beside { products, nothing };

    DeviceHalo(const Communicator& communicator, std::shared_ptr<RankLink> link, Halo<V, I>& halo, Beside work)
        : communicator_(communicator),
          link_(std::move(link)),
          halo_(&halo),
          work_(work)
    {
    }

    bool is_peer() const { return link_->is_peer(); }
    /// Whether the host carries the messages, and waits for them.
    bool needs_host() const { return !is_peer() && !link_->has_messages(); }

    /// Collective where the ranks are peers, and for each number of columns at its first use. @throws NotSupported
    /// while a loop is recorded
    void make_room(size_type cols)
    {
        if (!is_peer() || find(cols) != nullptr) {
            return;
        }
        if (link_->executor().state().is_recording()) {
            throw NotSupported("windows for other ranks", "a loop body that a device records must only launch kernels");
        }
        connect(cols);
    }

    /// Begins to send what others need of b.
    void start(DenseView<const V> b)
    {
        if (is_peer()) {
            send_to_peers(b);
        } else if (link_->has_messages()) {
            start_messages(b);
        } else {
            halo_->start(b);
        }
    }
    /// The ghosts, which may still be on their way: kernels wait for them.
    GhostView<V> finish(size_type cols)
    {
        if (link_->has_messages()) {
            if (has_neighbours()) {
                link_->finish_exchange();
            }
            return {std::as_const(halo_->received()).view(), {}};
        }
        if (!is_peer()) {
            return {halo_->finish(), {}};
        }
        if (branches(cols)) {
            link_->executor().state().join_branch();
        }
        return peer_ghosts(cols);
    }

    /// The ghosts that peers write, for kernels that send by themselves. There is room already.
    GhostView<V> peer_ghosts(size_type cols) const
    {
        return {{halo_->num_ghosts(), cols, cols, nullptr}, find(cols)->halo};
    }
    /// To and from whom kernels send the values of a product of one column, for which there is room already.
    const PeerHalo& peer_halo() const { return find(1)->halo; }
    /// Own rows that others need, by receiver.
    const I* send_rows() const { return halo_->send_rows(); }
    RankLink& link() const { return *link_; }

private:
    struct Entry {
        size_type cols;
        Array<std::uint32_t> counters;
        PeerHalo halo;
    };
    /// In front of the ghosts in a window: a word of each rank that has ghosts from here.
    static constexpr std::size_t ghosts_offset = max_peers;
    static constexpr auto words_of_value = static_cast<size_type>(sizeof(V) / sizeof(std::uint32_t));
    /// Of a rank for another one.
    struct Place {
        std::int64_t first = 0;   ///< of the ghosts that come from there
        std::int64_t stride = 0;  ///< words from those of even products to those of odd ones
    };

    /// Whether kernels send in a branch: where that takes longer than the branch costs.
    bool branches(size_type cols) const
    {
        constexpr std::size_t least_bytes = std::size_t{1} << 17;
        return work_ == Beside::products &&
               halo_->map().send_rows.size() * static_cast<std::size_t>(cols) * sizeof(V) >= least_bytes;
    }
    void send_to_peers(DenseView<const V> b)
    {
        std::optional<Branch> branch;
        if (branches(b.cols)) {
            branch.emplace(link_->executor().state());
        }
        exchange_send<V, I>(link_->executor(), halo_->send_rows(), b, find(b.cols)->halo);
    }
    bool has_neighbours() const { return !halo_->map().sends.empty() || !halo_->map().receives.empty(); }
    void start_messages(DenseView<const V> b)
    {
        if (has_neighbours()) {
            V* const packed = halo_->pack(b).data();
            link_->start_exchange(communicator_, messages_of(packed, halo_->map().sends, b.cols),
                                  messages_of(halo_->received().data(), halo_->map().receives, b.cols));
        }
    }
    const Entry* find(size_type cols) const
    {
        for (const auto& entry : entries_) {
            if (entry.cols == cols) {
                return &entry;
            }
        }
        return nullptr;
    }

    void connect(size_type cols)
    {
        const auto& map = halo_->map();
        const auto row_words = cols * words_of_value;
        const auto stride = (halo_->num_ghosts() * row_words + 15) / 16 * 16;
        const auto bytes = (ghosts_offset + 2 * static_cast<std::size_t>(stride)) * sizeof(std::uint64_t);
        std::vector<std::uint64_t*> windows;
        for (auto* const window : link_->make_windows(communicator_, bytes)) {
            windows.push_back(reinterpret_cast<std::uint64_t*>(window));
        }
        std::vector<Place> mine(windows.size(), {0, stride}), theirs(windows.size());
        for (const auto& range : map.receives) {
            mine[static_cast<std::size_t>(range.rank)].first = range.first;
        }
        communicator_.transport().all_to_all(mine.data(), sizeof(Place), theirs.data());

        auto* const own = windows[static_cast<std::size_t>(communicator_.rank())];
        Entry entry{cols, Array<std::uint32_t>(link_->executor(), std::vector<std::uint32_t>(2, 0)), PeerHalo{}};
        auto& h = entry.halo;
        for (const auto& range : map.sends) {
            const int n = h.num_sends++;
            const auto to = static_cast<std::size_t>(range.rank);
            h.send_ranks[n] = range.rank;
            h.send_first[n + 1] = range.first + range.count;
            h.targets[n] = windows[to] + ghosts_offset + theirs[to].first * row_words;
            h.target_strides[n] = theirs[to].stride;
            h.acknowledged[n] = own + range.rank;
        }
        for (const auto& range : map.receives) {
            h.acknowledged_there[h.num_receives++] =
                windows[static_cast<std::size_t>(range.rank)] + communicator_.rank();
        }
        h.ghosts = own + ghosts_offset;
        h.ghost_stride = stride;
        h.number = entry.counters.data();
        h.num_blocks = entry.counters.data() + 1;
        h.group = link_->group();
        entries_.push_back(std::move(entry));
    }

    Communicator communicator_;
    std::shared_ptr<RankLink> link_;
    Halo<V, I>* halo_;
    Beside work_;
    std::vector<Entry> entries_;
};

}  // namespace linden::distributed
