#include "core/distributed/transport.hpp"

#include <linden/distributed/mpi.hpp>

#include <algorithm>
#include <climits>
#include <optional>
#include <thread>

#include "mpi/host_ranks.hpp"
#include "mpi/ptscotch/partition.hpp"

namespace linden {
namespace {

constexpr int data_tag = 1;
constexpr int failure_tag = 2;
/// MPI counts in int.
constexpr std::size_t max_message_bytes = std::size_t{1} << 30;
/// What acts of all ranks need is kept for the next one up to so many bytes.
constexpr std::size_t most_kept_bytes = std::size_t{1} << 20;
/// A wait looks so often before it lets other threads run, which may be ranks on the same core.
constexpr int spins_before_yield = 200;

void check(std::string_view call, int code)
{
    if (code != MPI_SUCCESS) {
        char text[MPI_MAX_ERROR_STRING] = {};
        int length = 0;
        MPI_Error_string(code, text, &length);
        throw VendorError("MPI", call, code, text);
    }
}

int count_of(std::size_t bytes)
{
    if (bytes > INT_MAX) {
        throw InvalidParameter("bytes", std::to_string(bytes), "fewer than 2^31 from each rank to all");
    }
    return static_cast<int>(bytes);
}

/// Every wait also looks for the notice of a rank that failed, and for ranks of this host that have ended without one.
/// So none is for ever, and what was under way is then abandoned.
class MpiTransport final : public Transport {
public:
    explicit MpiTransport(MPI_Comm comm)
    {
        check("MPI_Comm_dup", MPI_Comm_dup(comm, &comm_));
        check("MPI_Comm_set_errhandler", MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN));
        check("MPI_Comm_rank", MPI_Comm_rank(comm_, &rank_));
        check("MPI_Comm_size", MPI_Comm_size(comm_, &size_));
        host_ranks_.emplace(comm_);
    }

    std::string_view name() const override { return "mpi"; }
    int rank() const override { return rank_; }
    int size() const override { return size_; }

    void all_gather(const void* mine, std::size_t bytes, void* all) override
    {
        const auto num_bytes = bytes * static_cast<std::size_t>(size_);
        put_in(mine, bytes, num_bytes);
        MPI_Request request = begin_gather(sent_.data(), bytes, received_.data());
        wait({&request, 1});
        take_out(num_bytes, all);
    }
    void all_to_all(const void* mine, std::size_t bytes, void* theirs) override
    {
        check_failure();
        const int count = count_of(bytes);
        const auto num_bytes = bytes * static_cast<std::size_t>(size_);
        put_in(mine, num_bytes, num_bytes);
        MPI_Request request{};
        check("MPI_Ialltoall",
              MPI_Ialltoall(sent_.data(), count, MPI_BYTE, received_.data(), count, MPI_BYTE, comm_, &request));
        wait({&request, 1});
        take_out(num_bytes, theirs);
    }
    std::unique_ptr<PendingExchange> start(std::span<const Message> sent, std::span<const Message> received) override;

    std::unique_ptr<PendingExchange> start_gather(const void* mine, std::size_t bytes, void* all) override;
    std::vector<std::int32_t> parts_of(const distributed::SpreadGraph& graph, int num_parts,
                                       const Communicator& ranks) override
    {
        return distributed::parts_by_ptscotch(comm_, graph, num_parts, ranks);
    }
    void look() override
    {
        hear();
        look_at_processes();
    }
    bool has_lost_ranks() const override { return failure_.has_ended != 0; }
    void fail(const FailureNotice& notice) noexcept override
    {
        if (failure_.rank >= 0) {
            return;  // the others have been told by who failed first
        }
        failure_ = notice;
        for (int r = 0; r < size_; ++r) {
            if (r != rank_) {
                MPI_Request request{};
                // The notice lives as long as the transport, and that as long as the process (see mpi_communicator).
                MPI_Isend(&failure_, sizeof failure_, MPI_BYTE, r, failure_tag, comm_, &request);
                MPI_Request_free(&request);
            }
        }
    }

    /// Until all requests are done. @throws RemoteError, VendorError
    void wait(std::span<MPI_Request> requests)
    {
        for (int spins = 0;; ++spins) {
            int done = 0;
            check("MPI_Testall",
                  MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE));
            if (done != 0) {
                return;
            }
            if (spins < spins_before_yield) {
                hear();
            } else {
                look();
                std::this_thread::yield();
            }
        }
    }

private:
    void put_in(const void* mine, std::size_t sent_bytes, std::size_t received_bytes)
    {
        check_failure();  // what an act that was abandoned still uses stays as it is
        sent_.resize(std::max(sent_.size(), sent_bytes));
        received_.resize(std::max(received_.size(), received_bytes));
        std::copy_n(static_cast<const std::byte*>(mine), sent_bytes, sent_.begin());
    }
    void take_out(std::size_t bytes, void* target)
    {
        std::copy_n(received_.begin(), bytes, static_cast<std::byte*>(target));
        if (received_.size() > most_kept_bytes) {
            sent_ = {};
            received_ = {};
        }
    }
    MPI_Request begin_gather(const void* mine, std::size_t bytes, void* all)
    {
        check_failure();
        const int count = count_of(bytes);
        MPI_Request request{};
        check("MPI_Iallgather", MPI_Iallgather(mine, count, MPI_BYTE, all, count, MPI_BYTE, comm_, &request));
        return request;
    }
    /// @throws RemoteError if a rank has told of a failure
    void hear()
    {
        receive_failure();
        check_failure();
    }
    void receive_failure()
    {
        int found = 0;
        MPI_Status status{};
        check("MPI_Iprobe", MPI_Iprobe(MPI_ANY_SOURCE, failure_tag, comm_, &found, &status));
        if (found != 0) {
            check("MPI_Recv", MPI_Recv(&failure_, sizeof failure_, MPI_BYTE, status.MPI_SOURCE, failure_tag, comm_,
                                       MPI_STATUS_IGNORE));
        }
    }
    /// A rank that has been killed has told nobody: who sees it tells all.
    void look_at_processes()
    {
        if (const int ended = host_ranks_->find_ended(); ended >= 0) {
            auto notice = make_notice(ended, std::make_exception_ptr(Error("its process has ended")));
            notice.has_ended = 1;
            fail(notice);
            check_failure();
        }
    }
    void check_failure() const
    {
        if (failure_.rank >= 0) {
            failure_.raise();
        }
    }

    friend class MpiExchange;
    friend class MpiGather;

    MPI_Comm comm_ = MPI_COMM_NULL;
    int rank_ = 0;
    int size_ = 1;
    FailureNotice failure_;
    std::optional<HostRanks> host_ranks_;
    // Of acts of all ranks, which cannot be cancelled: when one is abandoned, others may still write here.
    std::vector<std::byte> sent_, received_;
};

/// Receives that nobody has waited for are cancelled, so that no rank writes to memory that its owner frees then.
class MpiExchange final : public PendingExchange {
public:
    MpiExchange(MpiTransport& transport, std::span<const Message> sent, std::span<const Message> received)
        : transport_(transport)
    {
        for_each_piece(received, [&](const Message& m, std::byte* data, int bytes, MPI_Request* request) {
            check("MPI_Irecv", MPI_Irecv(data, bytes, MPI_BYTE, m.rank, data_tag, transport.comm_, request));
        });
        num_received_ = requests_.size();
        for_each_piece(sent, [&](const Message& m, std::byte* data, int bytes, MPI_Request* request) {
            check("MPI_Isend", MPI_Isend(data, bytes, MPI_BYTE, m.rank, data_tag, transport.comm_, request));
        });
    }
    MpiExchange(const MpiExchange&) = delete;
    MpiExchange& operator=(const MpiExchange&) = delete;
    ~MpiExchange() override
    {
        int is_over = 0;
        MPI_Finalized(&is_over);
        for (std::size_t i = 0; i < num_received_ && is_over == 0; ++i) {
            if (requests_[i] != MPI_REQUEST_NULL) {
                MPI_Cancel(&requests_[i]);
                MPI_Wait(&requests_[i], MPI_STATUS_IGNORE);
            }
        }
    }
    void wait() override { transport_.wait(requests_); }

private:
    template <class Use>
    void for_each_piece(std::span<const Message> messages, const Use& use)
    {
        for (const auto& message : messages) {
            for (std::size_t at = 0; at < message.bytes; at += max_message_bytes) {
                MPI_Request request{};
                use(message, static_cast<std::byte*>(message.data) + at,
                    static_cast<int>(std::min(max_message_bytes, message.bytes - at)), &request);
                requests_.push_back(request);
            }
        }
    }

    MpiTransport& transport_;
    std::vector<MPI_Request> requests_;
    std::size_t num_received_ = 0;  // which come first
};

std::unique_ptr<PendingExchange> MpiTransport::start(std::span<const Message> sent, std::span<const Message> received)
{
    check_failure();
    return std::make_unique<MpiExchange>(*this, sent, received);
}

/// Has memory of its own, which lives on where nobody waits: the other ranks may still take part.
class MpiGather final : public PendingExchange {
public:
    MpiGather(MpiTransport& transport, const void* mine, std::size_t bytes, void* all)
        : transport_(transport),
          buffers_(std::make_unique<Buffers>()),
          all_(all)
    {
        const auto* const data = static_cast<const std::byte*>(mine);
        buffers_->mine.assign(data, data + bytes);
        buffers_->all.resize(bytes * static_cast<std::size_t>(transport.size()));
        request_ = transport_.begin_gather(buffers_->mine.data(), bytes, buffers_->all.data());
    }
    ~MpiGather() override
    {
        if (!is_done_) {
            (void)buffers_.release();
        }
    }
    void wait() override
    {
        transport_.wait({&request_, 1});
        is_done_ = true;
        std::copy(buffers_->all.begin(), buffers_->all.end(), static_cast<std::byte*>(all_));
    }

private:
    struct Buffers {
        std::vector<std::byte> mine, all;
    };

    MpiTransport& transport_;
    std::unique_ptr<Buffers> buffers_;
    void* all_;
    MPI_Request request_{};
    bool is_done_ = false;
};

std::unique_ptr<PendingExchange> MpiTransport::start_gather(const void* mine, std::size_t bytes, void* all)
{
    return std::make_unique<MpiGather>(*this, mine, bytes, all);
}

}  // namespace

Communicator mpi_communicator(MPI_Comm comm)
{
    // Never deleted: messages of a failure may still be under way when the last handle goes.
    return Communicator(std::shared_ptr<Transport>(new MpiTransport(comm), [](Transport*) {}));
}

}  // namespace linden
