#include "core/distributed/threads.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>

#include "core/distributed/transport.hpp"

namespace linden::detail {
namespace {

/// What the ranks share. All is done under one lock: this is for tests, where few threads exchange little.
class ThreadGroup {
public:
    explicit ThreadGroup(int n) : size_(n), boxes_(static_cast<std::size_t>(n) * static_cast<std::size_t>(n))
    {
        for (auto& board : boards_) {
            board.resize(static_cast<std::size_t>(n));
        }
    }

    int size() const { return size_; }

    /// Shows `bytes` bytes of each rank to all: read(rank, data) is called for every rank, in their order.
    template <class Read>
    void show(int rank, const void* mine, std::size_t bytes, const Read& read)
    {
        std::unique_lock lock(mutex_);
        check_failure();
        // Two boards are enough: all ranks have read one before the first can write to it again.
        auto& board = boards_[act_ % 2];
        const auto* const data = static_cast<const std::byte*>(mine);
        board[static_cast<std::size_t>(rank)].assign(data, data + bytes);
        const auto act = act_;
        if (++num_arrived_ == size_) {
            num_arrived_ = 0;
            ++act_;
            changed_.notify_all();
        }
        changed_.wait(lock, [&] { return act_ != act || has_failed(); });
        if (act_ == act) {
            check_failure();
        }
        for (int r = 0; r < size_; ++r) {
            if (board[static_cast<std::size_t>(r)].size() != bytes) {
                throw Error("ranks " + std::to_string(rank) + " and " + std::to_string(r) +
                            " take part in different collective acts");
            }
            read(r, board[static_cast<std::size_t>(r)].data());
        }
    }

    void send(int from, const Message& message)
    {
        const std::lock_guard lock(mutex_);
        check_failure();
        const auto* const data = static_cast<const std::byte*>(message.data);
        box(from, message.rank).emplace_back(data, data + message.bytes);
        changed_.notify_all();
    }

    void receive(int to, const Message& message)
    {
        std::unique_lock lock(mutex_);
        auto& letters = box(message.rank, to);
        changed_.wait(lock, [&] { return !letters.empty() || has_failed(); });
        if (letters.empty()) {
            check_failure();
        }
        if (letters.front().size() != message.bytes) {
            throw Error("rank " + std::to_string(to) + " expects " + std::to_string(message.bytes) + " bytes of rank " +
                        std::to_string(message.rank) + ", which sent " + std::to_string(letters.front().size()));
        }
        std::copy(letters.front().begin(), letters.front().end(), static_cast<std::byte*>(message.data));
        letters.pop_front();
    }

    void look()
    {
        const std::lock_guard lock(mutex_);
        check_failure();
    }

    void fail(const FailureNotice& notice)
    {
        const std::lock_guard lock(mutex_);
        if (!has_failed()) {
            failure_ = notice;
        }
        changed_.notify_all();
    }

private:
    using Bytes = std::vector<std::byte>;

    std::deque<Bytes>& box(int from, int to)
    {
        return boxes_[static_cast<std::size_t>(from) * static_cast<std::size_t>(size_) + static_cast<std::size_t>(to)];
    }
    bool has_failed() const { return failure_.rank >= 0; }
    void check_failure() const
    {
        if (has_failed()) {
            failure_.raise();
        }
    }

    int size_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Bytes> boards_[2];
    std::uint64_t act_ = 0;
    int num_arrived_ = 0;
    std::vector<std::deque<Bytes>> boxes_;
    FailureNotice failure_;
};

class ThreadExchange final : public PendingExchange {
public:
    ThreadExchange(std::shared_ptr<ThreadGroup> group, int rank, std::span<const Message> received)
        : group_(std::move(group)),
          rank_(rank),
          received_(received.begin(), received.end())
    {
    }
    void wait() override
    {
        for (const auto& message : received_) {
            group_->receive(rank_, message);
        }
    }

private:
    std::shared_ptr<ThreadGroup> group_;
    int rank_;
    std::vector<Message> received_;
};

class ThreadTransport final : public Transport {
public:
    ThreadTransport(std::shared_ptr<ThreadGroup> group, int rank) : group_(std::move(group)), rank_(rank) {}

    std::string_view name() const override { return "threads"; }
    int rank() const override { return rank_; }
    int size() const override { return group_->size(); }

    void all_gather(const void* mine, std::size_t bytes, void* all) override
    {
        group_->show(rank_, mine, bytes, [&](int r, const std::byte* data) {
            std::copy_n(data, bytes, static_cast<std::byte*>(all) + static_cast<std::size_t>(r) * bytes);
        });
    }
    void all_to_all(const void* mine, std::size_t bytes, void* theirs) override
    {
        const auto offset = [&](int r) { return static_cast<std::size_t>(r) * bytes; };
        group_->show(rank_, mine, offset(size()), [&](int r, const std::byte* data) {
            std::copy_n(data + offset(rank_), bytes, static_cast<std::byte*>(theirs) + offset(r));
        });
    }
    std::unique_ptr<PendingExchange> start(std::span<const Message> sent, std::span<const Message> received) override
    {
        for (const auto& message : sent) {
            group_->send(rank_, message);
        }
        return std::make_unique<ThreadExchange>(group_, rank_, received);
    }
    void look() override { group_->look(); }
    std::unique_ptr<PendingExchange> start_gather(const void* mine, std::size_t bytes, void* all) override;
    void fail(const FailureNotice& notice) noexcept override { group_->fail(notice); }

private:
    std::shared_ptr<ThreadGroup> group_;
    int rank_;
};

/// All is shown when it is waited for.
class ThreadGather final : public PendingExchange {
public:
    ThreadGather(ThreadTransport& transport, const void* mine, std::size_t bytes, void* all)
        : transport_(transport),
          mine_(mine),
          bytes_(bytes),
          all_(all)
    {
    }
    void wait() override { transport_.all_gather(mine_, bytes_, all_); }

private:
    ThreadTransport& transport_;
    const void* mine_;
    std::size_t bytes_;
    void* all_;
};

std::unique_ptr<PendingExchange> ThreadTransport::start_gather(const void* mine, std::size_t bytes, void* all)
{
    return std::make_unique<ThreadGather>(*this, mine, bytes, all);
}

}  // namespace

std::vector<std::shared_ptr<Transport>> make_thread_transports(int n)
{
    const auto group = std::make_shared<ThreadGroup>(n);
    std::vector<std::shared_ptr<Transport>> transports;
    for (int rank = 0; rank < n; ++rank) {
        transports.push_back(std::make_shared<ThreadTransport>(group, rank));
    }
    return transports;
}

}  // namespace linden::detail
