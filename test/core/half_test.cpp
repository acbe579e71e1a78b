#include <linden/half.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace linden {
namespace {

std::uint16_t bits_of(double x) { return half(x).bits(); }
double value_of(std::uint16_t bits) { return static_cast<double>(half::from_bits(bits)); }

TEST(Half, KnowsTheNumbersOfTheStandard)
{
    EXPECT_EQ(bits_of(0.0), 0x0000);
    EXPECT_EQ(bits_of(-0.0), 0x8000);
    EXPECT_EQ(bits_of(1.0), 0x3C00);
    EXPECT_EQ(bits_of(-2.0), 0xC000);
    EXPECT_EQ(bits_of(65504.0), 0x7BFF);
    EXPECT_EQ(bits_of(0x1p-14), 0x0400) << "the smallest normal number";
    EXPECT_EQ(bits_of(0x1p-24), 0x0001) << "the smallest number";
    EXPECT_EQ(bits_of(1.0 / 3), 0x3555);
    EXPECT_EQ(value_of(0x3555), 0.333251953125);
    EXPECT_EQ(value_of(0x0001), 0x1p-24);
    EXPECT_EQ(value_of(0x83FF), -1023 * 0x1p-24);
    static_assert(static_cast<float>(half(-1.5)) == -1.5f);
    static_assert(half(-7).bits() == half(-7.0).bits() && half(65504L).bits() == 0x7BFF);
}

TEST(Half, RoundsToNearestTiesToEven)
{
    EXPECT_EQ(bits_of(1 + 0x1p-11), 0x3C00) << "a tie, 1 is even";
    EXPECT_EQ(bits_of(1 + 3 * 0x1p-11), 0x3C02) << "a tie, the upper one is even";
    EXPECT_EQ(bits_of(1 + 0x1p-11 + 0x1p-40), 0x3C01) << "a float in between would round twice";
    EXPECT_EQ(bits_of(2 - 0x1p-11), 0x4000) << "carries into the exponent";
    EXPECT_EQ(bits_of(65519.99), 0x7BFF);
    EXPECT_EQ(bits_of(65520.0), 0x7C00) << "from here on it is infinite";
    EXPECT_EQ(bits_of(0x1p-25), 0x0000) << "a tie, 0 is even";
    EXPECT_EQ(bits_of(0x1.8p-25), 0x0001);
    EXPECT_EQ(bits_of(3 * 0x1p-25), 0x0002);
    EXPECT_EQ(bits_of(0x1p-14 - 0x1p-26), 0x0400) << "from denormal to normal";
    EXPECT_EQ(bits_of(-1e-300), 0x8000);
    EXPECT_EQ(bits_of(1e300), 0x7C00);
}

TEST(Half, KeepsInfinitiesAndNaN)
{
    constexpr double infinity = std::numeric_limits<double>::infinity();
    EXPECT_EQ(bits_of(-infinity), 0xFC00);
    EXPECT_EQ(value_of(0x7C00), infinity);
    EXPECT_TRUE(std::isnan(value_of(bits_of(std::nan("")))));
    EXPECT_TRUE(std::isnan(value_of(0xFC01)));
    EXPECT_FALSE(half::from_bits(0x7E00) == half::from_bits(0x7E00));
    EXPECT_TRUE(half(0.0) == half(-0.0));
}

TEST(Half, EveryNumberGoesThereAndBack)
{
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
        const double value = value_of(static_cast<std::uint16_t>(bits));
        const auto exponent = bits >> 10 & 31;
        if (exponent == 31 && (bits & 0x3FF) != 0) {
            ASSERT_TRUE(std::isnan(value)) << bits;
            continue;
        }
        ASSERT_EQ(bits_of(value), bits);
        const double significand = (bits & 0x3FF) + (exponent == 0 ? 0 : 1024);
        const double expected = std::ldexp(significand, static_cast<int>(exponent == 0 ? 1 : exponent) - 25);
        if (exponent < 31) {
            ASSERT_EQ(std::abs(value), expected) << bits;
        }
    }
}

/// For floats there is a conversion of its own.
TEST(Half, OfAFloatIsThatOfTheDouble)
{
    const auto expect_same = [](float x) {
        const auto expected = half(static_cast<double>(x)).bits();
        ASSERT_EQ(half(x).bits(), expected) << std::bit_cast<std::uint32_t>(x);
        ASSERT_EQ(half(-x).bits(), expected ^ 0x8000) << -x;
    };
    constexpr float infinity = std::numeric_limits<float>::infinity();
    // Every number, the middle between it and the next, and the floats beside both. After 65504 comes 65536, rounded
    // to infinity from the middle on.
    for (std::uint16_t bits = 0; bits < 0x7C00; ++bits) {
        const auto x = static_cast<float>(half::from_bits(bits));
        const float next = bits == 0x7BFF ? 65536.0f : static_cast<float>(half::from_bits(bits + 1));
        const float middle = x + (next - x) / 2;
        for (const float at : {x, middle}) {
            expect_same(at);
            expect_same(std::nextafter(at, infinity));
            expect_same(std::nextafter(at, -infinity));
        }
    }
    for (const float x : {0x1p-25f, 0x1p-26f, 0x1p-126f, 0x1p-149f, 1e-30f, 65519.99f, 65520.0f, 65536.0f, 1e6f,
                          std::numeric_limits<float>::max(), infinity}) {
        expect_same(x);
        expect_same(std::nextafter(x, 0.0f));
    }
    std::mt19937 engine(16);
    for (int i = 0; i < 1000000; ++i) {
        const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(engine()));
        if (!std::isnan(x)) {
            expect_same(x);
        }
    }
    for (const std::uint32_t nan : {0x7F80'0001u, 0x7FC0'0000u, 0x7FFF'FFFFu, 0xFF80'0001u, 0xFFC0'1234u}) {
        const auto bits = half(std::bit_cast<float>(nan)).bits();
        EXPECT_EQ(bits & 0x7FFF, 0x7E00);
        EXPECT_EQ(bits >> 15, nan >> 31);
        EXPECT_TRUE(std::isnan(value_of(bits)));
    }
}

}  // namespace
}  // namespace linden
