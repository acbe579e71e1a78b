#pragma once

#include <cstddef>
#include <utility>

#include "executor.hpp"

/// The part of the HIP runtime that a backend needs, for the host executor. Streams are synchronous: work is done when
/// the call returns, except in a capturing stream, where it is recorded. Device memory is host memory; fresh
/// allocations hold poison. Calls return what HIP returns for the same mistake.

#ifndef LINDEN_HIP_HOST_WAVE
#define LINDEN_HIP_HOST_WAVE 64
#endif
static_assert(LINDEN_HIP_HOST_WAVE == 32 || LINDEN_HIP_HOST_WAVE == 64, "LINDEN_HIP_HOST_WAVE is 32 or 64");

using dim3 = linden::hip_host::Uint3;

enum hipError_t {
    hipSuccess = 0,
    hipErrorInvalidValue = 1,
    hipErrorOutOfMemory = 2,
    hipErrorInvalidConfiguration = 9,
    hipErrorInvalidMemcpyDirection = 21,
    hipErrorNoDevice = 100,
    hipErrorInvalidDevice = 101,
    hipErrorInvalidHandle = 400,
    hipErrorNotReady = 600,
    hipErrorPeerAccessAlreadyEnabled = 704,
    hipErrorNotSupported = 801,
    hipErrorStreamCaptureUnsupported = 900,
    hipErrorStreamCaptureUnmatched = 903,
    hipErrorUnknown = 999
};
const char* hipGetErrorName(hipError_t error);
const char* hipGetErrorString(hipError_t error);
hipError_t hipGetLastError();
hipError_t hipPeekAtLastError();

// ---- devices --------------------------------------------------------------------------------------------------------

enum hipDeviceAttribute_t {
    hipDeviceAttributeWarpSize,
    hipDeviceAttributeMultiprocessorCount,
    hipDeviceAttributeMaxThreadsPerBlock,
    hipDeviceAttributeMaxThreadsPerMultiProcessor,
    hipDeviceAttributeMaxSharedMemoryPerBlock,
    hipDeviceAttributeComputeCapabilityMajor,
    hipDeviceAttributeComputeCapabilityMinor,
    hipDeviceAttributeL2CacheSize,
    hipDeviceAttributeMemoryPoolsSupported,
    hipDeviceAttributeCooperativeLaunch
};
struct hipDeviceProp_t {
    char name[256];
    char gcnArchName[256];
    std::size_t totalGlobalMem;
    std::size_t sharedMemPerBlock;
    int warpSize;
    int multiProcessorCount;
    int maxThreadsPerBlock;
    int maxThreadsPerMultiProcessor;
    int major, minor;
    int l2CacheSize;
};
namespace linden::hip_host {
hipError_t device_attribute(int* value, hipDeviceAttribute_t attribute, int device, int wave);
hipError_t device_properties(hipDeviceProp_t* properties, int device, int wave);
}  // namespace linden::hip_host

inline hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int device)
{
    return linden::hip_host::device_attribute(value, attribute, device, LINDEN_HIP_HOST_WAVE);
}
inline hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int device)
{
    return linden::hip_host::device_properties(properties, device, LINDEN_HIP_HOST_WAVE);
}
hipError_t hipGetDeviceCount(int* count);
hipError_t hipSetDevice(int device);
hipError_t hipGetDevice(int* device);
hipError_t hipDeviceSynchronize();
hipError_t hipDeviceGetPCIBusId(char* id, int length, int device);
hipError_t hipDeviceCanAccessPeer(int* can, int device, int peer);
hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags);
hipError_t hipRuntimeGetVersion(int* version);
hipError_t hipDriverGetVersion(int* version);

// ---- streams, events ------------------------------------------------------------------------------------------------

using hipStream_t = struct ihipStream_t*;
using hipEvent_t = struct ihipEvent_t*;
inline constexpr unsigned hipStreamDefault = 0, hipStreamNonBlocking = 1;
inline constexpr unsigned hipEventDefault = 0, hipEventBlockingSync = 1, hipEventDisableTiming = 2;

hipError_t hipStreamCreate(hipStream_t* stream);
hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags);
hipError_t hipStreamDestroy(hipStream_t stream);
hipError_t hipStreamSynchronize(hipStream_t stream);
hipError_t hipStreamQuery(hipStream_t stream);
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags = 0);
hipError_t hipEventCreate(hipEvent_t* event);
hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags);
hipError_t hipEventDestroy(hipEvent_t event);
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream = nullptr);
hipError_t hipEventSynchronize(hipEvent_t event);
hipError_t hipEventQuery(hipEvent_t event);
hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t begin, hipEvent_t end);

// ---- memory ---------------------------------------------------------------------------------------------------------

enum hipMemcpyKind {
    hipMemcpyHostToHost,
    hipMemcpyHostToDevice,
    hipMemcpyDeviceToHost,
    hipMemcpyDeviceToDevice,
    hipMemcpyDefault
};
using hipMemPool_t = struct ihipMemPoolHandle_t*;
enum hipMemPoolAttr {
    hipMemPoolAttrReleaseThreshold = 4,
    hipMemPoolAttrReservedMemCurrent = 5,
    hipMemPoolAttrReservedMemHigh = 6,
    hipMemPoolAttrUsedMemCurrent = 7,
    hipMemPoolAttrUsedMemHigh = 8
};
inline constexpr unsigned hipHostMallocDefault = 0, hipHostMallocPortable = 1, hipHostMallocMapped = 2;

hipError_t hipMalloc(void** pointer, std::size_t bytes);
hipError_t hipFree(void* pointer);
hipError_t hipMallocAsync(void** pointer, std::size_t bytes, hipStream_t stream);
hipError_t hipFreeAsync(void* pointer, hipStream_t stream);
hipError_t hipHostMalloc(void** pointer, std::size_t bytes, unsigned flags = 0);
hipError_t hipHostFree(void* pointer);
hipError_t hipHostGetDevicePointer(void** device_pointer, void* pointer, unsigned flags);
hipError_t hipMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes);
hipError_t hipMemcpy(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind);
hipError_t hipMemcpyAsync(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind,
                          hipStream_t stream = nullptr);
hipError_t hipMemcpyPeer(void* to, int to_device, const void* from, int from_device, std::size_t bytes);
hipError_t hipMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                              hipStream_t stream = nullptr);
hipError_t hipMemset(void* to, int value, std::size_t bytes);
hipError_t hipMemsetAsync(void* to, int value, std::size_t bytes, hipStream_t stream = nullptr);
hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t* pool, int device);
hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value);
hipError_t hipMemPoolGetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value);
hipError_t hipMemPoolTrimTo(hipMemPool_t pool, std::size_t bytes_to_keep);

template <class T>
hipError_t hipMalloc(T** pointer, std::size_t bytes)
{
    return hipMalloc(reinterpret_cast<void**>(pointer), bytes);
}

// ---- graphs ---------------------------------------------------------------------------------------------------------

using hipGraph_t = struct ihipGraph*;
using hipGraphExec_t = struct hipGraphExec*;
using hipGraphNode_t = struct hipGraphNode*;
enum hipStreamCaptureMode { hipStreamCaptureModeGlobal, hipStreamCaptureModeThreadLocal, hipStreamCaptureModeRelaxed };
enum hipStreamCaptureStatus { hipStreamCaptureStatusNone, hipStreamCaptureStatusActive };

hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode);
hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t* graph);
hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus* status);
hipError_t hipGraphInstantiate(hipGraphExec_t* exec, hipGraph_t graph, hipGraphNode_t* error_node, char* log,
                               std::size_t log_bytes);
hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream);
hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t* nodes, std::size_t* num_nodes);
hipError_t hipGraphDestroy(hipGraph_t graph);
hipError_t hipGraphExecDestroy(hipGraphExec_t exec);

// ---- launches -------------------------------------------------------------------------------------------------------

enum hipFuncAttribute { hipFuncAttributeMaxDynamicSharedMemorySize = 8 };
hipError_t hipFuncSetAttribute(const void* function, hipFuncAttribute attribute, int value);
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* num_blocks, const void* function, int block_threads,
                                                        std::size_t shared_bytes);
template <class... P>
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* num_blocks, void (*kernel)(P...), int block_threads,
                                                        std::size_t shared_bytes)
{
    return hipOccupancyMaxActiveBlocksPerMultiprocessor(num_blocks, reinterpret_cast<const void*>(kernel),
                                                        block_threads, shared_bytes);
}

namespace linden::hip_host {

/// Runs the launch in the stream, or records it.
hipError_t submit(Launch launch, hipStream_t stream);

template <class... P>
hipError_t launch_kernel(void (*kernel)(P...), dim3 grid, dim3 block, std::size_t shared_bytes, hipStream_t stream,
                         P... arguments)
{
    return submit({reinterpret_cast<const void*>(kernel), grid, block, shared_bytes, LINDEN_HIP_HOST_WAVE,
                   [kernel, ... held = std::move(arguments)] { kernel(held...); }},
                  stream);
}

}  // namespace linden::hip_host
