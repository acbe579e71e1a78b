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

/// Options of an executor; a backend ignores those that do not apply to it.
struct ExecutorOptions {
    int device = 0;                            ///< number of the GPU
    int threads = 0;                           ///< OpenMP threads; 0: all
    void* stream = nullptr;                    ///< the caller's CUDA/HIP stream; null: the executor creates one
    std::shared_ptr<MemoryResource> memory{};  ///< null: the backend's pool
};

/// Counters of an executor since its creation; the difference of two snapshots covers the time between them.
struct ExecutorCounters {
    std::uint64_t kernel_launches = 0;
    std::uint64_t host_synchronizations = 0;  ///< times the host waited for the executor or read from it
    std::uint64_t allocations = 0;
    std::uint64_t allocated_bytes = 0;  ///< currently allocated
    std::uint64_t peak_bytes = 0;       ///< maximum of `allocated_bytes`
};

/// A human-readable description of a device.
struct DeviceInfo {
    std::string name;
    int num_units = 0;  ///< threads on the host, multiprocessors on a GPU
    std::uint64_t memory_bytes = 0;
};

/// A handle to an execution space; copies are cheap and refer to the same space.
///
/// Work on one executor runs in the order in which it was submitted. On a GPU it is asynchronous, and `synchronize()`
/// waits for it. Host executors have finished when a call returns.
class LINDEN_EXPORT Executor {
public:
    /// The sequential backend, which defines what every kernel means.
    static Executor reference(ExecutorOptions options = {});
    /// The multicore backend (OpenMP).
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
    /// Resets the peak to the currently allocated bytes.
    void reset_peak() const;

    /// `bytes` bytes of the executor's memory; null for 0 bytes. @throws OutOfMemory
    void* allocate(std::size_t bytes) const;
    void deallocate(void* data, std::size_t bytes) const noexcept;

    /// From now on the logger sees every kernel, allocation and copy of this executor. Must not be called while kernels
    /// run. @throws InvalidParameter if it is null
    void add_logger(std::shared_ptr<Logger> logger) const;
    void remove_logger(const Logger* logger) const;

    friend bool operator==(const Executor& a, const Executor& b) { return a.state_ == b.state_; }

    ExecutorState& state() const { return *state_; }

private:
    explicit Executor(std::shared_ptr<ExecutorState> state) : state_(std::move(state)) {}
    std::shared_ptr<ExecutorState> state_;
};

/// Copies bytes between any two executors, in order with the work of both. If `to` is a host executor, the copy has
/// finished when the call returns.
LINDEN_EXPORT void copy_bytes(const Executor& from, const void* source, const Executor& to, void* target,
                              std::size_t bytes);

/// Whether a backend was built, and which devices it finds.
struct BackendInfo {
    Backend backend;
    bool built = false;
    std::string why_not;  ///< why it cannot be used; empty if it can
    std::vector<DeviceInfo> devices;
};
LINDEN_EXPORT BackendInfo backend_info(Backend backend);

}  // namespace linden
