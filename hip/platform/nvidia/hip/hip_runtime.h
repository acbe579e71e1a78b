#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>

/// <hip/hip_runtime.h> for LINDEN_HIP_PLATFORM=nvidia: the part of HIP's host interface that a backend needs, in terms
/// of the CUDA runtime. Device code needs nothing: gpu/device/device.cuh speaks CUDA where nvcc compiles.

using hipError_t = cudaError_t;
using hipStream_t = cudaStream_t;
using hipEvent_t = cudaEvent_t;
using hipMemcpyKind = cudaMemcpyKind;
using hipMemPool_t = cudaMemPool_t;
using hipMemPoolAttr = cudaMemPoolAttr;
using hipDeviceAttribute_t = cudaDeviceAttr;
using hipGraph_t = cudaGraph_t;
using hipGraphExec_t = cudaGraphExec_t;
using hipGraphNode_t = cudaGraphNode_t;
using hipStreamCaptureMode = cudaStreamCaptureMode;
using hipStreamCaptureStatus = cudaStreamCaptureStatus;
using hipFuncAttribute = cudaFuncAttribute;
using hipIpcMemHandle_t = cudaIpcMemHandle_t;

struct hipDeviceProp_t : cudaDeviceProp {
    char gcnArchName[256];
};

inline constexpr hipError_t hipSuccess = cudaSuccess;
inline constexpr hipError_t hipErrorInvalidValue = cudaErrorInvalidValue;
inline constexpr hipError_t hipErrorOutOfMemory = cudaErrorMemoryAllocation;
inline constexpr hipError_t hipErrorInvalidConfiguration = cudaErrorInvalidConfiguration;
inline constexpr hipError_t hipErrorInvalidMemcpyDirection = cudaErrorInvalidMemcpyDirection;
inline constexpr hipError_t hipErrorNoDevice = cudaErrorNoDevice;
inline constexpr hipError_t hipErrorInvalidDevice = cudaErrorInvalidDevice;
inline constexpr hipError_t hipErrorInvalidHandle = cudaErrorInvalidResourceHandle;
inline constexpr hipError_t hipErrorNotReady = cudaErrorNotReady;
inline constexpr hipError_t hipErrorPeerAccessAlreadyEnabled = cudaErrorPeerAccessAlreadyEnabled;
inline constexpr hipError_t hipErrorNotSupported = cudaErrorNotSupported;
inline constexpr hipError_t hipErrorStreamCaptureUnsupported = cudaErrorStreamCaptureUnsupported;
inline constexpr hipError_t hipErrorStreamCaptureUnmatched = cudaErrorStreamCaptureUnmatched;
inline constexpr hipError_t hipErrorUnknown = cudaErrorUnknown;

inline constexpr hipDeviceAttribute_t hipDeviceAttributeWarpSize = cudaDevAttrWarpSize;
inline constexpr hipDeviceAttribute_t hipDeviceAttributeMultiprocessorCount = cudaDevAttrMultiProcessorCount;
inline constexpr hipDeviceAttribute_t hipDeviceAttributeMaxThreadsPerBlock = cudaDevAttrMaxThreadsPerBlock;
inline constexpr hipDeviceAttribute_t hipDeviceAttributeMaxThreadsPerMultiProcessor =
    cudaDevAttrMaxThreadsPerMultiProcessor;
inline constexpr hipDeviceAttribute_t hipDeviceAttributeMaxSharedMemoryPerBlock = cudaDevAttrMaxSharedMemoryPerBlock;
inline constexpr hipDeviceAttribute_t hipDeviceAttributeComputeCapabilityMajor = cudaDevAttrComputeCapabilityMajor;
inline constexpr hipDeviceAttribute_t hipDeviceAttributeComputeCapabilityMinor = cudaDevAttrComputeCapabilityMinor;
inline constexpr hipDeviceAttribute_t hipDeviceAttributeL2CacheSize = cudaDevAttrL2CacheSize;
inline constexpr hipDeviceAttribute_t hipDeviceAttributeMemoryPoolsSupported = cudaDevAttrMemoryPoolsSupported;
inline constexpr hipDeviceAttribute_t hipDeviceAttributeCooperativeLaunch = cudaDevAttrCooperativeLaunch;

inline constexpr hipMemcpyKind hipMemcpyHostToHost = cudaMemcpyHostToHost;
inline constexpr hipMemcpyKind hipMemcpyHostToDevice = cudaMemcpyHostToDevice;
inline constexpr hipMemcpyKind hipMemcpyDeviceToHost = cudaMemcpyDeviceToHost;
inline constexpr hipMemcpyKind hipMemcpyDeviceToDevice = cudaMemcpyDeviceToDevice;
inline constexpr hipMemcpyKind hipMemcpyDefault = cudaMemcpyDefault;

inline constexpr hipMemPoolAttr hipMemPoolAttrReleaseThreshold = cudaMemPoolAttrReleaseThreshold;
inline constexpr hipMemPoolAttr hipMemPoolAttrReservedMemCurrent = cudaMemPoolAttrReservedMemCurrent;
inline constexpr hipMemPoolAttr hipMemPoolAttrReservedMemHigh = cudaMemPoolAttrReservedMemHigh;
inline constexpr hipMemPoolAttr hipMemPoolAttrUsedMemCurrent = cudaMemPoolAttrUsedMemCurrent;
inline constexpr hipMemPoolAttr hipMemPoolAttrUsedMemHigh = cudaMemPoolAttrUsedMemHigh;

inline constexpr hipStreamCaptureMode hipStreamCaptureModeGlobal = cudaStreamCaptureModeGlobal;
inline constexpr hipStreamCaptureMode hipStreamCaptureModeThreadLocal = cudaStreamCaptureModeThreadLocal;
inline constexpr hipStreamCaptureMode hipStreamCaptureModeRelaxed = cudaStreamCaptureModeRelaxed;
inline constexpr hipStreamCaptureStatus hipStreamCaptureStatusNone = cudaStreamCaptureStatusNone;
inline constexpr hipStreamCaptureStatus hipStreamCaptureStatusActive = cudaStreamCaptureStatusActive;
inline constexpr hipFuncAttribute hipFuncAttributeMaxDynamicSharedMemorySize =
    cudaFuncAttributeMaxDynamicSharedMemorySize;

inline constexpr unsigned hipStreamDefault = cudaStreamDefault, hipStreamNonBlocking = cudaStreamNonBlocking;
inline constexpr unsigned hipEventDefault = cudaEventDefault, hipEventBlockingSync = cudaEventBlockingSync,
                          hipEventDisableTiming = cudaEventDisableTiming;
inline constexpr unsigned hipHostMallocDefault = cudaHostAllocDefault, hipHostMallocPortable = cudaHostAllocPortable,
                          hipHostMallocMapped = cudaHostAllocMapped;

inline const char* hipGetErrorName(hipError_t e) { return cudaGetErrorName(e); }
inline const char* hipGetErrorString(hipError_t e) { return cudaGetErrorString(e); }
inline hipError_t hipGetLastError() { return cudaGetLastError(); }
inline hipError_t hipPeekAtLastError() { return cudaPeekAtLastError(); }

// ---- devices --------------------------------------------------------------------------------------------------------

inline hipError_t hipGetDeviceCount(int* n) { return cudaGetDeviceCount(n); }
inline hipError_t hipSetDevice(int device) { return cudaSetDevice(device); }
inline hipError_t hipGetDevice(int* device) { return cudaGetDevice(device); }
inline hipError_t hipDeviceSynchronize() { return cudaDeviceSynchronize(); }
inline hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int device)
{
    return cudaDeviceGetAttribute(value, attribute, device);
}
inline hipError_t hipGetDeviceProperties(hipDeviceProp_t* p, int device)
{
    const hipError_t e = cudaGetDeviceProperties(p, device);
    if (e == hipSuccess) {
        std::snprintf(p->gcnArchName, sizeof p->gcnArchName, "sm_%d%d", p->major, p->minor);
    }
    return e;
}
inline hipError_t hipDeviceGetPCIBusId(char* id, int length, int device)
{
    return cudaDeviceGetPCIBusId(id, length, device);
}
inline hipError_t hipDeviceCanAccessPeer(int* can, int device, int peer)
{
    return cudaDeviceCanAccessPeer(can, device, peer);
}
inline hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags)
{
    return cudaDeviceEnablePeerAccess(peer, flags);
}
inline constexpr unsigned hipIpcMemLazyEnablePeerAccess = cudaIpcMemLazyEnablePeerAccess;
inline hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t* handle, void* data) { return cudaIpcGetMemHandle(handle, data); }
inline hipError_t hipIpcOpenMemHandle(void** data, hipIpcMemHandle_t handle, unsigned flags)
{
    return cudaIpcOpenMemHandle(data, handle, flags);
}
inline hipError_t hipRuntimeGetVersion(int* version) { return cudaRuntimeGetVersion(version); }
inline hipError_t hipDriverGetVersion(int* version) { return cudaDriverGetVersion(version); }

// ---- streams, events ------------------------------------------------------------------------------------------------

inline hipError_t hipStreamCreate(hipStream_t* s) { return cudaStreamCreate(s); }
inline hipError_t hipStreamCreateWithFlags(hipStream_t* s, unsigned flags)
{
    return cudaStreamCreateWithFlags(s, flags);
}
inline hipError_t hipStreamDestroy(hipStream_t s) { return cudaStreamDestroy(s); }
inline hipError_t hipStreamSynchronize(hipStream_t s) { return cudaStreamSynchronize(s); }
inline hipError_t hipStreamQuery(hipStream_t s) { return cudaStreamQuery(s); }
inline hipError_t hipStreamWaitEvent(hipStream_t s, hipEvent_t event, unsigned flags = 0)
{
    return cudaStreamWaitEvent(s, event, flags);
}
inline hipError_t hipEventCreate(hipEvent_t* event) { return cudaEventCreate(event); }
inline hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags)
{
    return cudaEventCreateWithFlags(event, flags);
}
inline hipError_t hipEventDestroy(hipEvent_t event) { return cudaEventDestroy(event); }
inline hipError_t hipEventRecord(hipEvent_t event, hipStream_t s = nullptr) { return cudaEventRecord(event, s); }
inline hipError_t hipEventSynchronize(hipEvent_t event) { return cudaEventSynchronize(event); }
inline hipError_t hipEventQuery(hipEvent_t event) { return cudaEventQuery(event); }
inline hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t begin, hipEvent_t end)
{
    return cudaEventElapsedTime(milliseconds, begin, end);
}

// ---- memory ---------------------------------------------------------------------------------------------------------

inline hipError_t hipMalloc(void** p, std::size_t bytes) { return cudaMalloc(p, bytes); }
template <class T>
hipError_t hipMalloc(T** p, std::size_t bytes)
{
    return cudaMalloc(reinterpret_cast<void**>(p), bytes);
}
inline hipError_t hipFree(void* p) { return cudaFree(p); }
inline hipError_t hipMallocAsync(void** p, std::size_t bytes, hipStream_t s) { return cudaMallocAsync(p, bytes, s); }
inline hipError_t hipFreeAsync(void* p, hipStream_t s) { return cudaFreeAsync(p, s); }
inline hipError_t hipHostMalloc(void** p, std::size_t bytes, unsigned flags = 0)
{
    return cudaHostAlloc(p, bytes, flags);
}
inline hipError_t hipHostFree(void* p) { return cudaFreeHost(p); }
inline hipError_t hipHostGetDevicePointer(void** device, void* p, unsigned flags)
{
    return cudaHostGetDevicePointer(device, p, flags);
}
inline hipError_t hipMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes)
{
    return cudaMemGetInfo(free_bytes, total_bytes);
}
inline hipError_t hipMemcpy(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind)
{
    return cudaMemcpy(to, from, bytes, kind);
}
inline hipError_t hipMemcpyAsync(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind,
                                 hipStream_t s = nullptr)
{
    return cudaMemcpyAsync(to, from, bytes, kind, s);
}
inline hipError_t hipMemcpyPeer(void* to, int to_device, const void* from, int from_device, std::size_t bytes)
{
    return cudaMemcpyPeer(to, to_device, from, from_device, bytes);
}
inline hipError_t hipMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                                     hipStream_t s = nullptr)
{
    return cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, s);
}
inline hipError_t hipMemset(void* to, int value, std::size_t bytes) { return cudaMemset(to, value, bytes); }
inline hipError_t hipMemsetAsync(void* to, int value, std::size_t bytes, hipStream_t s = nullptr)
{
    return cudaMemsetAsync(to, value, bytes, s);
}
inline hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t* pool, int device)
{
    return cudaDeviceGetDefaultMemPool(pool, device);
}
inline hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value)
{
    return cudaMemPoolSetAttribute(pool, attribute, value);
}
inline hipError_t hipMemPoolGetAttribute(hipMemPool_t pool, hipMemPoolAttr attribute, void* value)
{
    return cudaMemPoolGetAttribute(pool, attribute, value);
}
inline hipError_t hipMemPoolTrimTo(hipMemPool_t pool, std::size_t bytes) { return cudaMemPoolTrimTo(pool, bytes); }

// ---- graphs ---------------------------------------------------------------------------------------------------------

inline hipError_t hipStreamBeginCapture(hipStream_t s, hipStreamCaptureMode mode)
{
    return cudaStreamBeginCapture(s, mode);
}
inline hipError_t hipStreamEndCapture(hipStream_t s, hipGraph_t* graph) { return cudaStreamEndCapture(s, graph); }
inline hipError_t hipStreamIsCapturing(hipStream_t s, hipStreamCaptureStatus* status)
{
    return cudaStreamIsCapturing(s, status);
}
/// CUDA no longer fills `error_node` and `log`.
inline hipError_t hipGraphInstantiate(hipGraphExec_t* exec, hipGraph_t graph, hipGraphNode_t*, char*, std::size_t)
{
    return cudaGraphInstantiate(exec, graph, 0);
}
inline hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t s) { return cudaGraphLaunch(exec, s); }
inline hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t* nodes, std::size_t* num_nodes)
{
    return cudaGraphGetNodes(graph, nodes, num_nodes);
}
inline hipError_t hipGraphDestroy(hipGraph_t graph) { return cudaGraphDestroy(graph); }
inline hipError_t hipGraphExecDestroy(hipGraphExec_t exec) { return cudaGraphExecDestroy(exec); }

// ---- launches -------------------------------------------------------------------------------------------------------

inline hipError_t hipLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                  std::size_t shared_bytes, hipStream_t s)
{
    return cudaLaunchKernel(function, grid, block, arguments, shared_bytes, s);
}
inline hipError_t hipFuncSetAttribute(const void* function, hipFuncAttribute attribute, int value)
{
    return cudaFuncSetAttribute(function, attribute, value);
}
template <class Kernel>
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* num_blocks, Kernel kernel, int block_threads,
                                                        std::size_t shared_bytes)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(num_blocks, kernel, block_threads, shared_bytes);
}
