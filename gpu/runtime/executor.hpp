#pragma once

#include <array>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "core/base/device_messages.hpp"
#include "core/base/executor_state.hpp"
#include "gpu/device/api.hpp"
#include "gpu/runtime/peer_access.hpp"
#include "gpu/runtime/side_stream.hpp"

/// The executor of a GPU: one device, one stream, memory in the order of that stream.
namespace linden::LINDEN_GPU_NAMESPACE {

class GpuExecutor final : public ExecutorState {
public:
    /// On the user's stream if `options.stream` is given. @throws BackendNotAvailable if there is no such device
    explicit GpuExecutor(const ExecutorOptions& options);
    ~GpuExecutor() override;

    bool is_host() const override { return false; }
    DeviceInfo info() const override;
    void synchronize() override;
    void copy_from_host(const void* source, void* target, std::size_t bytes) override;
    void copy_to_host(const void* source, void* target, std::size_t bytes) override;
    void copy_to_peer(const void* source, ExecutorState& peer, void* target, std::size_t bytes) override;
    void fill_zero(void* target, std::size_t bytes) override;
    std::unique_ptr<LoopState> make_loop() override;
    std::unique_ptr<StopwatchState> make_stopwatch() override;
    ClusterMemory cluster_memory() const override;
    GridMemory grid_memory() const override;
    bool can_record_loops() const override;
    PeerAccess* peer_access() override { return &windows_; }
    MessageLibrary& message_library() override;
    void watch(std::function<void(std::int64_t)> look) override { look_ = std::move(look); }
    void fix_repetitions() override { has_fixed_repetitions_ = true; }
    void begin_branch() override;
    void end_branch() override { branch_.reset(); }
    void join_branch() override;
    /// How often a loop's body of so many kernels is recorded, to make up `wanted` kernels.
    std::uint64_t repetitions(std::uint64_t launches, std::uint64_t wanted, std::uint64_t most) const;
    bool is_recording() const override { return stream() != stream_; }
    /// Waits for the device, to learn what replayed loops have launched.
    ExecutorCounters counters() const override;

    /// Waits for what was asked for before `event`.
    void wait_for(LINDEN_GPU(Event_t) event) const;

    /// Where this thread's work goes: the executor's stream, or the stream that records a loop body.
    Stream stream() const;
    int num_multiprocessors() const { return multiprocessors_; }
    /// Whether the device can begin a kernel while the one before it ends.
    bool can_overlap_kernels() const { return can_overlap_kernels_; }
    /// Where replayed loops count their kernels, in device memory.
    std::uint64_t* replayed_launches() const { return replayed_launches_; }

    /// Sends this thread's work to `stream`, which records it, for a scope.
    class Recording {
    public:
        Recording(const GpuExecutor& exec, Stream stream);
        ~Recording();
        Recording(const Recording&) = delete;
        Recording& operator=(const Recording&) = delete;

    private:
        const GpuExecutor* previous_exec_;
        Stream previous_stream_;
    };

protected:
    void check_can_allocate() const override;

private:
    /// Page-locked memory through which copies from and to pageable memory go, in turns. Large copies want more of it,
    /// which takes a device milliseconds to make.
    struct Staging {
        static constexpr std::size_t few_bytes = std::size_t{64} << 10;
        static constexpr std::size_t most_bytes = std::size_t{4} << 20;
        std::size_t bytes = 0;
        std::byte* data = nullptr;
        LINDEN_GPU(Event_t) done = nullptr;
    };
    /// For a copy of so many bytes; returns how many of them each buffer takes.
    std::size_t make_staging(std::size_t bytes);
    void refuse_while_recording(std::string_view what) const;
    /// Until ask() is no longer "not ready".
    template <class Ask>
    void wait_until(const Ask& ask, std::string_view call) const;

    Stream stream_;
    bool owns_stream_;
    int multiprocessors_ = 0;
    bool can_overlap_kernels_ = false;
    bool has_fixed_repetitions_ = false;
    DeviceWindows windows_;
    std::uint64_t* replayed_launches_ = nullptr;
    std::mutex staging_mutex_;
    std::array<Staging, 2> staging_;
    std::unique_ptr<MessageLibrary> message_library_;
    std::function<void(std::int64_t)> look_;          // while it waits
    std::vector<std::unique_ptr<SideStream>> sides_;  // of branches, one for each recording within another
    SideStream* side_ = nullptr;                      // of the last branch
    std::optional<Recording> branch_;
};

/// The library of messages between devices, for this executor's. @throws NotSupported with what was tried
std::unique_ptr<MessageLibrary> find_message_library(GpuExecutor& exec);

/// Blocks of a cluster; more than the portable 8, which devices with clusters have so far.
inline constexpr int cluster_blocks = 16;

/// What backend_info() tells of this backend.
BackendInfo info_of_backend();

/// The executor behind a handle that a kernel of this backend was called with.
inline GpuExecutor& gpu(const Executor& exec) { return static_cast<GpuExecutor&>(exec.state()); }

}  // namespace linden::LINDEN_GPU_NAMESPACE
