#pragma once

#include <linden/matrix/dense.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "test/support/backends.hpp"

/// Comparisons with tolerances: |actual - expected| <= k * eps * scale, where eps belongs to the value type.
namespace linden::test {

template <class V>
bool is_nan(V x)
{
    return x != x;
}

/// The largest finite magnitude among `values`, at least the smallest normal number.
template <class V>
double scale_of(const std::vector<V>& values)
{
    double scale = std::numeric_limits<real_t<V>>::min();
    for (const auto& value : values) {
        const double magnitude = std::abs(value);
        scale = std::isfinite(magnitude) ? std::max(scale, magnitude) : scale;
    }
    return scale;
}

/// Within k * eps * scale, value by value; not a number where `expected` is not, equal where it is infinite.
/// Reports the first difference and how many there are.
template <class V>
void expect_near(const std::vector<V>& actual, const std::vector<V>& expected, double k, double scale)
{
    ASSERT_EQ(actual.size(), expected.size());
    const double tolerance = k * static_cast<double>(std::numeric_limits<real_t<V>>::epsilon()) * scale;
    std::size_t num_different = 0;
    std::size_t first = 0;
    for (std::size_t i = actual.size(); i-- > 0;) {
        const bool near = is_nan(expected[i]) ? is_nan(actual[i])
                                              : actual[i] == expected[i] ||
                                                    static_cast<double>(std::abs(actual[i] - expected[i])) <= tolerance;
        if (!near) {
            ++num_different;
            first = i;
        }
    }
    EXPECT_EQ(num_different, 0u) << "first at " << first << " of " << actual.size() << ": " << actual[first]
                                 << " instead of " << expected[first] << ", tolerance " << tolerance << " = " << k
                                 << " * eps * " << scale;
}

/// The scale is the largest expected magnitude.
template <class V>
void expect_near(const std::vector<V>& actual, const std::vector<V>& expected, double k)
{
    expect_near(actual, expected, k, scale_of(expected));
}

template <class V>
void expect_near(const Dense<V>& actual, const Dense<V>& expected, double k, double scale)
{
    ASSERT_EQ(actual.size(), expected.size());
    expect_near(actual.to_host(), expected.to_host(), k, scale);
}

template <class V>
void expect_near(const Dense<V>& actual, const Dense<V>& expected, double k)
{
    ASSERT_EQ(actual.size(), expected.size());
    const auto host = expected.to_host();
    expect_near(actual.to_host(), host, k, scale_of(host));
}

template <class V>
bool same_bits(const std::vector<V>& a, const std::vector<V>& b)
{
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(V)) == 0);
}

/// The padding of `actual` is, bit for bit, that of `before`: nobody wrote there.
template <class V>
void expect_same_padding(const Dense<V>& actual, const Dense<V>& before)
{
    ASSERT_EQ(actual.size(), before.size());
    ASSERT_EQ(actual.stride(), before.stride());
    const auto now = memory_of(actual);
    const auto then = memory_of(before);
    const auto stride = static_cast<std::size_t>(actual.stride());
    const auto cols = static_cast<std::size_t>(actual.size().cols);
    const std::size_t padding_bytes = (stride - cols) * sizeof(V);
    for (std::size_t row = 0; row < static_cast<std::size_t>(actual.size().rows) && padding_bytes != 0; ++row) {
        const std::size_t begin = row * stride + cols;
        ASSERT_EQ(std::memcmp(now.data() + begin, then.data() + begin, padding_bytes), 0)
            << "the padding of row " << row << " changed";
    }
}

}  // namespace linden::test
