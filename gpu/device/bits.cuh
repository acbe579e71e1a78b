#pragma once

#include <bit>

#include "gpu/device/device.cuh"

/// Bits of masks and bitmaps.
namespace linden::LINDEN_GPU_NAMESPACE {

/// Number of ones.
__device__ inline int popcount(std::uint32_t bits)
{
#if defined(LINDEN_HIP_PLATFORM_HOST)
    return std::popcount(bits);
#else
    return __popc(bits);
#endif
}

__device__ inline int popcount(std::uint64_t bits)
{
#if defined(LINDEN_HIP_PLATFORM_HOST)
    return std::popcount(bits);
#else
    return __popcll(bits);
#endif
}

/// Position of the lowest one; there is one.
__device__ inline int lowest_bit(std::uint32_t bits)
{
#if defined(LINDEN_HIP_PLATFORM_HOST)
    return std::countr_zero(bits);
#else
    return __ffs(static_cast<int>(bits)) - 1;
#endif
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
