#include "test/support/sparse_products.hpp"

namespace linden::test {
namespace {

template <class Types>
class SpgemmMultiply : public testing::Test {
};
TYPED_TEST_SUITE(SpgemmMultiply, TestedValueIndices, TypeNames);

TYPED_TEST(SpgemmMultiply, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    // [1 . 2; . . .; 3 i .] times [. 1 2 .; 3 . . .; 4 . . 5] = [8 1 2 10; . . . .; 3i 3 6 .]
    const Pair<V, I> pair{{{3, 3}, {0, 2, 2, 4}, {0, 2, 0, 1}, {V{1}, V{2}, V{3}, number<V>(0, 1)}},
                          {{3, 4}, {0, 2, 3, 5}, {1, 2, 0, 0, 3}, {V{1}, V{2}, V{3}, V{4}, V{5}}}};
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(product_on(exec, pair).values,
                  (std::vector<V>{V{8}, V{1}, V{2}, V{10}, number<V>(0, 3), V{3}, V{6}}));
    });
}

TYPED_TEST(SpgemmMultiply, EntriesThatCancelStay)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const Pair<V, I> pair{{{1, 2}, {0, 2}, {0, 1}, {V{1}, V{-1}}}, {{2, 1}, {0, 1, 2}, {0, 0}, {V{3}, V{3}}}};
    on_each_executor([&](const Executor& exec) { EXPECT_EQ(product_on(exec, pair).values, (std::vector<V>{V{0}})); });
}

TYPED_TEST(SpgemmMultiply, LikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(303);
    for_each_product_case<V, I>(random, [](const Pair<V, I>& pair) {
        const auto expected = product_on(reference_executor(), pair).values;
        on_each_other_executor([&](const Executor& exec) {
            const auto actual = product_on(exec, pair).values;
            expect_near(actual, expected, 4 * summation_factor(300), std::max(1.0, scale_of(expected)));
            EXPECT_TRUE(same_bits(actual, product_on(exec, pair).values)) << "two runs differ";
        });
    });
}

}  // namespace
}  // namespace linden::test
