#pragma once

#include <linden/types.hpp>

#include <bit>
#include <cstdint>

#include "core/base/host_device.hpp"

/// Logarithms in integers, without a rounding that could differ from one platform to the other.
namespace linden {

/// mantissa 2^exponent, with the mantissa in [2^52, 2^53); 0 for zeros.
struct Decomposed {
    std::uint64_t mantissa;
    int exponent;
};

/// |x|, which is finite.
LINDEN_HOST_DEVICE inline Decomposed decompose(double x)
{
    constexpr std::uint64_t one = std::uint64_t{1} << 52;
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
    Decomposed result{bits & (one - 1), static_cast<int>(bits >> 52 & 0x7ff) - 1075};
    if (result.exponent > -1075) {
        result.mantissa |= one;
        return result;
    }
    result.exponent = -1074;
    while (result.mantissa != 0 && result.mantissa < one) {
        result.mantissa *= 2;
        --result.exponent;
    }
    return result;
}

/// 2^16 log2(y / 2^31), to the unit below, for y in [2^31, 2^32): each squaring gives a bit.
LINDEN_HOST_DEVICE inline std::int32_t fixed_log2_fraction(std::uint64_t y)
{
    std::int32_t result = 0;
    for (int bit = 0; bit < 16; ++bit) {
        y = y * y >> 31;
        const int carry = static_cast<int>(y >> 32);
        y >>= carry;
        result = 2 * result + carry;
    }
    return result;
}

/// L with L <= 2^16 log2 |re + i im| < L + 1.01, for finite numbers that are not 0.
LINDEN_HOST_DEVICE inline std::int32_t fixed_log2(double re, double im)
{
    auto x = decompose(re), y = decompose(im);
    if (x.mantissa == 0 || (y.mantissa != 0 && y.exponent > x.exponent)) {
        const auto larger = y;
        y = x;
        x = larger;
    }
    constexpr std::int32_t unit = 1 << 16;
    const std::int32_t whole = (x.exponent + 52) * unit;
    if (y.mantissa == 0) {
        return whole + fixed_log2_fraction(x.mantissa >> 21);
    }
    // |x + i y|^2 in [2^60, 2^63)
    const int distance = x.exponent - y.exponent;
    const std::uint64_t a = x.mantissa >> 22;
    const std::uint64_t b = distance < 31 ? (y.mantissa >> 22) >> distance : 0;
    std::uint64_t square = a * a + b * b;
    int shift = 0;
    while (square >> 61 != 0) {
        square >>= 1;
        ++shift;
    }
    return whole + (shift * unit + fixed_log2_fraction(square >> 29)) / 2;
}

}  // namespace linden
