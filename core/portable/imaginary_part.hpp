#pragma once

#include <linden/types.hpp>

#include "core/base/host_device.hpp"

namespace linden {

/// Im x; 0 for real values. (real and conj are in core/base/math.hpp.)
template <class V>
LINDEN_HOST_DEVICE real_t<V> imaginary_part(V x)
{
    if constexpr (is_complex<V>) {
        return imag(x);
    } else {
        return {};
    }
}

}  // namespace linden
