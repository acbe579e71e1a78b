#pragma once

#include <linden/types.hpp>

#include <cmath>
#include <complex>
#include <limits>

#include "core/base/host_device.hpp"

/// Scalar functions that hold for real and complex values alike, on hosts and, but for `multiply`, on devices.
/// std::complex and the devices' complex type bring conj and real of their own, found by argument.
namespace linden {

template <class R>
requires(!is_complex<R>) LINDEN_HOST_DEVICE constexpr R conj(R x) { return x; }

/// Re x
template <class R>
requires(!is_complex<R>) LINDEN_HOST_DEVICE constexpr R real(R x) { return x; }

/// |x|^2
template <class R>
requires(!is_complex<R>) LINDEN_HOST_DEVICE constexpr R abs2(R x) { return x * x; }
template <class R>
constexpr R abs2(std::complex<R> x)
{
    return x.real() * x.real() + x.imag() * x.imag();
}

/// |x|. Of a real number it is the number without its sign bit: a comparison to 0 would be a branch where compilers
/// find no vectors, and would leave the sign of -0.
template <class V>
LINDEN_HOST_DEVICE inline real_t<V> magnitude(V x)
{
    if constexpr (is_complex<V>) {
        return abs(x);
    } else {
        return std::abs(x);
    }
}

/// Whether every part of x is neither infinite nor NaN (x - x is 0 only then).
template <class V>
LINDEN_HOST_DEVICE inline bool is_finite(V x)
{
    return x - x == V{};
}

/// The distance from 1 to the next number.
template <class V>
inline constexpr real_t<V> unit_roundoff = std::numeric_limits<real_t<V>>::epsilon();

/// a b without the checks for NaN that C++ prescribes for complex products.
template <class V>
inline V multiply(V a, V b)
{
    if constexpr (is_complex<V>) {
        return V(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
    } else {
        return a * b;
    }
}

}  // namespace linden
