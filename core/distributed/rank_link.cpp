#include "core/base/rank_link.hpp"

#include <linden/error.hpp>

#include <algorithm>
#include <cstring>

#include "core/base/executor_state.hpp"
#include "core/base/host_clock.hpp"
#include "core/distributed/transport.hpp"

namespace linden {
namespace {

constexpr std::uint64_t patience_ns = 30'000'000'000;

/// A window for sums: the word `aborted`, a word from each rank for the probe, and the slots.
constexpr std::size_t abort_offset = 0, probe_offset = 128, slots_offset = 512;
constexpr std::size_t num_counts = 3;  // of PeerGroup::counts, behind which its number follows

std::size_t window_bytes(int num_ranks)
{
    return slots_offset + 2 * static_cast<std::size_t>(num_ranks) * static_cast<std::size_t>(peer_message_words) *
                              sizeof(std::uint64_t);
}

std::string rank_text(int rank) { return "rank " + std::to_string(rank); }

std::string text_of(const std::exception_ptr& failure)
{
    try {
        std::rethrow_exception(failure);
    } catch (const std::exception& e) {
        return e.what();
    }
}

/// What a rank has to say about a step towards peers.
struct Word {
    std::int32_t is_bad = 0;
    char text[252] = {};
};

/// Collective. `step` on each rank; empty where it went well on all, else what the first has to say for whom it did
/// not.
template <class Step>
std::string try_on_all(const Communicator& communicator, const Step& step)
{
    Word mine;
    std::string text;
    try {
        text = step();
    } catch (...) {
        text = text_of(std::current_exception());
    }
    if (!text.empty()) {
        mine.is_bad = 1;
        std::copy_n(text.data(), std::min(text.size(), sizeof mine.text - 1), mine.text);
    }
    const auto all = communicator.all_gather(mine);
    const auto bad = std::find_if(all.begin(), all.end(), [](const Word& word) { return word.is_bad != 0; });
    return bad == all.end() ? std::string() : rank_text(static_cast<int>(bad - all.begin())) + ": " + bad->text;
}

/// Why kernels of these ranks cannot wait for each other; empty if they can.
std::string why_apart(const std::vector<WindowHandle>& all, const PeerAccess& access, int own)
{
    for (std::size_t r = 0; r < all.size(); ++r) {
        if (static_cast<int>(r) == own) {
            continue;
        }
        const auto& mine = all[static_cast<std::size_t>(own)];
        if (std::strcmp(all[r].host, mine.host) != 0) {
            return "is on another host than " + rank_text(static_cast<int>(r));
        }
        if (all[r].backend != mine.backend) {
            return "has an executor of another backend than " + rank_text(static_cast<int>(r));
        }
        if (!access.runs_beside(all[r])) {
            return "shares its device with " + rank_text(static_cast<int>(r));
        }
    }
    return {};
}

/// Empty, or why the ranks do not have `windows`, the same on all.
std::string open_windows(const Communicator& communicator, PeerAccess& access, std::size_t bytes,
                         std::vector<std::byte*>& windows)
{
    // Failures are known to all before anybody opens anything: those who have a window go on.
    WindowHandle mine;
    auto why_not = try_on_all(communicator, [&]() -> std::string {
        mine = access.make_window(bytes);
        return {};
    });
    const auto all = communicator.all_gather(mine);
    windows.assign(all.size(), nullptr);
    if (why_not.empty()) {
        why_not = try_on_all(communicator, [&] { return why_apart(all, access, communicator.rank()); });
    }
    if (why_not.empty()) {
        why_not = try_on_all(communicator, [&]() -> std::string {
            for (std::size_t r = 0; r < all.size(); ++r) {
                windows[r] = static_cast<int>(r) == communicator.rank() ? mine.address : access.open(all[r]);
            }
            return {};
        });
    }
    return why_not;
}

}  // namespace

RankLink::RankLink(const Communicator& communicator, const Executor& exec)
    : exec_(exec),
      wanted_(communicator.device_transport()),
      access_(exec.state().peer_access()),
      counts_(exec, 0)
{
    if (wanted_ == DeviceTransport::staged) {
        why_ = "it was asked for";
        return;
    }
    const auto why_not = connect_peers(communicator);
    if (why_not.empty()) {
        why_ = "the devices of all ranks write to each other's memory, as a probe has shown";
        return;
    }
    group_ = {};
    why_ = "the devices do not write to each other's memory: " + why_not;
    if (wanted_ == DeviceTransport::peer) {
        throw NotSupported("the transport peer on " + exec.name(), why_not);
    }
}

/// Empty, or why kernels of the ranks do not reach each other; the same on all.
std::string RankLink::connect_peers(const Communicator& communicator)
{
    const int size = communicator.size();
    const int rank = communicator.rank();
    auto why_not = try_on_all(communicator, [&]() -> std::string {
        if (size > max_peers) {
            return "there are more than " + std::to_string(max_peers) + " ranks";
        }
        if (access_ == nullptr) {
            return "the backend of " + exec_.name() + " cannot";
        }
        counts_ = Array<std::uint64_t>(exec_, num_counts + 1);
        exec_.state().fill_zero(counts_.data(), counts_.bytes());
        exec_.synchronize();
        group_.failure = static_cast<std::int32_t*>(access_->page_locked());
        return {};
    });
    if (!why_not.empty()) {
        return why_not;
    }
    std::vector<std::byte*> windows;
    why_not = open_windows(communicator, *access_, window_bytes(size), windows);
    if (!why_not.empty()) {
        return why_not;
    }
    why_not = probe(communicator, windows);
    if (!why_not.empty()) {
        return why_not;
    }
    group_.rank = rank;
    group_.size = size;
    for (int r = 0; r < size; ++r) {
        group_.slots[r] = reinterpret_cast<std::uint64_t*>(windows[static_cast<std::size_t>(r)] + slots_offset);
    }
    group_.counts = counts_.data();
    group_.number = reinterpret_cast<std::uint32_t*>(counts_.data() + num_counts);
    group_.aborted = reinterpret_cast<std::uint32_t*>(windows[static_cast<std::size_t>(rank)] + abort_offset);
    group_.patience_ns = patience_ns;
    windows_ = std::move(windows);
    exec_.state().fix_repetitions();
    return {};
}

/// Each rank writes to the window of every other one, and reads there what others have written.
std::string RankLink::probe(const Communicator& communicator, const std::vector<std::byte*>& windows)
{
    const auto pattern = [](int from, int to) {
        return 0x5a5a0000u + static_cast<std::uint32_t>(from) * 256u + static_cast<std::uint32_t>(to);
    };
    const auto place = [](int from) { return probe_offset + static_cast<std::size_t>(from) * sizeof(std::uint32_t); };
    const int rank = communicator.rank();
    const auto why_not = try_on_all(communicator, [&]() -> std::string {
        for (int to = 0; to < communicator.size(); ++to) {
            const auto word = pattern(rank, to);
            access_->write(windows[static_cast<std::size_t>(to)] + place(rank), &word, sizeof word);
        }
        return {};
    });
    if (!why_not.empty()) {
        return why_not;
    }
    return try_on_all(communicator, [&]() -> std::string {
        for (int to = 0; to < communicator.size(); ++to) {
            for (int from = 0; from < communicator.size(); ++from) {
                std::uint32_t word = 0;
                access_->read(windows[static_cast<std::size_t>(to)] + place(from), &word, sizeof word);
                if (word != pattern(from, to)) {
                    return "what " + rank_text(from) + " has written to " + rank_text(to) + " is not there";
                }
            }
        }
        return {};
    });
}

std::vector<std::byte*> RankLink::make_windows(const Communicator& communicator, std::size_t bytes)
{
    std::vector<std::byte*> windows;
    const auto why_not = open_windows(communicator, *access_, bytes, windows);
    if (!why_not.empty()) {
        throw NotSupported("memory that all ranks reach on " + exec_.name(), why_not);
    }
    return windows;
}

std::shared_ptr<RankLink> RankLink::find(const Communicator& communicator, const Executor& exec)
{
    for (const auto& link : communicator.transport().links) {
        if (link->exec_ == exec && link->wanted_ == communicator.device_transport()) {
            return link;
        }
    }
    return nullptr;
}

std::shared_ptr<RankLink> RankLink::connect(const Communicator& communicator, const Executor& exec)
{
    auto known = find(communicator, exec);
    const auto has_one = communicator.all_gather(static_cast<std::int32_t>(known != nullptr));
    if (std::find(has_one.begin(), has_one.end(), 0) == has_one.end()) {
        return known;
    }
    const std::shared_ptr<RankLink> link(new RankLink(communicator, exec));
    auto& links = communicator.transport().links;
    std::erase(links, known);
    links.push_back(link);
    return link;
}

CommunicatorCounters RankLink::counters() const
{
    if (!is_peer()) {
        return {};
    }
    const auto counts = counts_.to_host();
    return {counts[0], counts[1], counts[2]};
}

void RankLink::abort() noexcept
{
    const std::uint32_t yes = 1;
    for (auto* const window : windows_) {
        try {
            access_->write(window + abort_offset, &yes, sizeof yes);
        } catch (...) {  // the others wait as long as they have patience
        }
    }
}

bool RankLink::was_aborted() const
{
    if (!is_peer()) {
        return false;
    }
    const auto failure = *static_cast<const volatile std::int32_t*>(group_.failure);
    if (failure >= static_cast<std::int32_t>(PeerFailure::too_late)) {
        const int rank = failure - static_cast<std::int32_t>(PeerFailure::too_late) - 1;
        throw Error("a kernel has waited " + std::to_string(patience_ns / 1'000'000'000) + " s for " +
                    (rank < 0 ? "a neighbour" : rank_text(rank)));
    }
    return failure != 0;
}

DeviceSums::DeviceSums(std::shared_ptr<RankLink> link, Communicator communicator, size_type max_bytes)
    : link_(std::move(link)),
      communicator_(std::move(communicator)),
      mine_(link_->executor(), max_bytes),
      all_(link_->executor(), link_->is_peer() ? 0 : communicator_.size() * (max_bytes + rank_parts_header_bytes)),
      clock_(link_->executor(), sizeof(std::int64_t))
{
    link_->executor().state().fill_zero(clock_.data(), clock_.bytes());
}

RankParts DeviceSums::exchange(size_type bytes)
{
    if (bytes > mine_.size()) {
        throw Error("sums over ranks of " + std::to_string(bytes) + " bytes, where there is room for " +
                    std::to_string(mine_.size()));
    }
    RankParts parts;
    parts.mine = mine_.data();
    parts.num_ranks = communicator_.size();
    parts.clock = reinterpret_cast<std::int64_t*>(clock_.data());
    if (link_->is_peer()) {
        parts.peers = link_->group();
        return parts;
    }
    auto& exec = link_->executor().state();
    const auto length = static_cast<std::size_t>(bytes + rank_parts_header_bytes);
    host_mine_.resize(length);
    host_all_.resize(length * static_cast<std::size_t>(communicator_.size()));
    exec.copy_to_host(mine_.data(), host_mine_.data() + rank_parts_header_bytes, static_cast<std::size_t>(bytes));
    const std::int64_t now = host_clock_ns();
    std::memcpy(host_mine_.data(), &now, sizeof now);
    communicator_.all_gather(host_mine_.data(), length, host_all_.data());
    exec.copy_from_host(host_all_.data(), all_.data(), host_all_.size());
    parts.all = all_.data();
    parts.stride = static_cast<size_type>(length);
    return parts;
}

}  // namespace linden
