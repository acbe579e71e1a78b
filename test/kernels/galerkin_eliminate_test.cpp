#include <cmath>
#include <limits>

#include "core/kernels/galerkin.hpp"
#include "test/support/galerkin.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class GalerkinEliminate : public testing::Test {
};
TYPED_TEST_SUITE(GalerkinEliminate, TestedValues, TypeNames);

TYPED_TEST(GalerkinEliminate, ByHand)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        const auto e = eliminated<V>(exec, {4, 2, 2, 3}, {4, 3}, Elimination::inverse);
        EXPECT_EQ(e.is_kept, (std::vector<std::int32_t>{1, 1}));
        expect_close<wide_t<V>>(e.values, {3. / 8, -1. / 4, -1. / 4, 1. / 2}, 1e-15);
    });
}

/// Vector 1 is twice vector 0, vector 2 is none: either of the first two stays, whose inverse is that of its entry.
TYPED_TEST(GalerkinEliminate, DropsWhatDependsOnOthers)
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

/// In one block and in several, all vectors independent and not.
TYPED_TEST(GalerkinEliminate, LikeReference)
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

/// X E X = X and E X E = E hold for the inverse on a largest set of independent vectors.
TYPED_TEST(GalerkinEliminate, GivesAnInverse)
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
