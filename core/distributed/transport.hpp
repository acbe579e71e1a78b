#pragma once

#include <linden/distributed/communicator.hpp>

#include <chrono>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "core/base/message.hpp"

/// What carries a communicator's messages.
namespace linden {

class RankLink;
namespace distributed {
class PeerInbox;
struct SpreadGraph;
}  // namespace distributed

/// What a failing rank tells the others. Of fixed size, so that it can be received without knowing more.
struct FailureNotice {
    std::int32_t rank = -1;      ///< negative: no failure
    std::int32_t has_ended = 0;  ///< not 0: the rank runs no more, and others tell of it
    char type[44] = {};
    char message[460] = {};

    /// @throws RemoteError
    [[noreturn]] void raise() const { throw RemoteError(rank, type, message); }
};

/// The notice of a failure on `rank`: the name of the type and the text of the exception.
FailureNotice make_notice(int rank, std::exception_ptr failure);

/// Messages between neighbours that are under way.
class PendingExchange {
public:
    virtual ~PendingExchange() = default;
    /// Returns when all have been received and those sent may be overwritten. @throws RemoteError
    virtual void wait() = 0;
};

/// The implementation of a communicator. Acts are those of `Communicator`; once a rank has failed all throw
/// RemoteError.
class Transport {
public:
    virtual ~Transport() = default;
    virtual std::string_view name() const = 0;
    virtual int rank() const = 0;
    virtual int size() const = 0;

    virtual void all_gather(const void* mine, std::size_t bytes, void* all) = 0;
    /// theirs[r * bytes, ...) := the `bytes` bytes that rank r has at mine[rank() * bytes]. Collective.
    virtual void all_to_all(const void* mine, std::size_t bytes, void* theirs) = 0;
    /// Begins to send and receive; messages between two ranks arrive in the order in which they were sent. What is sent
    /// must not change, nor what is received be read, before the exchange has been waited for.
    virtual std::unique_ptr<PendingExchange> start(std::span<const Message> sent,
                                                   std::span<const Message> received) = 0;
    /// Tells all other ranks.
    virtual void fail(const FailureNotice& notice) noexcept = 0;
    /// Without waiting. @throws RemoteError if a rank has failed
    virtual void look() = 0;
    /// Whether a rank has ended without a word, as far as this one has been told: no act of all ranks ends any more,
    /// and neither does the end of the library that carries messages.
    virtual bool has_lost_ranks() const { return false; }
    /// Begins an all_gather, which `wait` ends. Exchanges may be between; other acts of all ranks not, but where all
    /// begin and wait in the same order.
    virtual std::unique_ptr<PendingExchange> start_gather(const void* mine, std::size_t bytes, void* all) = 0;

    /// The part of each own vertex by a library that works on these ranks; Communicator's own acts tell all of a
    /// failure. Collective. @throws NotSupported on all ranks
    virtual std::vector<std::int32_t> parts_of(const distributed::SpreadGraph& graph, int num_parts,
                                               const Communicator& ranks);

    CommunicatorCounters counters;
    /// The failure that all ranks have last learned of in the same act.
    std::exception_ptr agreed_failure;
    /// How this rank's devices reach those of the others.
    std::vector<std::shared_ptr<RankLink>> links;
    /// Where others copy what they send to them.
    std::vector<std::shared_ptr<distributed::PeerInbox>> inboxes;
    /// How long this rank was in these acts: at work and waiting for others.
    double gather_seconds = 0, exchange_seconds = 0;
};

/// Adds the seconds of its life to a number.
class AddSeconds {
public:
    explicit AddSeconds(double& sum) : sum_(sum), start_(Clock::now()) {}
    AddSeconds(const AddSeconds&) = delete;
    AddSeconds& operator=(const AddSeconds&) = delete;
    ~AddSeconds() { sum_ += std::chrono::duration<double>(Clock::now() - start_).count(); }

private:
    using Clock = std::chrono::steady_clock;
    double& sum_;
    Clock::time_point start_;
};

namespace detail {

/// Rank r's `mine[s]` becomes rank s's result[r]: lists of any lengths. Collective. T is trivially copyable.
template <class T>
std::vector<std::vector<T>> exchange_lists(const Communicator& communicator, const std::vector<std::vector<T>>& mine)
{
    const auto ranks = static_cast<std::size_t>(communicator.size());
    std::vector<std::int64_t> counts(ranks), their_counts(ranks);
    for (std::size_t r = 0; r < ranks; ++r) {
        counts[r] = static_cast<std::int64_t>(mine[r].size());
    }
    auto& transport = communicator.transport();
    transport.all_to_all(counts.data(), sizeof(std::int64_t), their_counts.data());
    std::vector<std::vector<T>> theirs(ranks);
    communicator.agree_after([&] {  // there may be no memory for them
        for (std::size_t r = 0; r < ranks; ++r) {
            theirs[r].resize(static_cast<std::size_t>(their_counts[r]));
        }
    });
    std::vector<Message> sent, received;
    for (std::size_t r = 0; r < ranks; ++r) {
        if (!mine[r].empty()) {
            sent.push_back({static_cast<int>(r), const_cast<T*>(mine[r].data()), mine[r].size() * sizeof(T)});
        }
        if (!theirs[r].empty()) {
            received.push_back({static_cast<int>(r), theirs[r].data(), theirs[r].size() * sizeof(T)});
        }
    }
    transport.start(sent, received)->wait();
    return theirs;
}

/// The list of each rank, on all ranks. Collective.
template <class T>
std::vector<std::vector<T>> gather_lists(const Communicator& communicator, const std::vector<T>& mine)
{
    return exchange_lists(communicator,
                          std::vector<std::vector<T>>(static_cast<std::size_t>(communicator.size()), mine));
}

}  // namespace detail
}  // namespace linden
