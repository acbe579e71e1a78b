#pragma once

#include <linden/fwd.hpp>
#include <linden/types.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// Executors: where data lives and kernels run.
namespace linden {

class ExecutorState;
class Logger;

/// How to make an executor; what a backend has no use for is ignored.
struct ExecutorOptions {
    int device = 0;                            ///< which GPU
    int threads = 0;                           ///< OpenMP threads; 0 means all
    void* stream = nullptr;                    ///< a CUDA/HIP stream of yours to work on; null means one of our own
    std::shared_ptr<MemoryResource> memory{};  ///< null means the backend's pool
};

/// What an executor has done so far. Differences of two snapshots say what happened between them.
struct ExecutorCounters {
    std::uint64_t kernel_launches = 0;
    std::uint64_t host_synchronizations = 0;  ///< times the host waited for the executor, or read from it
    std::uint64_t allocations = 0;
    std::uint64_t allocated_bytes = 0;  ///< now
    std::uint64_t peak_bytes = 0;       ///< the most that `allocated_bytes` has been
};

/// What a device is, for people to read.
struct DeviceInfo {
    std::string name;
    int num_units = 0;  ///< threads on the host, multiprocessors on a GPU
    std::uint64_t memory_bytes = 0;
};

/// A handle on an execution space; copies are cheap and mean the same space.
///
/// Work on one executor happens in the order in which it was asked for. On a GPU it is asynchronous: `synchronize()`
/// waits. Host executors are done when the call returns.
class LINDEN_EXPORT Executor {
public:
    /// The sequential backend that defines what every kernel means.
    static Executor reference(ExecutorOptions options = {});
    /// The multicore backend.
    static Executor omp(ExecutorOptions options = {});
    /// @throws BackendNotAvailable if the library was built without CUDA or there is no such device
    static Executor cuda(ExecutorOptions options = {});
    /// @throws BackendNotAvailable if the library was built without HIP or there is no such device
    static Executor hip(ExecutorOptions options = {});
    static Executor create(Backend backend, ExecutorOptions options = {});
    /// From a name: reference, omp, cuda or hip. @throws InvalidParameter
    static Executor create(std::string_view name, ExecutorOptions options = {});

    Backend backend() const;
    int device() const;
    /// Whether the host can read this executor's memory.
    bool is_host() const;
    DeviceInfo info() const;
    /// `reference`, `omp`, `cuda:0`.
    std::string name() const;

    void synchronize() const;
    ExecutorCounters counters() const;
    /// Starts the peak anew from what is allocated now.
    void reset_peak() const;

    /// `bytes` bytes here; null for 0 bytes. @throws OutOfMemory
    void* allocate(std::size_t bytes) const;
    void deallocate(void* data, std::size_t bytes) const noexcept;

    /// A logger sees every kernel, allocation and copy of this executor from now on. Not while kernels run.
    void add_logger(std::shared_ptr<Logger> logger) const;
    void remove_logger(const Logger* logger) const;

    friend bool operator==(const Executor& a, const Executor& b) { return a.state_ == b.state_; }

    ExecutorState& state() const { return *state_; }

private:
    explicit Executor(std::shared_ptr<ExecutorState> state) : state_(std::move(state)) {}
    std::shared_ptr<ExecutorState> state_;
};

/// Copies bytes between any two executors. Ordered with the work of both; when `to` is a host executor the bytes are
/// there when the call returns.
LINDEN_EXPORT void copy_bytes(const Executor& from, const void* source, const Executor& to, void* target,
                              std::size_t bytes);

/// Whether a backend was built in, and which devices it finds.
struct BackendInfo {
    Backend backend;
    bool built = false;
    std::string why_not;  ///< empty if it can be used
    std::vector<DeviceInfo> devices;
};
LINDEN_EXPORT BackendInfo backend_info(Backend backend);

}  // namespace linden
