#pragma once

#include <linden/error.hpp>
#include <linden/types.hpp>

#include <cstddef>
#include <exception>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

/// Processes that solve a system together.
namespace linden {

class Transport;

/// Reproducible sums are formed over blocks of this many rows. Blocks begin at multiples of it in the numbering of all
/// ranks.
inline constexpr size_type sum_block_rows = 128;

/// The rows of all ranks together that one of them has.
struct RowRange {
    size_type first = 0;  ///< the number of its first row
    size_type most = 0;   ///< the most rows that any rank has
};

/// How devices of several ranks reach each other.
enum class DeviceTransport {
    automatic,  ///< `peer` where the ranks' devices reach each other, else `nccl` where it is found, else `staged`
    staged,     ///< copies in page-locked memory, and the communicator's own messages
    peer,       ///< kernels write to each other's memory; the devices are those of one host
    nccl        ///< messages of NCCL (RCCL on HIP), also between hosts; each rank has a device of its own
};

/// What a rank has exchanged since its communicator was made.
struct CommunicatorCounters {
    std::uint64_t gathers = 0;     ///< acts in which every rank hears from every other one: each sum is one
    std::uint64_t exchanges = 0;   ///< acts in which neighbours exchange messages: each product of a matrix is one
    std::uint64_t bytes_sent = 0;  ///< in exchanges, by this rank
};

/// A handle to a group of processes, the ranks; copies refer to the same group.
///
/// Acts marked as collective are called by all ranks, in the same order, by one thread of each. If a rank fails between
/// them, it says so to the others (`guard`), whose next or current act throws RemoteError. After that the communicator
/// can no longer be used. Where all ranks learn of a failure in the same act (`agree`) it can.
class LINDEN_EXPORT Communicator {
public:
    /// This process alone.
    static Communicator self();
    /// `n` ranks that are threads of this process, for tests: the handles of rank 0 to n - 1, each for a thread of its
    /// own. @throws InvalidParameter if n < 1
    static std::vector<Communicator> threads(int n);
    /// Takes the implementation of a backend; see `linden/distributed/mpi.hpp` for MPI's.
    explicit Communicator(std::shared_ptr<Transport> transport);

    int rank() const;
    int size() const;
    /// Whether there is one rank only.
    bool is_single() const { return size() == 1; }
    /// How ranks reach each other: `self`, `threads` or `mpi`.
    std::string_view transport_name() const;
    CommunicatorCounters counters() const;
    /// The same ranks, whose devices reach each other in this way.
    Communicator with_transport(DeviceTransport transport) const;
    DeviceTransport device_transport() const { return device_transport_; }

    /// The same ranks, with sums in solvers that have the same bits for any number of ranks, also one. A
    /// distributed::Matrix of such ranks needs a partition whose bounds are multiples of `sum_block_rows`. Methods that
    /// do not depend on the partition otherwise (Cg, BiCgStab, Gmres; Jacobi, Chebyshev) then give the same bits
    /// throughout.
    Communicator reproducible() const;
    bool is_reproducible() const { return is_reproducible_; }
    /// The same ranks; operators that are spread over them say where reproducible sums find their rows.
    Communicator with_rows(const RowRange& rows) const;
    const RowRange& own_rows() const { return own_rows_; }

    /// Collective. Ends in the same way on all ranks: if `failure` is not null on any of them, the ranks that failed
    /// rethrow theirs, and the others throw RemoteError for the first of them. The communicator stays usable.
    void agree(std::exception_ptr failure) const;
    /// Whether `failure` was thrown by the last act, an `agree`, so that all ranks have learned of it. If one rank goes
    /// on after it, all do.
    bool is_agreed(const std::exception_ptr& failure) const;
    /// Collective. `act` on each rank, then `agree`. `act` is work of this rank alone: no collective acts.
    template <class Act>
    auto agree_after(Act&& act) const
    {
        using Result = decltype(act());
        std::exception_ptr failure;
        if constexpr (std::is_void_v<Result>) {
            try {
                act();
            } catch (...) {
                failure = std::current_exception();
            }
            agree(failure);
        } else {
            std::unique_ptr<Result> result;
            try {
                result = std::make_unique<Result>(act());
            } catch (...) {
                failure = std::current_exception();
            }
            agree(failure);
            return std::move(*result);
        }
    }

    /// `act`, which may contain collective acts. If it throws, the other ranks are told, so that they do not wait for
    /// this one, and the exception goes on.
    template <class Act>
    auto guard(Act&& act) const
    {
        try {
            return act();
        } catch (...) {
            fail(std::current_exception());
            throw;
        }
    }
    /// Tells the other ranks that this one failed and will take part in nothing more. Has no effect if they know
    /// already, as after `agree`.
    void fail(std::exception_ptr failure) const noexcept;

    /// After work on devices: throws what a kernel has found out about other ranks. @throws RemoteError, Error
    void check() const;

    /// Collective. all[r * bytes, ...) := the `bytes` bytes at `mine` of rank r; all ranks pass the same number.
    void all_gather(const void* mine, std::size_t bytes, void* all) const;
    /// Collective. The value of each rank, in the order of ranks. T is trivially copyable.
    template <class T>
    std::vector<T> all_gather(const T& mine) const
    {
        std::vector<T> all(static_cast<std::size_t>(size()), mine);
        all_gather(&mine, sizeof(T), all.data());
        return all;
    }
    /// Collective. `act()` is called on rank 0, and all ranks return what it returned there, a trivially copyable
    /// value.
    /// @throws what it throws, on other ranks as RemoteError
    template <class Act>
    auto from_first(Act&& act) const
    {
        using Result = decltype(act());
        if (is_single()) {
            return act();
        }
        const auto mine = agree_after([&] { return rank() == 0 ? act() : Result{}; });
        return all_gather(mine).front();
    }

    Transport& transport() const { return *transport_; }
    friend bool operator==(const Communicator& a, const Communicator& b) { return a.transport_ == b.transport_; }

private:
    std::shared_ptr<Transport> transport_;
    bool is_reproducible_ = false;
    DeviceTransport device_transport_ = DeviceTransport::automatic;
    RowRange own_rows_;
};

}  // namespace linden
