#pragma once

#include <linden/array.hpp>
#include <linden/distributed/communicator.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/device_messages.hpp"
#include "core/base/peer_access.hpp"
#include "core/base/peer_group.hpp"
#include "core/base/sum_tree.hpp"

namespace linden {

/// How the devices of a communicator's ranks reach each other: `staged`, through page-locked memory and the
/// communicator's own messages, `peer`, by kernels that write to each other's memory, or `nccl`, by messages of a
/// vendor's library in the order of the executor's work. All ranks choose alike.
///
/// With `nccl` a wait for the executor may be one for other ranks. All of them look for failures of ranks and end after
/// 30 s; what is under way is then ended, too.
class RankLink {
public:
    ~RankLink();
    RankLink(const RankLink&) = delete;
    RankLink& operator=(const RankLink&) = delete;
    /// Collective. The link of this executor, made at the first call. Each pair of ranks writes and reads a pattern; if
    /// that fails for one, a library sends one around; if that fails, too, all are staged.
    /// @throws NotSupported on all ranks if the communicator asks for `peer` or `nccl`, and it is not to be had
    static std::shared_ptr<RankLink> connect(const Communicator& communicator, const Executor& exec);
    /// The link that has been made for this executor; null if there is none.
    static std::shared_ptr<RankLink> find(const Communicator& communicator, const Executor& exec);

    std::string_view name() const;
    /// Why this one.
    const std::string& why() const { return why_; }
    bool is_peer() const { return group_.size > 0; }
    const PeerGroup& group() const { return group_; }
    const Executor& executor() const { return exec_; }

    /// Whether a library carries messages between the devices, those of the following three. All data is in the
    /// executor's memory, and the host does not wait.
    bool has_messages() const { return messages_ != nullptr; }
    /// Collective. all[r * bytes, ...) := the `bytes` bytes at `mine` of rank r, the first 8 of which become the
    /// device's time.
    void gather(const Communicator& communicator, std::byte* mine, std::size_t bytes, void* all);
    /// Messages on their way beside the work that follows, until `finish_exchange`.
    void start_exchange(const Communicator& communicator, std::span<const Message> sent,
                        std::span<const Message> received);
    void finish_exchange() { messages_->finish_exchange(); }

    /// Collective. The windows of all ranks, which may differ in size. @throws VendorError, RemoteError
    std::vector<std::byte*> make_windows(const Communicator& communicator, std::size_t bytes);

    /// What kernels have exchanged.
    CommunicatorCounters counters() const;
    /// Ends the waits of all ranks' kernels: this rank has failed.
    void abort() noexcept;
    /// @throws Error if a kernel of this rank has waited too long; true if one was told to end
    bool was_aborted() const;

private:
    RankLink(const Communicator& communicator, const Executor& exec);
    std::string connect_peers(const Communicator& communicator);
    std::string probe(const Communicator& communicator, const std::vector<std::byte*>& windows);
    std::string connect_messages(const Communicator& communicator);
    std::string probe_messages(const Communicator& communicator);
    void look(Transport& transport, std::int64_t waited_ns);
    void leave_messages();

    Executor exec_;
    DeviceTransport wanted_;
    PeerAccess* access_ = nullptr;
    PeerGroup group_;
    std::vector<std::byte*> windows_;  // of each rank
    Array<std::uint64_t> counts_;      // in this executor's memory: those of PeerGroup, and its number
    std::string why_;
    std::shared_ptr<DeviceMessages> messages_;
    std::vector<bool> has_met_;                // of each rank: whether messages were exchanged with it
    std::vector<std::size_t> gathered_bytes_;  // by gathers so far
};

/// Makes sums of a device's kernels those of all ranks, added in their order. Kernels leave the sums of this rank at
/// `room`, and a kernel of one block adds what `exchange` gives it and goes on as the first one would have.
///
/// Reproducible sums are those of BlockSums: kernels leave nodes of its tree, sums over blocks of rows, and those of
/// all ranks are added in the tree's order.
class DeviceSums {
public:
    /// `link` may be null where there is one rank.
    DeviceSums(Executor exec, std::shared_ptr<RankLink> link, Communicator communicator, size_type max_bytes);

    /// Whether kernels exchange what was left, so that `exchange` does nothing.
    bool is_peer() const { return link_ != nullptr && link_->is_peer(); }
    bool is_reproducible() const { return communicator_.is_reproducible(); }
    /// `clock` where there is one rank, whose kernels tell the time themselves; else null.
    std::int64_t* own_clock() { return link_ == nullptr ? reinterpret_cast<std::int64_t*>(clock_.data()) : nullptr; }
    /// Where the blocks of this rank's rows are in the tree. Collective at the first call; later ones ask for the same
    /// number of rows.
    const SumTree& tree(size_type rows);
    /// The same as `exchange` for nodes of `bytes_per_node` bytes.
    RankParts exchange_nodes(size_type bytes_per_node);
    std::byte* room() { return mine_.data(); }
    /// `bytes` bytes of sums have been left, or will have been by what the executor has been asked for. Collective.
    RankParts exchange(size_type bytes);
    /// The time on rank 0 at the last sum, in the executor's memory.
    const std::int64_t* clock() const { return reinterpret_cast<const std::int64_t*>(clock_.data()); }

private:
    void plan_tree(size_type rows);

    std::shared_ptr<RankLink> link_;
    Communicator communicator_;
    Array<std::byte> mine_;  // the sums of the own message
    Array<std::byte> all_;   // messages with their headers, the own one before those of all ranks
    Array<std::byte> clock_;
    std::vector<std::byte> host_mine_, host_all_;
    Executor exec_;
    size_type tree_rows_ = -1;  // of the tree; -1: there is none yet
    SumTree tree_;
    int max_nodes_ = 0;
    Array<std::uint8_t> merges_;
    Array<std::byte> received_;  // from peers
};

}  // namespace linden
