#pragma once

#include <cstdint>

#include "core/base/host_device.hpp"

/// Atomic operations of portable kernels, on integers alone, so that their order makes no difference.
namespace linden {

/// *p := value if that is less.
LINDEN_HOST_DEVICE inline void atomic_lower(std::uint64_t* p, std::uint64_t value)
{
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
    atomicMin(reinterpret_cast<unsigned long long*>(p), static_cast<unsigned long long>(value));
#else
    auto seen = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (value < seen && !__atomic_compare_exchange_n(p, &seen, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
#endif
}

/// *p := value if that is more. Returns what *p was.
LINDEN_HOST_DEVICE inline std::uint64_t atomic_raise(std::uint64_t* p, std::uint64_t value)
{
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
    const auto seen = *static_cast<volatile std::uint64_t*>(p);
    return seen >= value ? seen
                         : atomicMax(reinterpret_cast<unsigned long long*>(p), static_cast<unsigned long long>(value));
#else
    auto seen = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (value > seen && !__atomic_compare_exchange_n(p, &seen, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return seen;
#endif
}

/// *p := *p + value
LINDEN_HOST_DEVICE inline void atomic_increase(std::uint64_t* p, std::uint64_t value)
{
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
    atomicAdd(reinterpret_cast<unsigned long long*>(p), static_cast<unsigned long long>(value));
#else
    __atomic_fetch_add(p, value, __ATOMIC_RELAXED);
#endif
}

}  // namespace linden
