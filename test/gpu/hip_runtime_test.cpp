// HIP's runtime as the backend uses it, on each platform: AMD's own, the names over CUDA, the host executor.
#include <cstring>

#include "test/gpu/gpu_support.cuh"

namespace linden::hip::test {
namespace {

using HipRuntime = GpuTest;

__global__ void add(int n, int value, int* data)
{
    if (global_id<int>() < n) {
        data[global_id<int>()] += value;
    }
}

TEST_F(HipRuntime, DescribesItsDevice)
{
    hipDeviceProp_t p{};
    expect_ok(hipSetDevice(0));
    int device = -1;
    expect_ok(hipGetDevice(&device));
    EXPECT_EQ(device, 0);
    expect_ok(hipGetDeviceProperties(&p, 0));
    EXPECT_GT(std::strlen(p.name), 0u);
    EXPECT_GT(std::strlen(p.gcnArchName), 0u);
    EXPECT_GT(p.totalGlobalMem, 0u);
    EXPECT_EQ(p.warpSize, wave_size_of(0));
    int value = 0;
    expect_ok(hipDeviceGetAttribute(&value, hipDeviceAttributeMultiprocessorCount, 0));
    EXPECT_EQ(value, p.multiProcessorCount);
    expect_ok(hipDeviceGetAttribute(&value, hipDeviceAttributeMaxThreadsPerBlock, 0));
    EXPECT_EQ(value, 1024);
    char bus[64] = {};
    expect_ok(hipDeviceGetPCIBusId(bus, sizeof bus, 0));
    EXPECT_GT(std::strlen(bus), 0u);
    int version = 0;
    expect_ok(hipRuntimeGetVersion(&version));
    EXPECT_GT(version, 0);
}

TEST_F(HipRuntime, BadDeviceIsAnErrorThatIsRememberedOnce)
{
    EXPECT_NE(hipSetDevice(9999), hipSuccess);
    EXPECT_NE(hipPeekAtLastError(), hipSuccess);
    EXPECT_NE(hipGetLastError(), hipSuccess);
    EXPECT_EQ(hipGetLastError(), hipSuccess);
    EXPECT_GT(std::strlen(hipGetErrorName(hipErrorOutOfMemory)), 0u);
    EXPECT_GT(std::strlen(hipGetErrorString(hipErrorInvalidValue)), 0u);
}

TEST_F(HipRuntime, StreamOrderedMemoryCopiesAndEvents)
{
    constexpr int n = 1000;
    constexpr std::size_t bytes = n * sizeof(int);
    hipStream_t stream = nullptr, second = nullptr;
    hipEvent_t begin = nullptr, end = nullptr;
    expect_ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    expect_ok(hipStreamCreate(&second));
    expect_ok(hipEventCreate(&begin));
    expect_ok(hipEventCreateWithFlags(&end, hipEventDefault));
    void *a = nullptr, *b = nullptr, *pinned = nullptr;
    expect_ok(hipMallocAsync(&a, bytes, stream));
    expect_ok(hipMallocAsync(&b, bytes, stream));
    expect_ok(hipHostMalloc(&pinned, bytes, hipHostMallocDefault));
    auto host = static_cast<int*>(pinned);
    for (int i = 0; i < n; ++i) {
        host[i] = i;
    }
    expect_ok(hipEventRecord(begin, stream));
    expect_ok(hipMemcpyAsync(a, pinned, bytes, hipMemcpyHostToDevice, stream));
    expect_ok(launch(add, 8, 128, 0, stream, n, 5, static_cast<int*>(a)));
    expect_ok(hipMemsetAsync(b, 0xff, bytes, stream));
    expect_ok(hipMemcpyAsync(b, a, bytes / 2, hipMemcpyDeviceToDevice, stream));
    expect_ok(hipEventRecord(end, stream));
    expect_ok(hipStreamWaitEvent(second, end, 0));
    expect_ok(hipMemcpyAsync(pinned, b, bytes, hipMemcpyDeviceToHost, second));
    expect_ok(hipStreamSynchronize(second));
    expect_ok(hipEventSynchronize(end));
    expect_ok(hipEventQuery(end));
    expect_ok(hipStreamQuery(stream));
    float milliseconds = -1;
    expect_ok(hipEventElapsedTime(&milliseconds, begin, end));
    EXPECT_GE(milliseconds, 0);
    for (int i = 0; i < n; ++i) {
        ASSERT_EQ(host[i], i < n / 2 ? i + 5 : -1);
    }
    expect_ok(hipFreeAsync(a, stream));
    expect_ok(hipFreeAsync(b, stream));
    expect_ok(hipHostFree(pinned));
    expect_ok(hipEventDestroy(begin));
    expect_ok(hipEventDestroy(end));
    expect_ok(hipStreamDestroy(stream));
    expect_ok(hipStreamDestroy(second));
}

TEST_F(HipRuntime, MemoryPoolKeepsAndCounts)
{
    hipMemPool_t pool = nullptr;
    expect_ok(hipDeviceGetDefaultMemPool(&pool, 0));
    std::uint64_t threshold = ~std::uint64_t{0}, before = 0, during = 0, after = 0;
    expect_ok(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &threshold));
    expect_ok(hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemCurrent, &before));
    void* p = nullptr;
    expect_ok(hipMallocAsync(&p, 1 << 20, nullptr));
    expect_ok(hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemCurrent, &during));
    EXPECT_GE(during, before + (1 << 20));
    expect_ok(hipFreeAsync(p, nullptr));
    expect_ok(hipDeviceSynchronize());
    expect_ok(hipMemPoolGetAttribute(pool, hipMemPoolAttrUsedMemCurrent, &after));
    EXPECT_EQ(after, before);
    expect_ok(hipMemPoolTrimTo(pool, 0));
}

TEST_F(HipRuntime, GraphReplaysWhatTheStreamRecorded)
{
    constexpr int n = 300;
    DeviceArray<int> data(n, 1);
    hipStream_t stream = nullptr;
    expect_ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    expect_ok(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
    hipStreamCaptureStatus status{};
    expect_ok(hipStreamIsCapturing(stream, &status));
    EXPECT_EQ(status, hipStreamCaptureStatusActive);
    expect_ok(launch(add, 3, 128, 0, stream, n, 2, data.data()));
    expect_ok(launch(add, 3, 128, 0, stream, n, 3, data.data()));
    hipGraph_t graph = nullptr;
    expect_ok(hipStreamEndCapture(stream, &graph));
    EXPECT_EQ(data.host()[0], 1) << "recording runs nothing";
    std::size_t num_nodes = 0;
    expect_ok(hipGraphGetNodes(graph, nullptr, &num_nodes));
    EXPECT_EQ(num_nodes, 2u);
    hipGraphExec_t exec = nullptr;
    expect_ok(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    expect_ok(hipGraphDestroy(graph));
    for (int i = 0; i < 4; ++i) {
        expect_ok(hipGraphLaunch(exec, stream));
    }
    expect_ok(hipStreamSynchronize(stream));
    EXPECT_EQ(data.host(), std::vector<int>(n, 21));
    expect_ok(hipGraphExecDestroy(exec));
    expect_ok(hipStreamDestroy(stream));
}

TEST_F(HipRuntime, CaptureSpreadsThroughEvents)
{
    DeviceArray<int> data(1, 0);
    hipStream_t stream = nullptr, side = nullptr;
    hipEvent_t fork = nullptr, join = nullptr;
    expect_ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    expect_ok(hipStreamCreateWithFlags(&side, hipStreamNonBlocking));
    expect_ok(hipEventCreateWithFlags(&fork, hipEventDisableTiming));
    expect_ok(hipEventCreateWithFlags(&join, hipEventDisableTiming));
    expect_ok(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
    expect_ok(hipEventRecord(fork, stream));
    expect_ok(hipStreamWaitEvent(side, fork, 0));
    expect_ok(launch(add, 1, 32, 0, side, 1, 1, data.data()));
    expect_ok(hipEventRecord(join, side));
    expect_ok(hipStreamWaitEvent(stream, join, 0));
    hipGraph_t graph = nullptr;
    expect_ok(hipStreamEndCapture(stream, &graph));
    EXPECT_EQ(data.host()[0], 0);
    hipGraphExec_t exec = nullptr;
    expect_ok(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    expect_ok(hipGraphLaunch(exec, stream));
    expect_ok(hipStreamSynchronize(stream));
    EXPECT_EQ(data.host()[0], 1);
    expect_ok(launch(add, 1, 32, 0, side, 1, 1, data.data()));  // no longer captured
    EXPECT_EQ(data.host()[0], 2);
    expect_ok(hipGraphExecDestroy(exec));
    expect_ok(hipGraphDestroy(graph));
    expect_ok(hipEventDestroy(fork));
    expect_ok(hipEventDestroy(join));
    expect_ok(hipStreamDestroy(side));
    expect_ok(hipStreamDestroy(stream));
}

TEST_F(HipRuntime, OccupancyIsPositiveAndFallsWithSharedMemory)
{
    int small = 0, large = 0;
    expect_ok(hipOccupancyMaxActiveBlocksPerMultiprocessor(&small, add, 64, 0));
    expect_ok(hipOccupancyMaxActiveBlocksPerMultiprocessor(&large, add, 64, 40 * 1024));
    EXPECT_GT(large, 0);
    EXPECT_GT(small, large);
}

}  // namespace
}  // namespace linden::hip::test
