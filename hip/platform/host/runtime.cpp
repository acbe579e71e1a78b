#include "runtime.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace {

using linden::hip_host::execute;
using linden::hip_host::Launch;
using Operation = std::function<void()>;
using Clock = std::chrono::steady_clock;

constexpr std::size_t device_bytes = std::size_t{16} << 30;
constexpr std::size_t allocation_alignment = 256;

thread_local hipError_t last_error = hipSuccess;

hipError_t remember(hipError_t error)
{
    if (error != hipSuccess) {
        last_error = error;
    }
    return error;
}

/// What streams record between BeginCapture and EndCapture; streams that wait for a captured event join.
struct Capture {
    hipStream_t origin = nullptr;
    std::vector<hipStream_t> members;
    std::vector<Operation> operations;
};

struct DeviceMemory {
    std::mutex mutex;
    std::unordered_map<void*, std::size_t> allocations;
    std::size_t used = 0, peak = 0;

    static DeviceMemory& get()
    {
        static DeviceMemory memory;
        return memory;
    }
};

hipError_t allocate(void** pointer, std::size_t bytes)
{
    if (!pointer) {
        return hipErrorInvalidValue;
    }
    *pointer = nullptr;
    if (bytes == 0) {
        return hipSuccess;
    }
    DeviceMemory& memory = DeviceMemory::get();
    const std::lock_guard lock(memory.mutex);
    if (bytes > device_bytes - memory.used) {
        return hipErrorOutOfMemory;
    }
    // aligned_alloc wants a multiple of the alignment, which would hide an overflow of the last bytes from
    // AddressSanitizer; posix_memalign does not.
    void* p = nullptr;
    if (posix_memalign(&p, allocation_alignment, bytes) != 0) {
        return hipErrorOutOfMemory;
    }
    linden::hip_host::fill_poison(p, bytes);
    memory.allocations.emplace(p, bytes);
    memory.used += bytes;
    memory.peak = std::max(memory.peak, memory.used);
    *pointer = p;
    return hipSuccess;
}

hipError_t deallocate(void* pointer)
{
    if (!pointer) {
        return hipSuccess;
    }
    DeviceMemory& memory = DeviceMemory::get();
    const std::lock_guard lock(memory.mutex);
    const auto found = memory.allocations.find(pointer);
    if (found == memory.allocations.end()) {
        return hipErrorInvalidValue;
    }
    memory.used -= found->second;
    memory.allocations.erase(found);
    std::free(pointer);
    return hipSuccess;
}

}  // namespace

struct ihipStream_t {
    std::shared_ptr<Capture> capture;
};
struct ihipEvent_t {
    bool has_time = true, recorded = false;
    Clock::time_point time;
    std::shared_ptr<Capture> capture;
};
struct ihipGraph {
    std::vector<Operation> operations;
};
struct hipGraphExec {
    std::vector<Operation> operations;
};

namespace {

bool is_capturing(hipStream_t stream) { return stream && stream->capture; }

void run_or_record(hipStream_t stream, Operation operation)
{
    if (is_capturing(stream)) {
        stream->capture->operations.push_back(std::move(operation));
    } else {
        operation();
    }
}

}  // namespace

namespace linden::hip_host {

hipError_t submit(Launch launch, hipStream_t stream)
{
    if (!is_valid(launch)) {
        return remember(hipErrorInvalidConfiguration);
    }
    if (is_capturing(stream)) {
        stream->capture->operations.push_back([held = std::move(launch)] { execute(held); });
    } else {
        execute(launch);
    }
    return hipSuccess;
}

hipError_t device_attribute(int* value, hipDeviceAttribute_t attribute, int device, int wave)
{
    hipDeviceProp_t p;
    if (const hipError_t error = device_properties(&p, device, wave); error != hipSuccess) {
        return error;
    }
    const std::pair<hipDeviceAttribute_t, int> values[] = {
        {hipDeviceAttributeWarpSize, p.warpSize},
        {hipDeviceAttributeMultiprocessorCount, p.multiProcessorCount},
        {hipDeviceAttributeMaxThreadsPerBlock, p.maxThreadsPerBlock},
        {hipDeviceAttributeMaxThreadsPerMultiProcessor, p.maxThreadsPerMultiProcessor},
        {hipDeviceAttributeMaxSharedMemoryPerBlock, static_cast<int>(p.sharedMemPerBlock)},
        {hipDeviceAttributeComputeCapabilityMajor, p.major},
        {hipDeviceAttributeComputeCapabilityMinor, p.minor},
        {hipDeviceAttributeL2CacheSize, p.l2CacheSize},
        {hipDeviceAttributeMemoryPoolsSupported, 1},
        {hipDeviceAttributeCooperativeLaunch, 0},
    };
    for (const auto& [key, number] : values) {
        if (key == attribute) {
            *value = number;
            return hipSuccess;
        }
    }
    return remember(hipErrorInvalidValue);
}

hipError_t device_properties(hipDeviceProp_t* properties, int device, int wave)
{
    if (!properties || device != 0) {
        return remember(properties ? hipErrorInvalidDevice : hipErrorInvalidValue);
    }
    *properties = {};
    std::snprintf(properties->name, sizeof properties->name, "host executor, waves of %d", wave);
    std::snprintf(properties->gcnArchName, sizeof properties->gcnArchName, "host");
    properties->totalGlobalMem = device_bytes;
    properties->sharedMemPerBlock = max_shared_bytes;
    properties->warpSize = wave;
    properties->multiProcessorCount = num_multiprocessors;
    properties->maxThreadsPerBlock = max_block_threads;
    properties->maxThreadsPerMultiProcessor = max_resident_threads;
    return hipSuccess;
}

}  // namespace linden::hip_host

const char* hipGetErrorName(hipError_t error)
{
    switch (error) {
    case hipSuccess:
        return "hipSuccess";
    case hipErrorInvalidValue:
        return "hipErrorInvalidValue";
    case hipErrorOutOfMemory:
        return "hipErrorOutOfMemory";
    case hipErrorInvalidConfiguration:
        return "hipErrorInvalidConfiguration";
    case hipErrorInvalidMemcpyDirection:
        return "hipErrorInvalidMemcpyDirection";
    case hipErrorNoDevice:
        return "hipErrorNoDevice";
    case hipErrorInvalidDevice:
        return "hipErrorInvalidDevice";
    case hipErrorInvalidHandle:
        return "hipErrorInvalidHandle";
    case hipErrorNotReady:
        return "hipErrorNotReady";
    case hipErrorPeerAccessAlreadyEnabled:
        return "hipErrorPeerAccessAlreadyEnabled";
    case hipErrorNotSupported:
        return "hipErrorNotSupported";
    case hipErrorStreamCaptureUnsupported:
        return "hipErrorStreamCaptureUnsupported";
    case hipErrorStreamCaptureUnmatched:
        return "hipErrorStreamCaptureUnmatched";
    case hipErrorUnknown:
        return "hipErrorUnknown";
    }
    return "hipErrorUnknown";
}

const char* hipGetErrorString(hipError_t error) { return hipGetErrorName(error); }
hipError_t hipGetLastError() { return std::exchange(last_error, hipSuccess); }
hipError_t hipPeekAtLastError() { return last_error; }

// ---- devices --------------------------------------------------------------------------------------------------------

hipError_t hipGetDeviceCount(int* count)
{
    *count = 1;
    return hipSuccess;
}
hipError_t hipSetDevice(int device) { return remember(device == 0 ? hipSuccess : hipErrorInvalidDevice); }
hipError_t hipGetDevice(int* device)
{
    *device = 0;
    return hipSuccess;
}
hipError_t hipDeviceSynchronize() { return hipSuccess; }

hipError_t hipDeviceGetPCIBusId(char* id, int length, int device)
{
    if (!id || length < 1 || device != 0) {
        return remember(device == 0 ? hipErrorInvalidValue : hipErrorInvalidDevice);
    }
    std::snprintf(id, static_cast<std::size_t>(length), "host");
    return hipSuccess;
}

hipError_t hipDeviceCanAccessPeer(int* can, int device, int peer)
{
    *can = 0;
    return remember(device == 0 && peer == 0 ? hipSuccess : hipErrorInvalidDevice);
}
hipError_t hipDeviceEnablePeerAccess(int, unsigned) { return remember(hipErrorInvalidDevice); }
hipError_t hipRuntimeGetVersion(int* version)
{
    *version = 50221153;
    return hipSuccess;
}
hipError_t hipDriverGetVersion(int* version) { return hipRuntimeGetVersion(version); }

// ---- streams, events ------------------------------------------------------------------------------------------------

hipError_t hipStreamCreate(hipStream_t* stream)
{
    *stream = new ihipStream_t;
    return hipSuccess;
}
hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned) { return hipStreamCreate(stream); }

hipError_t hipStreamDestroy(hipStream_t stream)
{
    if (!stream) {
        return remember(hipErrorInvalidHandle);
    }
    if (is_capturing(stream)) {
        std::erase(stream->capture->members, stream);
    }
    delete stream;
    return hipSuccess;
}

hipError_t hipStreamSynchronize(hipStream_t stream)
{
    return remember(is_capturing(stream) ? hipErrorStreamCaptureUnsupported : hipSuccess);
}
hipError_t hipStreamQuery(hipStream_t stream) { return hipStreamSynchronize(stream); }

hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned)
{
    if (!event) {
        return remember(hipErrorInvalidHandle);
    }
    if (event->capture && stream && !stream->capture) {
        stream->capture = event->capture;
        stream->capture->members.push_back(stream);
    }
    return hipSuccess;
}

hipError_t hipEventCreate(hipEvent_t* event) { return hipEventCreateWithFlags(event, hipEventDefault); }

hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags)
{
    *event = new ihipEvent_t;
    (*event)->has_time = !(flags & hipEventDisableTiming);
    return hipSuccess;
}

hipError_t hipEventDestroy(hipEvent_t event)
{
    delete event;
    return remember(event ? hipSuccess : hipErrorInvalidHandle);
}

hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream)
{
    if (!event) {
        return remember(hipErrorInvalidHandle);
    }
    event->capture = stream ? stream->capture : nullptr;
    run_or_record(stream, [event] {
        event->time = Clock::now();
        event->recorded = true;
    });
    return hipSuccess;
}

hipError_t hipEventSynchronize(hipEvent_t event) { return remember(event ? hipSuccess : hipErrorInvalidHandle); }
hipError_t hipEventQuery(hipEvent_t event) { return hipEventSynchronize(event); }

hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t begin, hipEvent_t end)
{
    if (!begin || !end || !begin->recorded || !end->recorded || !begin->has_time || !end->has_time) {
        return remember(hipErrorInvalidHandle);
    }
    *milliseconds = std::chrono::duration<float, std::milli>(end->time - begin->time).count();
    return hipSuccess;
}

// ---- memory ---------------------------------------------------------------------------------------------------------

hipError_t hipMalloc(void** pointer, std::size_t bytes) { return remember(allocate(pointer, bytes)); }
hipError_t hipFree(void* pointer) { return remember(deallocate(pointer)); }

hipError_t hipMallocAsync(void** pointer, std::size_t bytes, hipStream_t stream)
{
    return remember(is_capturing(stream) ? hipErrorStreamCaptureUnsupported : allocate(pointer, bytes));
}
hipError_t hipFreeAsync(void* pointer, hipStream_t stream)
{
    return remember(is_capturing(stream) ? hipErrorStreamCaptureUnsupported : deallocate(pointer));
}

hipError_t hipHostMalloc(void** pointer, std::size_t bytes, unsigned)
{
    *pointer = std::malloc(std::max<std::size_t>(bytes, 1));
    return remember(*pointer ? hipSuccess : hipErrorOutOfMemory);
}
hipError_t hipHostFree(void* pointer)
{
    std::free(pointer);
    return hipSuccess;
}
hipError_t hipHostGetDevicePointer(void** device, void* pointer, unsigned)
{
    *device = pointer;
    return hipSuccess;
}

hipError_t hipMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes)
{
    DeviceMemory& memory = DeviceMemory::get();
    const std::lock_guard lock(memory.mutex);
    *total_bytes = device_bytes;
    *free_bytes = device_bytes - memory.used;
    return hipSuccess;
}

hipError_t hipMemcpy(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind)
{
    return hipMemcpyAsync(to, from, bytes, kind, nullptr);
}

hipError_t hipMemcpyAsync(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind, hipStream_t stream)
{
    if (kind < hipMemcpyHostToHost || kind > hipMemcpyDefault) {
        return remember(hipErrorInvalidMemcpyDirection);
    }
    if (bytes == 0) {
        return hipSuccess;
    }
    if (!to || !from) {
        return remember(hipErrorInvalidValue);
    }
    run_or_record(stream, [=] { std::memmove(to, from, bytes); });
    return hipSuccess;
}

hipError_t hipMemcpyPeer(void* to, int to_device, const void* from, int from_device, std::size_t bytes)
{
    return hipMemcpyPeerAsync(to, to_device, from, from_device, bytes, nullptr);
}

hipError_t hipMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                              hipStream_t stream)
{
    if (to_device != 0 || from_device != 0) {
        return remember(hipErrorInvalidDevice);
    }
    return hipMemcpyAsync(to, from, bytes, hipMemcpyDeviceToDevice, stream);
}

hipError_t hipMemset(void* to, int value, std::size_t bytes) { return hipMemsetAsync(to, value, bytes, nullptr); }

hipError_t hipMemsetAsync(void* to, int value, std::size_t bytes, hipStream_t stream)
{
    if (bytes == 0) {
        return hipSuccess;
    }
    if (!to) {
        return remember(hipErrorInvalidValue);
    }
    run_or_record(stream, [=] { std::memset(to, value, bytes); });
    return hipSuccess;
}

hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t* pool, int device)
{
    *pool = nullptr;
    return remember(device == 0 ? hipSuccess : hipErrorInvalidDevice);
}

hipError_t hipMemPoolSetAttribute(hipMemPool_t, hipMemPoolAttr attribute, void* value)
{
    if (attribute == hipMemPoolAttrUsedMemHigh || attribute == hipMemPoolAttrReservedMemHigh) {
        DeviceMemory& memory = DeviceMemory::get();
        const std::lock_guard lock(memory.mutex);
        memory.peak = memory.used;  // HIP allows only a reset, whatever *value says
    }
    return remember(value ? hipSuccess : hipErrorInvalidValue);
}

hipError_t hipMemPoolGetAttribute(hipMemPool_t, hipMemPoolAttr attribute, void* value)
{
    DeviceMemory& memory = DeviceMemory::get();
    const std::lock_guard lock(memory.mutex);
    const bool high = attribute == hipMemPoolAttrUsedMemHigh || attribute == hipMemPoolAttrReservedMemHigh;
    *static_cast<std::uint64_t*>(value) = attribute == hipMemPoolAttrReleaseThreshold ? 0
                                          : high                                      ? memory.peak
                                                                                      : memory.used;
    return hipSuccess;
}
hipError_t hipMemPoolTrimTo(hipMemPool_t, std::size_t) { return hipSuccess; }

// ---- graphs ---------------------------------------------------------------------------------------------------------

hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode)
{
    if (!stream || stream->capture) {
        return remember(hipErrorStreamCaptureUnsupported);
    }
    stream->capture = std::make_shared<Capture>();
    stream->capture->origin = stream;
    stream->capture->members = {stream};
    return hipSuccess;
}

hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t* graph)
{
    if (!is_capturing(stream) || stream->capture->origin != stream) {
        return remember(hipErrorStreamCaptureUnmatched);
    }
    const std::shared_ptr<Capture> capture = stream->capture;
    for (const hipStream_t member : capture->members) {
        member->capture = nullptr;
    }
    *graph = new ihipGraph{std::move(capture->operations)};
    return hipSuccess;
}

hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus* status)
{
    *status = is_capturing(stream) ? hipStreamCaptureStatusActive : hipStreamCaptureStatusNone;
    return hipSuccess;
}

hipError_t hipGraphInstantiate(hipGraphExec_t* exec, hipGraph_t graph, hipGraphNode_t*, char*, std::size_t)
{
    if (!graph) {
        return remember(hipErrorInvalidValue);
    }
    *exec = new hipGraphExec{graph->operations};
    return hipSuccess;
}

hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream)
{
    if (!exec || is_capturing(stream)) {
        return remember(exec ? hipErrorStreamCaptureUnsupported : hipErrorInvalidValue);
    }
    for (const Operation& operation : exec->operations) {
        operation();
    }
    return hipSuccess;
}

/// Counts only: nodes are not objects here.
hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t* nodes, std::size_t* num_nodes)
{
    if (!graph || nodes) {
        return remember(graph ? hipErrorNotSupported : hipErrorInvalidValue);
    }
    *num_nodes = graph->operations.size();
    return hipSuccess;
}

hipError_t hipGraphDestroy(hipGraph_t graph)
{
    delete graph;
    return hipSuccess;
}

hipError_t hipGraphExecDestroy(hipGraphExec_t exec)
{
    delete exec;
    return hipSuccess;
}

// ---- launches -------------------------------------------------------------------------------------------------------

hipError_t hipFuncSetAttribute(const void*, hipFuncAttribute, int value)
{
    const bool fits = value >= 0 && static_cast<std::size_t>(value) <= linden::hip_host::max_shared_bytes;
    return remember(fits ? hipSuccess : hipErrorInvalidValue);
}

hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* num_blocks, const void*, int block_threads,
                                                        std::size_t shared_bytes)
{
    *num_blocks = linden::hip_host::occupancy(block_threads, shared_bytes);
    return hipSuccess;
}
