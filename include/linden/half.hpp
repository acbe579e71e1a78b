#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace linden {

namespace detail {

/// The binary16 number nearest to x, ties to even.
constexpr std::uint16_t half_bits(double x)
{
    constexpr std::uint64_t infinity = 0x7FF0'0000'0000'0000, one = std::uint64_t{1} << 52;
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const auto sign = static_cast<std::uint16_t>(bits >> 48 & 0x8000);
    const std::uint64_t magnitude = bits & ~(std::uint64_t{1} << 63);
    if (magnitude > infinity) {
        return sign | 0x7E00;  // a quiet NaN
    }
    const int exponent = static_cast<int>(magnitude >> 52) - 1023;
    if (exponent > 15) {
        return sign | 0x7C00;
    }
    if (exponent < -25) {
        return sign;  // less than half of the smallest number, 2^-24
    }
    // 11 bits of the significand are kept, fewer below 2^-14. A carry into the exponent gives the correct result.
    const std::uint64_t significand = (magnitude & (one - 1)) | one;
    const int shift = exponent >= -14 ? 42 : 28 - exponent;
    const std::uint64_t rest = significand & ((std::uint64_t{1} << shift) - 1);
    const std::uint64_t tie = std::uint64_t{1} << (shift - 1);
    std::uint64_t kept = significand >> shift;
    kept += rest > tie || (rest == tie && kept % 2 == 1) ? 1 : 0;
    const auto biased = static_cast<std::uint64_t>(exponent >= -14 ? exponent + 14 : 0);
    return static_cast<std::uint16_t>(sign | ((biased << 10) + kept));
}

/// The same for float, without branches, so that compilers vectorise loops over it.
constexpr std::uint16_t half_bits(float x)
{
    const auto bits = std::bit_cast<std::uint32_t>(x);
    const std::uint32_t magnitude = bits & 0x7FFF'FFFFu;
    // Below 2^-14 the sum with 0.5 rounds where a half does, and leaves the significand in its last bits.
    const std::uint32_t small = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3F00'0000u;
    const std::uint32_t normal = (magnitude - (112u << 23) + 0xFFFu + (magnitude >> 13 & 1u)) >> 13;
    const std::uint32_t large = magnitude > 0x7F80'0000u ? 0x7E00u : 0x7C00u;
    const std::uint32_t rounded = magnitude < 0x3880'0000u ? small : normal;
    return static_cast<std::uint16_t>((bits >> 16 & 0x8000u) | (magnitude >= 0x4780'0000u ? large : rounded));
}

/// Without branches, as well.
constexpr float half_value(std::uint16_t bits)
{
    // Changing the exponent's bias from 15 to 127 is a product by 2^112, which is exact, also for subnormal numbers.
    const float scaled = std::bit_cast<float>((bits & 0x7FFFu) << 13) * 0x1p112f;
    const std::uint32_t special = (bits & 0x7C00u) == 0x7C00u ? 0x7F80'0000u : 0u;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | special | (bits & 0x8000u) << 16);
}

}  // namespace detail

/// A 16-bit floating-point number (IEEE 754 binary16: 11 significant bits, maximum 65504) for storage only, without
/// arithmetic. Conversions round to nearest, ties to even, and handle subnormal numbers, infinities and NaN.
class half {
public:
    half() = default;
    constexpr explicit half(double value) : bits_(detail::half_bits(value)) {}
    constexpr explicit half(float value) : bits_(detail::half_bits(value)) {}
    template <class R>
    requires std::is_arithmetic_v<R>
    constexpr explicit half(R value) : half(static_cast<double>(value)) {}
    static constexpr half from_bits(std::uint16_t bits)
    {
        half h{};
        h.bits_ = bits;
        return h;
    }

    constexpr std::uint16_t bits() const { return bits_; }
    template <class R>
    requires std::is_floating_point_v<R>
    constexpr explicit operator R() const { return detail::half_value(bits_); }

    /// Compares as numbers: 0 equals -0, and NaN equals nothing.
    friend constexpr bool operator==(half a, half b) { return static_cast<float>(a) == static_cast<float>(b); }

private:
    std::uint16_t bits_;
};

}  // namespace linden
