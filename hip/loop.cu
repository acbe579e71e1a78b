#include <algorithm>
#include <memory>
#include <type_traits>
#include <vector>

#include "gpu/runtime/device_loop.hpp"

/// The loop of iterative solvers on HIP, whose graphs have no loops: a graph of some iterations, a batch, is replayed
/// until the flag has dropped. Behind each batch the flag is copied to page-locked memory, and the host reads it when
/// the next batch is under way, so that the device always has work. At most two batchs run in vain; they do nothing,
/// by the contract of the loop's kernels.
namespace linden::hip {
namespace {

/// So many kernels are recorded into one batch, by repeating the loop's body: enough to hide the host's wait.
constexpr std::uint64_t kernels_per_batch = 32;
constexpr std::uint64_t max_repetitions = 8;

/// A copy of the flag in page-locked memory, and the event behind which it holds.
class FlagCopy {
public:
    FlagCopy()
    {
        check(hipEventCreateWithFlags(&there_, hipEventDisableTiming), "EventCreateWithFlags");
        flag_ = static_cast<std::int32_t*>(allocate_pinned(sizeof *flag_));
    }
    ~FlagCopy()
    {
        (void)hipEventSynchronize(there_);
        (void)hipEventDestroy(there_);
        free_pinned(flag_);
    }
    FlagCopy(const FlagCopy&) = delete;
    FlagCopy& operator=(const FlagCopy&) = delete;

    void take(const std::int32_t* running, hipStream_t stream)
    {
        check(hipMemcpyAsync(flag_, running, sizeof *flag_, hipMemcpyDeviceToHost, stream), "MemcpyAsync");
        check(hipEventRecord(there_, stream), "EventRecord");
    }
    bool wait_and_read() const
    {
        check(hipEventSynchronize(there_), "EventSynchronize");
        return *static_cast<const volatile std::int32_t*>(flag_) != 0;
    }

private:
    hipEvent_t there_ = nullptr;
    std::int32_t* flag_ = nullptr;
};

class BatchLoop final : public DeviceLoop {
public:
    using DeviceLoop::DeviceLoop;
    ~BatchLoop() override { release(); }

    void run(const std::int32_t* running, std::span<const std::uintptr_t> key, bool capturable,
             const std::function<void()>& body) override
    {
        const DeviceScope scope(exec_.device());
        runs_from_host_ = false;
        hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
        check(hipStreamIsCapturing(exec_.stream(), &status), "StreamIsCapturing");
        if (status != hipStreamCaptureStatusNone) {
            throw NotSupported("an iterative solve inside a stream capture",
                               "HIP's graphs have no loops, so the host must read when to stop");
        }
        if (!capturable) {
            run_from_host(running, body);
            return;
        }
        if (graph_ == nullptr || !std::equal(key.begin(), key.end(), key_.begin(), key_.end())) {
            if (!build(body)) {
                body();  // once from the host: after that, what works in the body has its memory
                if (!build(body)) {
                    run_from_host(running, body);
                    return;
                }
            }
            key_.assign(key.begin(), key.end());
        }
        replay(running);
    }

private:
    /// Waits for one batch while the next one is under way.
    void replay(const std::int32_t* running)
    {
        if (flags_ == nullptr) {
            flags_ = std::make_unique<FlagCopy[]>(2);
        }
        const auto launch_batch = [&](std::uint64_t batch) {
            check(hipGraphLaunch(graph_, exec_.stream()), "GraphLaunch");
            exec_.count_launches(launches_);
            flags_[batch % 2].take(running, exec_.stream());
        };
        launch_batch(0);
        for (std::uint64_t batch = 0;; ++batch) {
            launch_batch(batch + 1);
            exec_.count_synchronization();
            if (!flags_[batch % 2].wait_and_read()) {
                return;
            }
        }
    }

    /// Records a batch; false where the body does what cannot be recorded, such as to allocate.
    bool build(const std::function<void()>& body)
    {
        release();
        hipGraph_t graph = nullptr;
        try {
            graph = record(body);
        } catch (const NotSupported&) {
            return false;
        }
        const auto destroy = [](hipGraph_t g) { (void)hipGraphDestroy(g); };
        const std::unique_ptr<std::remove_pointer_t<hipGraph_t>, decltype(destroy)> owner(graph, destroy);
        check(hipGraphInstantiate(&graph_, graph, nullptr, nullptr, 0), "GraphInstantiate");
        return true;
    }

    hipGraph_t record(const std::function<void()>& body)
    {
        const RecordingStream stream;
        hipGraph_t graph = nullptr;
        check(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed), "StreamBeginCapture");
        try {
            const GpuExecutor::Recording recording(exec_, stream);
            const std::uint64_t before = exec_.num_host_launches();
            body();
            const std::uint64_t once = exec_.num_host_launches() - before;
            const std::uint64_t repetitions = exec_.repetitions(once, kernels_per_batch, max_repetitions);
            for (std::uint64_t i = 1; i < repetitions; ++i) {
                body();
            }
            launches_ = exec_.num_host_launches() - before;
            exec_.discount_launches(launches_);
        } catch (...) {
            if (hipStreamEndCapture(stream, &graph) == hipSuccess) {
                (void)hipGraphDestroy(graph);
            }
            (void)hipGetLastError();
            throw;
        }
        check(hipStreamEndCapture(stream, &graph), "StreamEndCapture");
        return graph;
    }

    void release()
    {
        if (graph_ != nullptr) {
            (void)hipGraphExecDestroy(graph_);
            graph_ = nullptr;
        }
    }

    hipGraphExec_t graph_ = nullptr;
    std::uint64_t launches_ = 0;  // of a batch
    std::vector<std::uintptr_t> key_;
    std::unique_ptr<FlagCopy[]> flags_;
};

}  // namespace

std::unique_ptr<LoopState> GpuExecutor::make_loop() { return std::make_unique<BatchLoop>(*this); }

bool GpuExecutor::can_record_loops() const { return false; }

ClusterMemory GpuExecutor::cluster_memory() const { return {}; }

GridMemory GpuExecutor::grid_memory() const { return {}; }

}  // namespace linden::hip
