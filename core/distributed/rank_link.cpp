#include "core/base/rank_link.hpp"

#include <linden/error.hpp>

#include <algorithm>
#include <cstring>
#include <future>
#include <thread>

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

/// Ranks whose kernels write to each other's memory are on one host.
enum class Hosts { one, any };

/// Why kernels of these ranks cannot wait for each other; empty if they can.
std::string why_apart(const std::vector<WindowHandle>& all, const PeerAccess& access, int own, Hosts hosts)
{
    for (std::size_t r = 0; r < all.size(); ++r) {
        if (static_cast<int>(r) == own) {
            continue;
        }
        const auto& mine = all[static_cast<std::size_t>(own)];
        const bool is_here = std::strcmp(all[r].host, mine.host) == 0;
        if (!is_here && hosts == Hosts::one) {
            return "is on another host than " + rank_text(static_cast<int>(r));
        }
        if (all[r].backend != mine.backend) {
            return "has an executor of another backend than " + rank_text(static_cast<int>(r));
        }
        if (is_here && !access.runs_beside(all[r])) {
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
        why_not = try_on_all(communicator, [&] { return why_apart(all, access, communicator.rank(), Hosts::one); });
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

std::string text_of_patience() { return std::to_string(patience_ns / 1'000'000'000) + " s"; }

/// act() on a thread of its own, since a library's calls may wait for other ranks and cannot be ended. This thread
/// waits as long as no rank has failed and it has patience. @throws what `act` throws, RemoteError, Error
template <class Act>
void in_time(Transport& transport, std::string_view what, Act act)
{
    using Clock = std::chrono::steady_clock;
    std::packaged_task<void()> task(std::move(act));
    auto done = task.get_future();
    std::thread(std::move(task)).detach();
    const auto end = Clock::now() + std::chrono::nanoseconds(patience_ns);
    while (done.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) {
        transport.look();
        if (Clock::now() > end) {
            throw Error(std::string(what) + " has waited " + text_of_patience() + " for other ranks");
        }
    }
    done.get();
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
    if (wanted_ != DeviceTransport::nccl) {
        const auto why_not = connect_peers(communicator);
        if (why_not.empty()) {
            why_ = "the devices of all ranks write to each other's memory, as a probe has shown";
            return;
        }
        group_ = {};
        why_ = "the devices do not write to each other's memory: " + why_not + "; ";
        if (wanted_ == DeviceTransport::peer) {
            throw NotSupported("the transport peer on " + exec.name(), why_not);
        }
    }
    const auto why_not = connect_messages(communicator);
    if (why_not.empty()) {
        why_ += exec.state().message_library().name() + " carries messages between the devices, as a probe has shown";
        return;
    }
    leave_messages();
    why_ += "no library carries messages between the devices: " + why_not;
    if (wanted_ == DeviceTransport::nccl) {
        throw NotSupported("the transport nccl on " + exec.name(), why_not);
    }
}

RankLink::~RankLink() { leave_messages(); }

std::string_view RankLink::name() const { return is_peer() ? "peer" : has_messages() ? "nccl" : "staged"; }

void RankLink::leave_messages()
{
    if (has_messages()) {
        exec_.state().watch(nullptr);
        messages_ = nullptr;
    }
}

/// Empty, or why no library carries messages between these devices; the same on all.
std::string RankLink::connect_messages(const Communicator& communicator)
{
    const int rank = communicator.rank(), size = communicator.size();
    MessageLibrary* library = nullptr;
    WindowHandle place;
    DeviceMessagesId id;
    auto why_not = try_on_all(communicator, [&]() -> std::string {
        library = &exec_.state().message_library();
        if (access_ != nullptr) {
            place = access_->place();
        }
        id = rank == 0 ? library->make_id() : DeviceMessagesId{};
        return {};
    });
    if (!why_not.empty()) {
        return why_not;
    }
    const auto places = communicator.all_gather(place);
    why_not = try_on_all(communicator, [&] { return why_apart(places, *access_, rank, Hosts::any); });
    if (!why_not.empty()) {
        return why_not;
    }
    const auto first_id = communicator.all_gather(id).front();
    why_not = try_on_all(communicator, [&]() -> std::string {
        const auto connected = std::make_shared<std::unique_ptr<DeviceMessages>>();
        in_time(communicator.transport(), "connecting devices", [=, exec = exec_] {  // which has to live on
            *connected = library->connect(first_id, rank, size);
        });
        messages_ = std::move(*connected);
        exec_.state().watch(
            [this, transport = &communicator.transport()](std::int64_t waited_ns) { look(*transport, waited_ns); });
        has_met_.assign(static_cast<std::size_t>(size), false);
        return {};
    });
    return why_not.empty() ? probe_messages(communicator) : why_not;
}

/// Each rank sends its number to all, and to the next one.
std::string RankLink::probe_messages(const Communicator& communicator)
{
    const int rank = communicator.rank(), size = communicator.size();
    const int before = (rank + size - 1) % size, after = (rank + 1) % size;
    std::vector<std::uint64_t> gathered, arrived;
    auto why_not = try_on_all(communicator, [&]() -> std::string {
        const auto word = static_cast<std::uint64_t>(rank) + 1;
        Array<std::uint64_t> mine(exec_, std::vector<std::uint64_t>{0, word});  // behind the time
        Array<std::uint64_t> all(exec_, 2 * size), other(exec_, 1);
        gather(communicator, reinterpret_cast<std::byte*>(mine.data()), mine.bytes(), all.data());
        const Message sent{after, mine.data() + 1, sizeof word}, received{before, other.data(), sizeof word};
        start_exchange(communicator, {&sent, 1}, {&received, 1});
        finish_exchange();
        gathered = all.to_host();
        arrived = other.to_host();
        return {};
    });
    if (!why_not.empty()) {
        return why_not;
    }
    return try_on_all(communicator, [&]() -> std::string {
        for (int from = 0; from < size; ++from) {
            const auto word = static_cast<std::uint64_t>(from) + 1;
            const bool is_there = gathered[2 * static_cast<std::size_t>(from) + 1] == word;
            if (!is_there || (from == before && arrived.front() != word)) {
                return "what " + rank_text(from) + " has sent is not there";
            }
        }
        return {};
    });
}

void RankLink::gather(const Communicator& communicator, std::byte* mine, std::size_t bytes, void* all)
{
    auto& transport = communicator.transport();
    ++transport.counters.gathers;
    const AddSeconds timer(transport.gather_seconds);
    messages_->stamp(reinterpret_cast<std::int64_t*>(mine));
    // The first call for a length may connect ranks, and wait for them.
    if (std::find(gathered_bytes_.begin(), gathered_bytes_.end(), bytes) == gathered_bytes_.end()) {
        in_time(transport, "a sum over devices",
                [messages = messages_, mine, bytes, all] { messages->all_gather(mine, bytes, all); });
        gathered_bytes_.push_back(bytes);
        return;
    }
    messages_->all_gather(mine, bytes, all);
}

void RankLink::start_exchange(const Communicator& communicator, std::span<const Message> sent,
                              std::span<const Message> received)
{
    auto& transport = communicator.transport();
    const AddSeconds timer(transport.exchange_seconds);
    ++transport.counters.exchanges;
    bool has_met_all = true;
    const auto meet = [&](const Message& message) {
        const auto other = static_cast<std::size_t>(message.rank);
        has_met_all = has_met_all && has_met_[other];
        has_met_[other] = true;
    };
    std::for_each(received.begin(), received.end(), meet);
    for (const auto& message : sent) {
        meet(message);
        transport.counters.bytes_sent += message.bytes;
    }
    if (has_met_all) {
        messages_->start_exchange(sent, received);
        return;
    }
    in_time(transport, "an exchange between devices",
            [messages = messages_, out = std::vector<Message>(sent.begin(), sent.end()),
             in = std::vector<Message>(received.begin(), received.end())] { messages->start_exchange(out, in); });
}

/// While the host waits for the executor.
void RankLink::look(Transport& transport, std::int64_t waited_ns)
{
    try {
        transport.look();
        messages_->check();
        if (waited_ns > static_cast<std::int64_t>(patience_ns)) {
            throw Error("a device has waited " + text_of_patience() + " for other ranks");
        }
    } catch (...) {
        messages_->abort();
        throw;
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
    if (has_messages()) {
        messages_->abort();
    }
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
    if (has_messages()) {
        messages_->check();
    }
    if (!is_peer()) {
        return false;
    }
    const auto failure = *static_cast<const volatile std::int32_t*>(group_.failure);
    if (failure >= static_cast<std::int32_t>(PeerFailure::too_late)) {
        const int rank = failure - static_cast<std::int32_t>(PeerFailure::too_late) - 1;
        throw Error("a kernel has waited " + text_of_patience() + " for " +
                    (rank < 0 ? "a neighbour" : rank_text(rank)));
    }
    return failure != 0;
}

}  // namespace linden
