#include "core/base/math.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>

/// Scalar functions.
namespace linden::test {
namespace {

template <class R>
class Magnitude : public testing::Test {
};
using RealTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(Magnitude, RealTypes);

TYPED_TEST(Magnitude, OfRealNumbers)
{
    using R = TypeParam;
    constexpr R infinity = std::numeric_limits<R>::infinity();
    EXPECT_EQ(magnitude(R(2.5)), R(2.5));
    EXPECT_EQ(magnitude(R(-2.5)), R(2.5));
    EXPECT_EQ(magnitude(-infinity), infinity);
    EXPECT_EQ(magnitude(-std::numeric_limits<R>::denorm_min()), std::numeric_limits<R>::denorm_min());
    EXPECT_TRUE(std::isnan(magnitude(std::numeric_limits<R>::quiet_NaN())));
    EXPECT_FALSE(std::signbit(magnitude(R(-0.0))));
}

TYPED_TEST(Magnitude, OfComplexNumbers)
{
    using R = TypeParam;
    using C = std::complex<R>;
    constexpr R large = std::numeric_limits<R>::max() / 8;
    EXPECT_EQ(magnitude(C(-3, 4)), R(5));
    EXPECT_EQ(magnitude(C(0, -2)), R(2));
    // The square is beyond the range.
    EXPECT_NEAR(magnitude(C(3 * large, -4 * large)) / large, R(5), 4 * std::numeric_limits<R>::epsilon());
}

}  // namespace
}  // namespace linden::test
