#pragma once

#include <linden/executor.hpp>
#include <linden/log/logger.hpp>
#include <linden/memory.hpp>
#include <linden/stopwatch.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// What a backend implements to become an executor.
namespace linden {

class KernelInspector;
class MessageLibrary;
class PeerAccess;

/// The loop of an executor; a GPU backend keeps the recorded graph here between runs.
class LoopState {
public:
    virtual ~LoopState() = default;
    /// Calls `body`, or replays the kernels that it launched, until `*running` (in the executor's memory) is 0. Kernels
    /// of a body must not change stopped columns: the body may run a few more times after the flag has become 0.
    /// `key` identifies what the body depends on (addresses, sizes); a recorded body is reused while it is unchanged.
    /// `capturable` = false selects the host loop, which reads the flag after every body.
    virtual void run(const std::int32_t* running, std::span<const std::uintptr_t> key, bool capturable,
                     const std::function<void()>& body) = 0;
    /// Calls `body` unless `*flag` is known to be 0. In a body of `run` with several iterations this skips those after
    /// the last one. Host executors read the flag; by default `body` is called, since its kernels check it themselves.
    virtual void run_if(const std::int32_t* flag, const std::function<void()>& body)
    {
        (void)flag;
        body();
    }
};

/// The shared memory of a thread block cluster, whose blocks can synchronise and access each other's.
struct ClusterMemory {
    int num_blocks = 0;
    std::size_t bytes_per_block = 0;
};

/// What a persistent kernel can use: one resident block per multiprocessor with its shared memory, and the L2 cache.
struct GridMemory {
    int num_blocks = 0;
    std::size_t bytes_per_block = 0;
    std::size_t cache_bytes = 0;
};

class ExecutorState {
public:
    ExecutorState(Backend backend, int device, std::shared_ptr<MemoryResource> memory)
        : backend_(backend),
          device_(device),
          memory_(std::move(memory))
    {
    }
    virtual ~ExecutorState() = default;
    ExecutorState(const ExecutorState&) = delete;
    ExecutorState& operator=(const ExecutorState&) = delete;

    Backend backend() const { return backend_; }
    int device() const { return device_; }
    virtual bool is_host() const = 0;
    virtual DeviceInfo info() const = 0;
    std::string name() const;

    /// Waits for all submitted work.
    virtual void synchronize() = 0;
    /// Host memory to this executor; the host memory may be reused when the call returns.
    virtual void copy_from_host(const void* source, void* target, std::size_t bytes) = 0;
    /// This executor to host memory; finished when the call returns.
    virtual void copy_to_host(const void* source, void* target, std::size_t bytes) = 0;
    /// Within this executor or to another one of the same backend, in order with the work of both.
    virtual void copy_to_peer(const void* source, ExecutorState& peer, void* target, std::size_t bytes) = 0;
    /// Sets `bytes` bytes to zero, in order with the work.
    virtual void fill_zero(void* target, std::size_t bytes) = 0;
    virtual std::unique_ptr<LoopState> make_loop() = 0;
    /// The default uses the host's clock.
    virtual std::unique_ptr<StopwatchState> make_stopwatch();
    /// Whether work submitted by this thread is being recorded, to run later.
    virtual bool is_recording() const { return false; }
    /// Whether a loop can be part of a recording; false if the host has to read the loop's flag.
    virtual bool can_record_loops() const { return true; }
    /// Zero where the hardware has none.
    virtual ClusterMemory cluster_memory() const { return {}; }
    virtual GridMemory grid_memory() const { return {}; }
    /// Memory that other ranks reach; null where the backend has none.
    virtual PeerAccess* peer_access() { return nullptr; }
    /// From now on recorded loops repeat their bodies so often, and not as suits the body: ranks whose kernels wait for
    /// each other must do the same.
    virtual void fix_repetitions() {}
    /// The vendor's library of messages between devices. @throws NotSupported if there is none, with what was tried
    virtual MessageLibrary& message_library();
    /// From now on waits for this executor's work call look(waited), again and again; what it throws ends a wait.
    /// `waited`: nanoseconds since the wait began.
    virtual void watch(std::function<void(std::int64_t)> look) { (void)look; }
    /// What this thread asks for between `begin_branch` and `end_branch` follows what it asked for before, and runs
    /// beside what it asks for behind, until `join_branch`. One branch at a time, without allocations. By default it is
    /// in order with all else.
    virtual void begin_branch() {}
    virtual void end_branch() {}
    virtual void join_branch() {}

    void* allocate(std::size_t bytes);
    void deallocate(void* data, std::size_t bytes) noexcept;

    /// Another executor of the same device, whose work does not wait for this one's. Made at the first call, for which
    /// a device waits, and kept. @throws BackendNotAvailable
    Executor aside();
    bool has_aside() const { return has_aside_; }

    virtual ExecutorCounters counters() const;
    void reset_peak() { peak_bytes_ = allocated_bytes_.load(); }
    void count_launches(std::uint64_t n) { launches_.fetch_add(n, std::memory_order_relaxed); }
    void discount_launches(std::uint64_t n) { launches_.fetch_sub(n, std::memory_order_relaxed); }
    /// Launches made or recorded by the host.
    std::uint64_t num_host_launches() const { return launches_; }
    void count_synchronization() { synchronizations_.fetch_add(1, std::memory_order_relaxed); }

    void add_logger(std::shared_ptr<Logger> logger) { loggers_.push_back(std::move(logger)); }
    void remove_logger(const Logger* logger);
    std::span<const std::shared_ptr<Logger>> loggers() const { return loggers_; }

    /// Calls kernels in place of their callers from now on; null: nobody does.
    void set_inspector(KernelInspector* inspector) { inspector_ = inspector; }
    KernelInspector* inspector() const { return inspector_; }

protected:
    void set_memory(std::shared_ptr<MemoryResource> memory) { memory_ = std::move(memory); }
    /// @throws NotSupported if memory cannot be allocated now, as while a device records a loop body
    virtual void check_can_allocate() const {}

private:
    Backend backend_;
    int device_;
    std::shared_ptr<MemoryResource> memory_;
    std::vector<std::shared_ptr<Logger>> loggers_;
    KernelInspector* inspector_ = nullptr;
    std::mutex aside_mutex_;
    std::optional<Executor> aside_;
    std::atomic<bool> has_aside_{false};
    std::atomic<std::uint64_t> launches_{0}, synchronizations_{0}, allocations_{0};
    std::atomic<std::uint64_t> allocated_bytes_{0}, peak_bytes_{0};
};

/// What this thread asks an executor for while it lives is a branch.
class Branch {
public:
    explicit Branch(ExecutorState& exec) : exec_(exec) { exec_.begin_branch(); }
    ~Branch() { exec_.end_branch(); }
    Branch(const Branch&) = delete;
    Branch& operator=(const Branch&) = delete;

private:
    ExecutorState& exec_;
};

/// An executor whose memory the host can access and whose work has finished when a call returns.
class HostExecutorState : public ExecutorState {
public:
    using ExecutorState::ExecutorState;
    bool is_host() const override { return true; }
    void synchronize() override {}
    void copy_from_host(const void* source, void* target, std::size_t bytes) override;
    void copy_to_host(const void* source, void* target, std::size_t bytes) override;
    void copy_to_peer(const void* source, ExecutorState& peer, void* target, std::size_t bytes) override;
    void fill_zero(void* target, std::size_t bytes) override;
    std::unique_ptr<LoopState> make_loop() override;
};

/// The loop primitive of iterative solvers, bound to an executor; owned by a solver's workspace.
class Loop {
public:
    explicit Loop(const Executor& exec) : executor_(&exec.state()), state_(executor_->make_loop()) {}
    void run(const std::int32_t* running, std::span<const std::uintptr_t> key, bool capturable,
             const std::function<void()>& body)
    {
        // Recorded kernels cannot be inspected.
        state_->run(running, key, capturable && executor_->inspector() == nullptr, body);
    }
    void run_if(const std::int32_t* flag, const std::function<void()>& body) { state_->run_if(flag, body); }

private:
    ExecutorState* executor_;
    std::unique_ptr<LoopState> state_;
};

/// What a backend registers: functions that create its executors and list its devices.
struct BackendEntry {
    std::shared_ptr<ExecutorState> (*create)(const ExecutorOptions&) = nullptr;
    BackendInfo (*info)() = nullptr;
};
void register_backend(Backend backend, BackendEntry entry);

/// Registers every backend of this build, once. Defined by the list that the build writes.
void register_backends();

}  // namespace linden
