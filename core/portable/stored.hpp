#pragma once

#include <linden/half.hpp>

#include <type_traits>

#include "core/base/host_device.hpp"

namespace linden {

/// A stored value in the type of the arithmetic; of half precision by a device's own instruction.
template <class V, class S>
LINDEN_HOST_DEVICE inline V to_arithmetic(S stored)
{
    if constexpr (std::is_same_v<S, half>) {
#if defined(__CUDA_ARCH__)
        float value;
        asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(stored.bits()));
        return static_cast<V>(value);
#elif defined(__HIP_DEVICE_COMPILE__) && !defined(LINDEN_HIP_PLATFORM_HOST)
        return static_cast<V>(static_cast<float>(__builtin_bit_cast(_Float16, stored)));
#else
        return static_cast<V>(static_cast<float>(stored));
#endif
    } else {
        return static_cast<V>(stored);
    }
}

}  // namespace linden
