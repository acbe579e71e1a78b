#pragma once

#include <linden/executor.hpp>
#include <linden/log/logger.hpp>
#include <linden/memory.hpp>
#include <linden/stopwatch.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

/// What a backend implements to become an executor.
namespace linden {

/// Replays a loop body on an executor; a GPU backend keeps the captured graph here between runs.
class LoopState {
public:
    virtual ~LoopState() = default;
    /// Calls `body`, or replays what it launched, until `*running` (in the executor's memory) is 0. Kernels of a body
    /// must leave finished columns alone: the body may run a few times more after the flag has dropped.
    /// `key` names what the body depends on (addresses, sizes): a captured body is reused while it stays the same.
    /// `capturable` false asks for the host loop, which reads the flag after every body.
    virtual void run(const std::int32_t* running, std::span<const std::uintptr_t> key, bool capturable,
                     const std::function<void()>& body) = 0;
    /// Calls `body` unless `*flag` is known to be 0: within a body of `run` that holds several iterations, this saves
    /// those after the last. Host executors look; by default `body` is called, since its kernels check by themselves.
    virtual void run_if(const std::int32_t* flag, const std::function<void()>& body)
    {
        (void)flag;
        body();
    }
};

/// Fast memory that some blocks of one kernel share, with barriers among them.
struct ClusterMemory {
    int num_blocks = 0;
    std::size_t bytes_per_block = 0;
};

/// Blocks that a device runs at the same time, one on each of its multiprocessors, and the cache behind them all.
struct ResidentMemory {
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

    /// Waits for everything asked for so far.
    virtual void synchronize() = 0;
    /// host memory -> here; the host range may be reused when the call returns
    virtual void copy_from_host(const void* source, void* target, std::size_t bytes) = 0;
    /// here -> host memory; done when the call returns
    virtual void copy_to_host(const void* source, void* target, std::size_t bytes) = 0;
    /// here -> here, or -> another executor of the same backend, ordered with the work of both
    virtual void copy_to_peer(const void* source, ExecutorState& peer, void* target, std::size_t bytes) = 0;
    /// Sets `bytes` bytes here to zero, ordered with the work.
    virtual void fill_zero(void* target, std::size_t bytes) = 0;
    virtual std::unique_ptr<LoopState> make_loop() = 0;
    /// By default one on the host's clock.
    virtual std::unique_ptr<StopwatchState> make_stopwatch();
    /// Whether what this thread asks for is being recorded, to run later.
    virtual bool is_recording() const { return false; }
    /// Whether a loop may become part of what is being recorded; false where its host must read when to stop.
    virtual bool can_record_loops() const { return true; }
    /// What the hardware has of it; nothing on most.
    virtual ClusterMemory cluster_memory() const { return {}; }
    virtual ResidentMemory resident_memory() const { return {}; }

    void* allocate(std::size_t bytes);
    void deallocate(void* data, std::size_t bytes) noexcept;

    virtual ExecutorCounters counters() const;
    void reset_peak() { peak_bytes_ = allocated_bytes_.load(); }
    void count_launches(std::uint64_t n) { launches_.fetch_add(n, std::memory_order_relaxed); }
    void discount_launches(std::uint64_t n) { launches_.fetch_sub(n, std::memory_order_relaxed); }
    /// Launches that the host made or recorded.
    std::uint64_t num_host_launches() const { return launches_; }
    void count_synchronization() { synchronizations_.fetch_add(1, std::memory_order_relaxed); }

    void add_logger(std::shared_ptr<Logger> logger) { loggers_.push_back(std::move(logger)); }
    void remove_logger(const Logger* logger);
    std::span<const std::shared_ptr<Logger>> loggers() const { return loggers_; }

protected:
    void set_memory(std::shared_ptr<MemoryResource> memory) { memory_ = std::move(memory); }
    /// Throws NotSupported where memory cannot be had now, as while a device records a loop body.
    virtual void check_can_allocate() const {}

private:
    Backend backend_;
    int device_;
    std::shared_ptr<MemoryResource> memory_;
    std::vector<std::shared_ptr<Logger>> loggers_;
    std::atomic<std::uint64_t> launches_{0}, synchronizations_{0}, allocations_{0};
    std::atomic<std::uint64_t> allocated_bytes_{0}, peak_bytes_{0};
};

/// An executor whose memory the host can read and whose work is done when the call returns.
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
    explicit Loop(const Executor& exec) : state_(exec.state().make_loop()) {}
    void run(const std::int32_t* running, std::span<const std::uintptr_t> key, bool capturable,
             const std::function<void()>& body)
    {
        state_->run(running, key, capturable, body);
    }
    void run_if(const std::int32_t* flag, const std::function<void()>& body) { state_->run_if(flag, body); }

private:
    std::unique_ptr<LoopState> state_;
};

/// What a backend registers: how to make its executors, and what devices there are.
struct BackendEntry {
    std::shared_ptr<ExecutorState> (*create)(const ExecutorOptions&) = nullptr;
    BackendInfo (*info)() = nullptr;
};
void register_backend(Backend backend, BackendEntry entry);

/// Registers every backend of this build, once. Defined by the list that the build writes.
void register_backends();

}  // namespace linden
