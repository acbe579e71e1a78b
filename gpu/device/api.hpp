#pragma once

#include <linden/error.hpp>

#include <new>
#include <string_view>

#include "gpu/device/device.cuh"

/// The vendor's runtime under one spelling: LINDEN_GPU(Malloc) is cudaMalloc or hipMalloc. Both runtimes have the same
/// functions with the same arguments for all that is used this way.
#if defined(LINDEN_GPU_HIP)
#define LINDEN_GPU(name) hip##name
#else
#define LINDEN_GPU(name) cuda##name
#endif

namespace linden::LINDEN_GPU_NAMESPACE {

#if defined(LINDEN_GPU_HIP)
inline constexpr Backend this_backend = Backend::hip;
inline constexpr std::string_view vendor_name = "HIP";
using DeviceProperties = hipDeviceProp_t;
#else
inline constexpr Backend this_backend = Backend::cuda;
inline constexpr std::string_view vendor_name = "CUDA";
using DeviceProperties = cudaDeviceProp;
#endif

/// @throws VendorError if a call into the runtime failed
inline void check(ErrorCode code, std::string_view call)
{
    if (code != success) {
        (void)LINDEN_GPU(GetLastError)();  // a later call must not report this again
        throw VendorError(vendor_name, call, code, error_text(code));
    }
}

/// Page-locked memory, which copies run straight to and from. The runtimes differ in what they call it.
inline void* allocate_pinned(std::size_t bytes)
{
    void* data = nullptr;
#if defined(LINDEN_GPU_HIP)
    check(hipHostMalloc(&data, bytes, hipHostMallocDefault), "HostMalloc");
#else
    check(cudaHostAlloc(&data, bytes, cudaHostAllocDefault), "HostAlloc");
#endif
    return data;
}

inline void free_pinned(void* data)
{
#if defined(LINDEN_GPU_HIP)
    (void)hipHostFree(data);
#else
    (void)cudaFreeHost(data);
#endif
}

/// Makes a device current for a scope; most often it is.
class DeviceScope {
public:
    explicit DeviceScope(int device) : device_(device)
    {
        check(LINDEN_GPU(GetDevice)(&previous_), "GetDevice");
        if (device != previous_) {
            check(LINDEN_GPU(SetDevice)(device), "SetDevice");
        }
    }
    /// For destructors and the like: a runtime that is shutting down refuses, and nothing follows from it.
    DeviceScope(int device, std::nothrow_t) noexcept : device_(device)
    {
        (void)LINDEN_GPU(GetDevice)(&previous_);
        if (device != previous_) {
            (void)LINDEN_GPU(SetDevice)(device);
        }
    }
    ~DeviceScope()
    {
        if (device_ != previous_) {
            (void)LINDEN_GPU(SetDevice)(previous_);
        }
    }
    DeviceScope(const DeviceScope&) = delete;
    DeviceScope& operator=(const DeviceScope&) = delete;

private:
    int device_;
    int previous_ = 0;
};

}  // namespace linden::LINDEN_GPU_NAMESPACE
