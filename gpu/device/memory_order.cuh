#pragma once

#include "gpu/device/memory.cuh"

/// What threads see of each other's accesses during a kernel.
namespace linden::LINDEN_GPU_NAMESPACE {

/// Orders this thread's accesses for the whole device: what it wrote before is seen before what it writes after.
__device__ inline void thread_fence()
{
#if defined(LINDEN_HIP_PLATFORM_HOST)
    hip_host::note_progress();
#else
    __threadfence();
#endif
}

/// Reads *p as some thread of the device has written it, past caches of this multiprocessor; says nothing about other
/// memory. 4 or 8 bytes.
template <class T>
__device__ inline T load_relaxed(const T* p)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    using Bits = access_t<T>;
    Bits bits;
#if defined(LINDEN_HIP_PLATFORM_HOST)
    memcpy(&bits, p, sizeof bits);
    hip_host::note_load(p, bits);
#elif defined(LINDEN_HIP_PLATFORM_AMD)
    bits = __hip_atomic_load(reinterpret_cast<const Bits*>(p), __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
#else
    if constexpr (sizeof(T) == 4) {
        asm volatile("ld.relaxed.gpu.b32 %0, [%1];" : "=r"(bits) : "l"(p) : "memory");
    } else {
        asm volatile("ld.relaxed.gpu.b64 %0, [%1];" : "=l"(bits) : "l"(p) : "memory");
    }
#endif
    return bits_to<T>(bits);
}

template <class T>
__device__ inline void store_relaxed(T* p, std::type_identity_t<T> value)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    const auto bits = bits_to<access_t<T>>(value);
#if defined(LINDEN_HIP_PLATFORM_HOST)
    memcpy(static_cast<void*>(p), &bits, sizeof bits);
    hip_host::note_progress();
#elif defined(LINDEN_HIP_PLATFORM_AMD)
    __hip_atomic_store(reinterpret_cast<access_t<T>*>(p), bits, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
#else
    if constexpr (sizeof(T) == 4) {
        asm volatile("st.relaxed.gpu.b32 [%0], %1;" ::"l"(p), "r"(bits) : "memory");
    } else {
        asm volatile("st.relaxed.gpu.b64 [%0], %1;" ::"l"(p), "l"(bits) : "memory");
    }
#endif
}

/// Loads a value of shared memory that another wave may be about to write.
template <class T>
__device__ inline T load_shared_relaxed(const T* p)
{
#if defined(LINDEN_HIP_PLATFORM_HOST)
    return load_relaxed(p);
#else
    return *static_cast<const volatile T*>(p);
#endif
}
template <class T>
__device__ inline void store_shared_relaxed(T* p, std::type_identity_t<T> value)
{
#if defined(LINDEN_HIP_PLATFORM_HOST)
    store_relaxed(p, value);
#else
    *static_cast<volatile T*>(p) = value;
#endif
}

/// Reads *p and sees all that the thread which stored that value with store_release wrote before. 4 or 8 bytes.
template <class T>
__device__ inline T load_acquire(const T* p)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    using Bits = access_t<T>;
    Bits bits;
#if defined(LINDEN_HIP_PLATFORM_HOST)
    memcpy(&bits, p, sizeof bits);
    hip_host::note_load(p, bits);
#elif defined(LINDEN_HIP_PLATFORM_AMD)
    bits = __hip_atomic_load(reinterpret_cast<const Bits*>(p), __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT);
#else
    if constexpr (sizeof(T) == 4) {
        asm volatile("ld.acquire.gpu.b32 %0, [%1];" : "=r"(bits) : "l"(p) : "memory");
    } else {
        asm volatile("ld.acquire.gpu.b64 %0, [%1];" : "=l"(bits) : "l"(p) : "memory");
    }
#endif
    return bits_to<T>(bits);
}

template <class T>
__device__ inline void store_release(T* p, std::type_identity_t<T> value)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8);
    const auto bits = bits_to<access_t<T>>(value);
#if defined(LINDEN_HIP_PLATFORM_HOST)
    memcpy(static_cast<void*>(p), &bits, sizeof bits);
    hip_host::note_progress();
#elif defined(LINDEN_HIP_PLATFORM_AMD)
    __hip_atomic_store(reinterpret_cast<access_t<T>*>(p), bits, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
#else
    if constexpr (sizeof(T) == 4) {
        asm volatile("st.release.gpu.b32 [%0], %1;" ::"l"(p), "r"(bits) : "memory");
    } else {
        asm volatile("st.release.gpu.b64 [%0], %1;" ::"l"(p), "l"(bits) : "memory");
    }
#endif
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
