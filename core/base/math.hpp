#pragma once

#include <linden/types.hpp>

#include <cmath>
#include <complex>

/// Scalar functions that hold for real and complex values alike, on the host.
namespace linden {

template <class V>
inline V conjugate(V x)
{
    if constexpr (is_complex<V>) {
        return std::conj(x);
    } else {
        return x;
    }
}

/// |x|^2
template <class V>
inline real_t<V> squared_abs(V x)
{
    if constexpr (is_complex<V>) {
        return x.real() * x.real() + x.imag() * x.imag();
    } else {
        return x * x;
    }
}

template <class V>
inline real_t<V> real_part(V x)
{
    if constexpr (is_complex<V>) {
        return x.real();
    } else {
        return x;
    }
}

template <class V>
inline bool is_finite_value(V x)
{
    if constexpr (is_complex<V>) {
        return std::isfinite(x.real()) && std::isfinite(x.imag());
    } else {
        return std::isfinite(x);
    }
}

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
