#pragma once

#include <linden/types.hpp>

#include <cmath>
#include <limits>

#include "core/base/host_device.hpp"

/// Scalar functions for code that host and devices share. Complex types bring their own abs and conj.
namespace linden {

/// |x|
template <class V>
LINDEN_HOST_DEVICE inline real_t<V> magnitude(V x)
{
    if constexpr (is_complex<V>) {
        return abs(x);
    } else {
        return x < V{} ? -x : x;
    }
}

template <class V>
LINDEN_HOST_DEVICE inline V conjugate_of(V x)
{
    if constexpr (is_complex<V>) {
        return conj(x);
    } else {
        return x;
    }
}

/// Whether every part of x is neither infinite nor NaN (x - x is 0 only then).
template <class V>
LINDEN_HOST_DEVICE inline bool is_finite_scalar(V x)
{
    return x - x == V{};
}

/// The distance from 1 to the next number.
template <class V>
inline constexpr real_t<V> unit_roundoff = std::numeric_limits<real_t<V>>::epsilon();

}  // namespace linden
