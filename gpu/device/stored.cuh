#pragma once

#include <linden/half.hpp>

#include "gpu/device/complex.cuh"

namespace linden::LINDEN_GPU_NAMESPACE {

/// A stored value in the type of the arithmetic; of half precision by the device's own instruction.
template <class V, class S>
__device__ inline V to_arithmetic(S stored)
{
    if constexpr (std::is_same_v<S, half>) {
        float value;
#if defined(LINDEN_HIP_PLATFORM_HOST)
        value = static_cast<float>(stored);
#elif defined(LINDEN_HIP_PLATFORM_AMD)
        value = static_cast<float>(__builtin_bit_cast(_Float16, stored));
#else
        asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(stored.bits()));
#endif
        return static_cast<V>(value);
    } else {
        return static_cast<V>(stored);
    }
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
