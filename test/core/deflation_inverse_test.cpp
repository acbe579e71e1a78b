#include <gtest/gtest.h>

#include <complex>
#include <limits>

#include "core/base/math.hpp"
#include "core/deflation/invert.hpp"
#include "test/support/random.hpp"

/// The dense inverse that deflation applies.
namespace linden::test {
namespace {

using linden::detail::invert_with_diagonal_pivots;

TEST(DeflationInverse, ByHand)
{
    std::vector<double> e{4, 2, 2, 3};
    EXPECT_EQ(invert_with_diagonal_pivots(e, {4, 3}, 1e-12), 0);
    const std::vector<double> expected{3. / 8, -1. / 4, -1. / 4, 1. / 2};
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_NEAR(e[i], expected[i], 1e-15);
    }
}

/// Vector 1 is twice vector 0, vector 2 is none: either of the first two stays, whose inverse is that of its entry.
TEST(DeflationInverse, DropsWhatDependsOnOthers)
{
    std::vector<double> e{1, 2, 0, 2, 4, 0, 0, 0, 0};
    EXPECT_EQ(invert_with_diagonal_pivots(e, {1, 4, 0}, 1e-12), 2);
    EXPECT_EQ(e, (std::vector<double>{1, 0, 0, 0, 0, 0, 0, 0, 0}));
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> not_a_number{nan};
    EXPECT_EQ(invert_with_diagonal_pivots(not_a_number, {nan}, 1e-12), 1);
    EXPECT_EQ(not_a_number, std::vector<double>{0});
    std::vector<double> nothing;
    EXPECT_EQ(invert_with_diagonal_pivots(nothing, {}, 1e-12), 0);
}

/// B^H B of m x k vectors B, of which each that `depends` is the sum of the two before.
template <class W>
std::vector<W> gram(Random& random, std::size_t k, const std::vector<bool>& depends)
{
    const std::size_t m = k + 5;
    std::vector<W> b(m * k);
    for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j < k; ++j) {
            b[i * k + j] = depends[j] ? b[i * k + j - 1] + b[i * k + j - 2] : random.value<W>();
        }
        b[i * k + i % k] += 4.;  // far from singular otherwise
    }
    for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j < k; ++j) {
            b[i * k + j] = depends[j] ? b[i * k + j - 1] + b[i * k + j - 2] : b[i * k + j];
        }
    }
    std::vector<W> e(k * k);
    for (std::size_t i = 0; i < k; ++i) {
        for (std::size_t j = 0; j < k; ++j) {
            for (std::size_t row = 0; row < m; ++row) {
                e[i * k + j] += conjugate(b[row * k + i]) * b[row * k + j];
            }
        }
    }
    return e;
}

/// X E X = X and E X E = E hold for the inverse on a largest set of independent vectors, in one block and in several.
template <class W>
void expect_inverse(const std::vector<W>& e, const std::vector<W>& x, std::size_t k, double tolerance)
{
    const auto product = [&](const std::vector<W>& a, const std::vector<W>& b) {
        std::vector<W> c(k * k);
        for (std::size_t i = 0; i < k; ++i) {
            for (std::size_t l = 0; l < k; ++l) {
                for (std::size_t j = 0; j < k; ++j) {
                    c[i * k + j] += a[i * k + l] * b[l * k + j];
                }
            }
        }
        return c;
    };
    const auto exe = product(e, product(x, e));
    const auto xex = product(x, product(e, x));
    double largest = 0;
    for (std::size_t i = 0; i < k * k; ++i) {
        largest = std::max(largest, std::abs(e[i]));
    }
    for (std::size_t i = 0; i < k * k; ++i) {
        ASSERT_LE(std::abs(exe[i] - e[i]), tolerance * largest) << i / k << ", " << i % k;
        ASSERT_LE(std::abs(xex[i] - x[i]), tolerance * largest) << i / k << ", " << i % k;
    }
}

template <class W>
void test_random(Random& random)
{
    for (const std::size_t k : {1, 2, 31, 32, 33, 70, 100}) {
        for (const bool dependent : {false, true}) {
            std::vector<double> scales(k);
            std::vector<bool> depends(k);
            for (std::size_t j = 2; j < k && dependent; j += 11) {
                depends[j] = true;
            }
            auto e = gram<W>(random, k, depends);
            for (std::size_t j = 0; j < k; ++j) {
                scales[j] = std::abs(e[j * k + j]);
            }
            const auto given = e;
            EXPECT_EQ(invert_with_diagonal_pivots(e, scales, 1e-11), std::count(depends.begin(), depends.end(), true));
            expect_inverse(given, e, k, 1e-10);
        }
    }
}

TEST(DeflationInverse, OfRandomMatrices)
{
    Random random(961);
    test_random<double>(random);
    test_random<std::complex<double>>(random);
}

}  // namespace
}  // namespace linden::test
