#pragma once

#include <cstring>

#include "gpu/device/device.cuh"

/// Vectorised and cache-hinted accesses, atomics.
namespace linden::LINDEN_GPU_NAMESPACE {

/// N consecutive values moved by one instruction; at most 16 bytes.
template <class T, int N>
struct alignas(sizeof(T) * N) Vec {
    static_assert(sizeof(T) * N <= 16 && (N & (N - 1)) == 0);
    T values[N];
    __host__ __device__ constexpr T& operator[](int i) { return values[i]; }
    __host__ __device__ constexpr const T& operator[](int i) const { return values[i]; }
};

/// As many values as fit into 16 bytes.
template <class T>
inline constexpr int max_vec = static_cast<int>(16 / sizeof(T));

/// p[0..N), where p is aligned to N values.
template <int N, class T>
__device__ inline Vec<std::remove_const_t<T>, N> load_vec(T* p)
{
    return *reinterpret_cast<const Vec<std::remove_const_t<T>, N>*>(p);
}
template <int N, class T>
__device__ inline void store_vec(T* p, Vec<T, N> values)
{
    *reinterpret_cast<Vec<T, N>*>(p) = values;
}

/// The type of a machine access of so many bytes.
template <int bytes>
struct access_type;
#if defined(LINDEN_HIP_PLATFORM_HOST) || defined(LINDEN_HIP_PLATFORM_AMD)
template <>
struct access_type<16> {
    struct type {
        std::uint64_t low, high;
    };
};
#else
template <>
struct access_type<16> {
    using type = uint4;
};
#endif
template <>
struct access_type<8> {
    using type = unsigned long long;
};
template <>
struct access_type<4> {
    using type = unsigned;
};
template <>
struct access_type<2> {
    using type = unsigned short;
};
template <>
struct access_type<1> {
    using type = unsigned char;
};
template <class T>
using access_t = typename access_type<sizeof(T)>::type;

/// The bits of a value as another type of the same size.
template <class To, class From>
__device__ inline To bits_to(From from)
{
    static_assert(sizeof(To) == sizeof(From) && std::is_trivially_copyable_v<From>);
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
}

/// Loads what is read once (a matrix): first to leave the caches.
template <class T>
__device__ inline T load_streaming(const T* p)
{
#if defined(LINDEN_HIP_PLATFORM_HOST) || defined(LINDEN_HIP_PLATFORM_AMD)
    return *p;
#else
    return bits_to<T>(__ldcs(reinterpret_cast<const access_t<T>*>(p)));
#endif
}
/// Stores what is not read again soon.
template <class T>
__device__ inline void store_streaming(T* p, std::type_identity_t<T> value)
{
#if defined(LINDEN_HIP_PLATFORM_HOST) || defined(LINDEN_HIP_PLATFORM_AMD)
    *p = value;
#else
    __stcs(reinterpret_cast<access_t<T>*>(p), bits_to<access_t<T>>(value));
#endif
}
/// Loads from the cache that all blocks share: sees what other blocks wrote before a fence, during the same kernel.
template <class T>
__device__ inline T load_cached_global(const T* p)
{
#if defined(LINDEN_HIP_PLATFORM_HOST) || defined(LINDEN_HIP_PLATFORM_AMD)
    return *p;
#else
    return bits_to<T>(__ldcg(reinterpret_cast<const access_t<T>*>(p)));
#endif
}
/// load_vec with the hint of load_streaming.
template <int N, class T>
__device__ inline Vec<std::remove_const_t<T>, N> load_vec_streaming(T* p)
{
    return load_streaming(reinterpret_cast<const Vec<std::remove_const_t<T>, N>*>(p));
}

// ---- atomics: of the whole device, without order unless they say so
// ---------------------------------------------------

template <class T>
concept AtomicInteger = std::is_integral_v<T> &&(sizeof(T) == 4 || sizeof(T) == 8);

/// *p += value; returns the old value.
template <AtomicInteger T>
__device__ inline T atomic_add(T* p, std::type_identity_t<T> value)
{
#if defined(LINDEN_HIP_PLATFORM_HOST)
    hip_host::note_atomic(value != 0);
    const T old = *p;
    *p = static_cast<T>(static_cast<std::make_unsigned_t<T>>(old) + static_cast<std::make_unsigned_t<T>>(value));
    return old;
#elif defined(LINDEN_HIP_PLATFORM_AMD)
    return __hip_atomic_fetch_add(p, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
#else
    // two's complement: one addition for both signs
    return static_cast<T>(atomicAdd(reinterpret_cast<access_t<T>*>(p), static_cast<access_t<T>>(value)));
#endif
}

/// *p = desired if *p == expected; returns the old value.
template <AtomicInteger T>
__device__ inline T atomic_cas(T* p, std::type_identity_t<T> expected, std::type_identity_t<T> desired)
{
#if defined(LINDEN_HIP_PLATFORM_HOST)
    const T old = *p;
    if (old == expected) {
        *p = desired;
    }
    hip_host::note_atomic(old == expected && old != desired);
    return old;
#elif defined(LINDEN_HIP_PLATFORM_AMD)
    __hip_atomic_compare_exchange_strong(p, &expected, desired, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                         __HIP_MEMORY_SCOPE_AGENT);
    return expected;
#else
    return static_cast<T>(atomicCAS(reinterpret_cast<access_t<T>*>(p), static_cast<access_t<T>>(expected),
                                    static_cast<access_t<T>>(desired)));
#endif
}

/// *p = value if that is less.
template <AtomicInteger T>
__device__ inline void atomic_min(T* p, std::type_identity_t<T> value)
{
    T seen = *p;
    while (value < seen) {
        const T old = atomic_cas(p, seen, value);
        if (old == seen) {
            return;
        }
        seen = old;
    }
}

/// *p = value if that is more.
template <AtomicInteger T>
__device__ inline void atomic_max(T* p, std::type_identity_t<T> value)
{
    T seen = *p;
    while (value > seen) {
        const T old = atomic_cas(p, seen, value);
        if (old == seen) {
            return;
        }
        seen = old;
    }
}

/// *p = value; returns the old value.
template <AtomicInteger T>
__device__ inline T atomic_exchange(T* p, std::type_identity_t<T> value)
{
#if defined(LINDEN_HIP_PLATFORM_HOST)
    const T old = *p;
    *p = value;
    hip_host::note_atomic(old != value);
    return old;
#elif defined(LINDEN_HIP_PLATFORM_AMD)
    return __hip_atomic_exchange(p, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
#else
    return static_cast<T>(atomicExch(reinterpret_cast<access_t<T>*>(p), static_cast<access_t<T>>(value)));
#endif
}

/// *p |= bits; returns the old value.
template <AtomicInteger T>
__device__ inline T atomic_or(T* p, std::type_identity_t<T> bits)
{
#if defined(LINDEN_HIP_PLATFORM_HOST)
    const T old = *p;
    *p = old | bits;
    hip_host::note_atomic((old | bits) != old);
    return old;
#elif defined(LINDEN_HIP_PLATFORM_AMD)
    return __hip_atomic_fetch_or(p, bits, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
#else
    return static_cast<T>(atomicOr(reinterpret_cast<access_t<T>*>(p), static_cast<access_t<T>>(bits)));
#endif
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
