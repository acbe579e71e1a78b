#include <algorithm>
#include <memory>
#include <type_traits>
#include <vector>

#include "cuda/grid_exchange.cuh"
#include "gpu/runtime/device_loop.hpp"

/// The loop of iterative solvers on CUDA: one graph whose WHILE node repeats the body with no host involvement.
///
/// A WHILE iteration costs 4.3 us and a kernel in it 0.55 us on an H200 (benchmark/results), so several short bodies
/// are recorded one after another; what runs after the flag has dropped does nothing, by the contract of the loop's
/// kernels. Products with matrices and preconditioners are not of these: longer bodies, whose preconditioners have some
/// kernels and leave few iterations, are not repeated, and where a body has many kernels behind a condition, an IF node
/// leaves them out.
namespace linden::cuda {
namespace {

/// So many kernels are recorded into one WHILE body, by repeating the loop's body.
constexpr std::uint64_t kernels_per_while_body = 32;
constexpr std::uint64_t max_repetitions = 8;
/// A body of more kernels is not repeated: with multigrid on 10^6 rows what every other solve does in vain takes 155 us
/// on an H100, where a solve of 18 iterations saves 40 us by repetition.
constexpr std::uint64_t most_kernels_of_repeated_body = 10;
/// An IF node costs some 14 us on an H100: fewer kernels than this are not left out.
constexpr std::uint64_t least_kernels_of_branch = 48;

__global__ void continue_while(cudaGraphConditionalHandle condition, const std::int32_t* running,
                               std::uint64_t* replayed, std::uint64_t launches)
{
    *replayed += launches;
    cudaGraphSetConditional(condition, *running != 0);
}

__global__ void take_branch(cudaGraphConditionalHandle condition, const std::int32_t* flag)
{
    cudaGraphSetConditional(condition, *flag != 0);
}

__global__ void count_branch(std::uint64_t* replayed, std::uint64_t launches) { *replayed += launches; }

cudaGraphNode_t add_node(cudaGraph_t graph, const std::vector<cudaGraphNode_t>& after, cudaGraphNodeParams& params)
{
    cudaGraphNode_t node = nullptr;
#if CUDART_VERSION >= 13000
    check(cudaGraphAddNode(&node, graph, after.data(), nullptr, after.size(), &params), "GraphAddNode");
#else
    check(cudaGraphAddNode(&node, graph, after.data(), after.size(), &params), "GraphAddNode");
#endif
    return node;
}

class GraphLoop final : public DeviceLoop {
public:
    using DeviceLoop::DeviceLoop;
    ~GraphLoop() override { release(); }

    void run(const std::int32_t* running, std::span<const std::uintptr_t> key, bool capturable,
             const std::function<void()>& body) override
    {
        const DeviceScope scope(exec_.device());
        runs_from_host_ = false;
        if (!capturable) {
            run_from_host(running, body);
            return;
        }
        cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
        check(cudaStreamIsCapturing(exec_.stream(), &status), "StreamIsCapturing");
        if (status != cudaStreamCaptureStatusNone) {
            record_into_capture(running, body);
            return;
        }
        if (graph_ == nullptr || !std::equal(key.begin(), key.end(), key_.begin(), key_.end())) {
            if (!build(running, body)) {
                body();  // once from the host: after that, what works in the body has its memory
                if (!build(running, body)) {
                    run_from_host(running, body);
                    return;
                }
            }
            key_.assign(key.begin(), key.end());
        }
        check(cudaGraphLaunch(graph_, exec_.stream()), "GraphLaunch");
    }

    void run_if(const std::int32_t* flag, const std::function<void()>& body) override
    {
        if (runs_from_host_ || is_in_branch_ || !exec_.is_recording()) {
            DeviceLoop::run_if(flag, body);
            return;
        }
        is_in_branch_ = true;
        const auto leave = [this](bool*) { is_in_branch_ = false; };
        const std::unique_ptr<bool, decltype(leave)> scope(&is_in_branch_, leave);
        if (count_launches(body) < least_kernels_of_branch) {
            body();
        } else {
            add_branch(flag, body);
        }
    }

private:
    /// Records the body; false where it does what cannot be recorded, such as to allocate.
    bool build(const std::int32_t* running, const std::function<void()>& body)
    {
        release();
        cudaGraph_t graph = nullptr;
        check(cudaGraphCreate(&graph, 0), "GraphCreate");
        const auto destroy = [](cudaGraph_t g) { (void)cudaGraphDestroy(g); };
        const std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, decltype(destroy)> owner(graph, destroy);
        try {
            cudaGraphConditionalHandle condition;
            check(cudaGraphConditionalHandleCreate(&condition, graph, 1, cudaGraphCondAssignDefault),
                  "GraphConditionalHandleCreate");
            add_while(graph, {}, condition, running, body);
        } catch (const NotSupported&) {
            return false;
        }
        check(cudaGraphInstantiate(&graph_, graph, 0), "GraphInstantiate");
        return true;
    }

    /// Adds a WHILE node over the recorded body to `graph`, behind the nodes `after`.
    cudaGraphNode_t add_while(cudaGraph_t graph, const std::vector<cudaGraphNode_t>& after,
                              cudaGraphConditionalHandle condition, const std::int32_t* running,
                              const std::function<void()>& body)
    {
        return add_conditional(graph, after, condition, cudaGraphCondTypeWhile, [&](Stream stream) {
            const std::uint64_t before = exec_.num_host_launches();
            num_branch_launches_ = 0;
            body();
            const std::uint64_t launches = exec_.num_host_launches() - before + num_branch_launches_;
            const std::uint64_t most = launches > most_kernels_of_repeated_body ? 1 : max_repetitions;
            const std::uint64_t repetitions = exec_.repetitions(launches, kernels_per_while_body, most);
            for (std::uint64_t i = 1; i < repetitions; ++i) {
                body();
            }
            const std::uint64_t recorded = take_launches_since(before);
            check(launch(continue_while, 1, 1, 0, stream, condition, running, exec_.replayed_launches(), recorded + 1),
                  "LaunchKernel");
        });
    }

    /// Records `f(stream)` as the body of a conditional node.
    template <class F>
    cudaGraphNode_t add_conditional(cudaGraph_t graph, const std::vector<cudaGraphNode_t>& after,
                                    cudaGraphConditionalHandle condition, cudaGraphConditionalNodeType type, const F& f)
    {
        cudaGraphNodeParams params = {};
        params.type = cudaGraphNodeTypeConditional;
        params.conditional.handle = condition;
        params.conditional.type = type;
        params.conditional.size = 1;
        const cudaGraphNode_t node = add_node(graph, after, params);
        const RecordingStream stream;
        check(cudaStreamBeginCaptureToGraph(stream, params.conditional.phGraph_out[0], nullptr, nullptr, 0,
                                            cudaStreamCaptureModeRelaxed),
              "StreamBeginCaptureToGraph");
        (void)record(stream, f);
        return node;
    }

    /// Ends the capture of `stream`, with what `f(stream)` records, also if it throws.
    template <class F>
    cudaGraph_t record(const RecordingStream& stream, const F& f)
    {
        cudaGraph_t graph = nullptr;
        try {
            const GpuExecutor::Recording recording(exec_, stream);
            f(Stream(stream));
        } catch (...) {
            (void)cudaStreamEndCapture(stream, &graph);
            (void)cudaGetLastError();
            throw;
        }
        check(cudaStreamEndCapture(stream, &graph), "StreamEndCapture");
        return graph;
    }

    /// Launches that were recorded, and are counted when they are replayed.
    std::uint64_t take_launches_since(std::uint64_t before)
    {
        const std::uint64_t recorded = exec_.num_host_launches() - before;
        exec_.discount_launches(recorded);
        return recorded;
    }

    /// How many kernels the body launches: recorded for nothing.
    std::uint64_t count_launches(const std::function<void()>& body)
    {
        const RecordingStream stream;
        check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), "StreamBeginCapture");
        std::uint64_t launches = 0;
        const cudaGraph_t graph = record(stream, [&](Stream) {
            const std::uint64_t before = exec_.num_host_launches();
            body();
            launches = take_launches_since(before);
        });
        check(cudaGraphDestroy(graph), "GraphDestroy");
        return launches;
    }

    /// What somebody's capture of the executor's stream has come to.
    struct Capture {
        cudaGraph_t graph = nullptr;
        std::vector<cudaGraphNode_t> after;
    };
    Capture capture() const
    {
        cudaStreamCaptureStatus status;
        Capture result;
        const cudaGraphNode_t* after = nullptr;
        std::size_t num_after = 0;
#if CUDART_VERSION >= 13000
        check(cudaStreamGetCaptureInfo(exec_.stream(), &status, nullptr, &result.graph, &after, nullptr, &num_after),
              "StreamGetCaptureInfo");
#else
        check(cudaStreamGetCaptureInfo_v2(exec_.stream(), &status, nullptr, &result.graph, &after, &num_after),
              "StreamGetCaptureInfo");
#endif
        result.after.assign(after, after + num_after);
        return result;
    }

    /// Inside somebody's capture, the user's or an outer loop's: the WHILE node becomes part of that graph. A handle's
    /// default holds for the launch of the whole graph only, so a kernel sets the condition each time the loop is come
    /// to.
    void record_into_capture(const std::int32_t* running, const std::function<void()>& body)
    {
        cudaGraphConditionalHandle condition;
        check(cudaGraphConditionalHandleCreate(&condition, capture().graph, 0, 0), "GraphConditionalHandleCreate");
        check(launch(continue_while, 1, 1, 0, exec_.stream(), condition, running, exec_.replayed_launches(),
                     std::uint64_t{1}),
              "LaunchKernel");
        const auto here = capture();
        continue_after(add_while(here.graph, here.after, condition, running, body));
    }

    /// What the executor's stream records next comes behind this node.
    void continue_after(cudaGraphNode_t node)
    {
#if CUDART_VERSION >= 13000
        check(cudaStreamUpdateCaptureDependencies(exec_.stream(), &node, nullptr, 1, cudaStreamSetCaptureDependencies),
              "StreamUpdateCaptureDependencies");
#else
        check(cudaStreamUpdateCaptureDependencies(exec_.stream(), &node, 1, cudaStreamSetCaptureDependencies),
              "StreamUpdateCaptureDependencies");
#endif
    }

    void add_branch(const std::int32_t* flag, const std::function<void()>& body)
    {
        cudaGraphConditionalHandle condition;
        check(cudaGraphConditionalHandleCreate(&condition, capture().graph, 0, 0), "GraphConditionalHandleCreate");
        check(launch(take_branch, 1, 1, 0, exec_.stream(), condition, flag), "LaunchKernel");
        const auto here = capture();
        continue_after(add_conditional(here.graph, here.after, condition, cudaGraphCondTypeIf, [&](Stream stream) {
            const std::uint64_t before = exec_.num_host_launches();
            body();
            const std::uint64_t recorded = take_launches_since(before);
            num_branch_launches_ += recorded;
            check(launch(count_branch, 1, 1, 0, stream, exec_.replayed_launches(), recorded), "LaunchKernel");
        }));
    }

    void release()
    {
        if (graph_ != nullptr) {
            (void)cudaGraphExecDestroy(graph_);
            graph_ = nullptr;
        }
    }

    cudaGraphExec_t graph_ = nullptr;
    std::vector<std::uintptr_t> key_;
    bool is_in_branch_ = false;              ///< while the body of a condition is recorded
    std::uint64_t num_branch_launches_ = 0;  ///< in all branches of the body that is recorded
};

}  // namespace

/// Of a block's fast memory, for a kernel's own variables.
constexpr int reserved_bytes = 4096;

std::unique_ptr<LoopState> GpuExecutor::make_loop() { return std::make_unique<GraphLoop>(*this); }

bool GpuExecutor::can_record_loops() const { return true; }

ClusterMemory GpuExecutor::cluster_memory() const
{
    int major = 0;
    int bytes = 0;
    check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device()), "DeviceGetAttribute");
    check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device()), "DeviceGetAttribute");
    if (major < 9 || major >= 12) {  // consumer devices of later generations have no clusters of 16
        return {};
    }
    return {cluster_blocks, static_cast<std::size_t>(bytes - reserved_bytes)};
}

GridMemory GpuExecutor::grid_memory() const
{
    int cooperates = 0;
    int bytes = 0;
    int cache_bytes = 0;
    check(cudaDeviceGetAttribute(&cooperates, cudaDevAttrCooperativeLaunch, device()), "DeviceGetAttribute");
    check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device()), "DeviceGetAttribute");
    check(cudaDeviceGetAttribute(&cache_bytes, cudaDevAttrL2CacheSize, device()), "DeviceGetAttribute");
    if (cooperates == 0 || multiprocessors_ > GridExchange::max_blocks) {
        return {};
    }
    return {multiprocessors_, static_cast<std::size_t>(bytes - reserved_bytes), static_cast<std::size_t>(cache_bytes)};
}

}  // namespace linden::cuda
