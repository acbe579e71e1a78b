#include <algorithm>
#include <cmath>
#include <limits>

#include "core/kernels/galerkin.hpp"
#include "test/support/galerkin.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class GalerkinGaussJordan : public testing::Test {
};
TYPED_TEST_SUITE(GalerkinGaussJordan, TestedValues, TypeNames);

TYPED_TEST(GalerkinGaussJordan, ByHand)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        const auto e = eliminated<V>(exec, {4, 2, 2, 3}, {4, 3}, Elimination::inverse);
        EXPECT_EQ(e.is_kept, (std::vector<std::int32_t>{1, 1}));
        expect_close<wide_t<V>>(e.values, {3. / 8, -1. / 4, -1. / 4, 1. / 2}, 1e-15);
    });
}

/// Vector 1 is twice vector 0, vector 2 is none: either of the first two stays, whose inverse is that of its entry.
TYPED_TEST(GalerkinGaussJordan, DropsWhatDependsOnOthers)
{
    using V = TypeParam;
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    on_each_executor([](const Executor& exec) {
        for (const auto how : {Elimination::inverse, Elimination::factors}) {
            const auto e = eliminated<V>(exec, {1, 2, 0, 2, 4, 0, 0, 0, 0}, {1, 4, 0}, how);
            EXPECT_EQ(e.is_kept, (std::vector<std::int32_t>{1, 0, 0}));
            expect_close<wide_t<V>>(e.values, {1, 0, 0, 0, 0, 0, 0, 0, 0}, 0);
            EXPECT_EQ(eliminated<V>(exec, {nan}, {real_t<V>(nan)}, how).is_kept, std::vector<std::int32_t>{0});
        }
    });
}

/// A general matrix; and one whose first pivot is missing, of which the second row and column are left, whatever
/// the first ones have.
TYPED_TEST(GalerkinGaussJordan, OrderedByHand)
{
    using V = TypeParam;
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    on_each_executor([](const Executor& exec) {
        const auto e = eliminated<V>(exec, {2, 1, 4, 4}, {4, 4}, Elimination::ordered);
        EXPECT_EQ(e.is_kept, (std::vector<std::int32_t>{1, 1}));
        expect_close<wide_t<V>>(e.values, {1, -1. / 4, -1, 1. / 2}, 1e-15);
        const auto rest = eliminated<V>(exec, {0, nan, 1, 4}, {1, 4}, Elimination::ordered);
        EXPECT_EQ(rest.is_kept, (std::vector<std::int32_t>{0, 1}));
        expect_close<wide_t<V>>(rest.values, {0, 0, 0, 1. / 4}, 0);
    });
}

/// In one block and in several, all vectors independent and not.
TYPED_TEST(GalerkinGaussJordan, LikeReference)
{
    using V = TypeParam;
    Random random(961);
    for (const size_type k : {1, 2, 31, 32, 33, 70, 130}) {
        for (const bool dependent : {false, true}) {
            for (const auto how : {Elimination::inverse, Elimination::factors}) {
                SCOPED_TRACE(std::to_string(k) + " vectors");
                const auto e = random_galerkin<V>(random, k, dependent ? 11 : 0);
                const auto expected = eliminated<V>(reference_executor(), e.values, e.scales, how);
                EXPECT_EQ(std::count(expected.is_kept.begin(), expected.is_kept.end(), 0), e.num_dependent);
                on_each_executor([&](const Executor& exec) {
                    const auto result = eliminated<V>(exec, e.values, e.scales, how);
                    EXPECT_EQ(result.is_kept, expected.is_kept);
                    expect_close(result.values, expected.values, 1e-9);
                });
            }
        }
    }
}

/// Two parts of a row each and one separator: D^-1, W, -W^H and the inverse of the Schur complement 5 - 1 - 4/4.
TYPED_TEST(GalerkinGaussJordan, PartsByHand)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        const auto e = eliminated<V>(exec, {1, 0, 1, 0, 4, 2, 1, 2, 5}, {1, 4, 5}, Elimination::inverse, {0, 1, 2});
        EXPECT_EQ(e.is_kept, (std::vector<std::int32_t>{1, 1, 1}));
        expect_close<wide_t<V>>(e.values, {1, 0, -1. / 3, 0, 1. / 4, -1. / 6, -1, -1. / 2, 1. / 3}, 1e-15);
    });
}

/// A Galerkin matrix whose rows before the separators have entries with rows of their part and the separators alone.
template <class V>
RandomGalerkin<V> random_parts(Random& random, size_type k, size_type every, const std::vector<std::int32_t>& ptrs)
{
    auto e = random_galerkin<V>(random, k, every);
    const auto part_of = [&](size_type i) { return std::upper_bound(ptrs.begin(), ptrs.end(), i) - ptrs.begin(); };
    for (size_type i = 0; i < k; ++i) {
        e.values[i * k + i] += every == 0 ? 40. : 0.;
        for (size_type j = 0; j < k; ++j) {
            const bool are_apart = i < ptrs.back() && j < ptrs.back() && part_of(i) != part_of(j);
            e.values[i * k + j] = are_apart ? wide_t<V>{} : e.values[i * k + j];
        }
    }
    return e;
}

/// Parts shorter and longer than a block, an empty one, parts of several blocks; with and without dependent vectors.
TYPED_TEST(GalerkinGaussJordan, PartsLikeReference)
{
    using V = TypeParam;
    Random random(964);
    const std::vector<std::vector<std::int32_t>> cases{{0, 3, 5}, {0, 1, 1, 40}, {0, 33, 65, 100}, {0, 70, 71, 130}};
    for (const auto& ptrs : cases) {
        for (const size_type separators : {1, 6, 35, 70}) {
            SCOPED_TRACE("parts to " + std::to_string(ptrs.back()) + ", separators of " + std::to_string(separators));
            const auto e = random_parts<V>(random, ptrs.back() + separators, 0, ptrs);
            const auto expected = eliminated<V>(reference_executor(), e.values, e.scales, Elimination::inverse, ptrs);
            on_each_executor([&](const Executor& exec) {
                const auto result = eliminated<V>(exec, e.values, e.scales, Elimination::inverse, ptrs);
                EXPECT_EQ(result.is_kept, expected.is_kept);
                expect_close(result.values, expected.values, 1e-9);
            });
        }
    }
}

/// The product of what is left of parts and separators is the inverse, as elimination of the whole has it.
TYPED_TEST(GalerkinGaussJordan, PartsGiveTheInverse)
{
    using V = TypeParam;
    using W = wide_t<V>;
    Random random(965);
    const std::vector<std::int32_t> ptrs{0, 20, 57, 60};
    constexpr size_type k = 75, separators = 60;
    const auto e = random_parts<V>(random, k, 0, ptrs);
    const auto whole = eliminated<V>(reference_executor(), e.values, e.scales, Elimination::inverse).values;
    const auto left = eliminated<V>(reference_executor(), e.values, e.scales, Elimination::inverse, ptrs).values;
    std::vector<W> gather(left.size()), expand(left);
    for (size_type i = 0; i < k; ++i) {
        gather[i * k + i] = 1;
        for (size_type j = 0; i >= separators && j < separators; ++j) {
            gather[i * k + j] = left[i * k + j];
            expand[i * k + j] = 0;
        }
    }
    expect_close(product<W>(k, expand, gather), whole, 1e-9);
}

/// X E X = X and E X E = E hold for the inverse on a largest set of independent vectors.
TYPED_TEST(GalerkinGaussJordan, GivesAnInverse)
{
    using V = TypeParam;
    using W = wide_t<V>;
    Random random(962);
    for (const size_type k : {5, 33, 70}) {
        const auto e = random_galerkin<V>(random, k, 7);
        const auto x = eliminated<V>(reference_executor(), e.values, e.scales, Elimination::inverse).values;
        expect_close(product<W>(k, e.values, product<W>(k, x, e.values)), e.values, 1e-9);
        expect_close(product<W>(k, x, product<W>(k, e.values, x)), x, 1e-9);
    }
}

}  // namespace
}  // namespace linden::test
