#pragma once

#include "gpu/device/memory.cuh"

#if defined(LINDEN_HIP_PLATFORM_HOST)
#include <atomic>
#include <thread>
#endif

/// What kernels of several devices, or on several threads of the host executor, see of each other's accesses.
namespace linden::LINDEN_GPU_NAMESPACE {

/// Words that come whole; says nothing about other memory.
__device__ inline void store_system(std::uint64_t* p, std::uint64_t value)
{
#if defined(LINDEN_HIP_PLATFORM_HOST)
    std::atomic_ref(*p).store(value, std::memory_order_relaxed);
#elif defined(LINDEN_HIP_PLATFORM_AMD)
    __hip_atomic_store(p, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
#else
    asm volatile("st.relaxed.sys.b64 [%0], %1;" ::"l"(p), "l"(value) : "memory");
#endif
}

__device__ inline std::uint64_t load_system(std::uint64_t* p)
{
#if defined(LINDEN_HIP_PLATFORM_HOST)
    return std::atomic_ref(*p).load(std::memory_order_relaxed);
#elif defined(LINDEN_HIP_PLATFORM_AMD)
    return __hip_atomic_load(p, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
#else
    std::uint64_t value;
    asm volatile("ld.relaxed.sys.b64 %0, [%1];" : "=l"(value) : "l"(p) : "memory");
    return value;
#endif
}

/// What this thread wrote before is seen by who sees the value by load_system_acquire.
__device__ inline void store_system_release(std::uint32_t* p, std::uint32_t value)
{
#if defined(LINDEN_HIP_PLATFORM_HOST)
    std::atomic_ref(*p).store(value, std::memory_order_release);
#elif defined(LINDEN_HIP_PLATFORM_AMD)
    __hip_atomic_store(p, value, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
#else
    asm volatile("st.release.sys.b32 [%0], %1;" ::"l"(p), "r"(value) : "memory");
#endif
}

__device__ inline std::uint32_t load_system_acquire(std::uint32_t* p)
{
#if defined(LINDEN_HIP_PLATFORM_HOST)
    return std::atomic_ref(*p).load(std::memory_order_acquire);
#elif defined(LINDEN_HIP_PLATFORM_AMD)
    return __hip_atomic_load(p, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM);
#else
    std::uint32_t value;
    asm volatile("ld.acquire.sys.b32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
    return value;
#endif
}

/// Orders accesses before and after it, also as other devices see them.
__device__ inline void system_fence()
{
#if defined(LINDEN_HIP_PLATFORM_HOST)
    std::atomic_thread_fence(std::memory_order_seq_cst);
#else
    __threadfence_system();
#endif
}

/// One turn of a loop that waits for another device. On the host executor that is another thread of the program, of
/// which the executor does not know.
__device__ inline void pause_for_device()
{
#if defined(LINDEN_HIP_PLATFORM_HOST)
    hip_host::note_progress();
    std::this_thread::yield();
#else
    pause();
#endif
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
