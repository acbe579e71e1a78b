#include "test/support/patterns.hpp"
#include "test/support/pivoting.hpp"

namespace linden::test {
namespace {

template <class I>
class PivotingLimitProducts : public testing::Test {
};
TYPED_TEST_SUITE(PivotingLimitProducts, TestedIndices);

TYPED_TEST(PivotingLimitProducts, ByHand)
{
    using I = TypeParam;
    const auto a = pivot_example<DefaultValue, I>();
    const auto before = pivot_example_candidates<I>();  // products 1, 1, 2, 0, 4
    auto expected = before;
    expected.class_counts[0] = expected.class_counts[2] = expected.class_counts[4] = 1;
    expected.class_counts[1] = 2;
    on_each_executor([&](const Executor& exec) {
        const auto check = [&](ProductLimit limit, std::uint64_t max_product) {
            expected.max_product = {max_product};
            EXPECT_EQ(after(exec, a, {{}, limit, false}, PivotStep::limit_products, before), expected);
        };
        check({0, 0}, 0);
        check({0.2, 0}, 0);
        check({0.25, 0}, 1);
        check({0.6, 0}, 1);
        check({0.61, 0}, 2);
        check({1, 0}, 4);
        check({0.5, 3}, 3);
        check({1, 3}, 4);
    });
}

/// All five products are 4 or more.
TYPED_TEST(PivotingLimitProducts, TakesOneAtLeast)
{
    using I = TypeParam;
    const auto a = pivot_example<DefaultValue, I>();
    auto before = pivot_example_candidates<I>();
    before.row_keys = {8 * 1000, 8 * 4 + 1, 8 * 1000 + 2, 8 * 9 + 3, 8 * 1000 + 4};
    auto expected = before;
    expected.class_counts[4] = expected.class_counts[8] = 1;
    expected.class_counts[class_of_product(1000)] = 3;
    on_each_executor([&](const Executor& exec) {
        const auto check = [&](ProductLimit limit, std::uint64_t max_product) {
            expected.max_product = {max_product};
            EXPECT_EQ(after(exec, a, {{}, limit, false}, PivotStep::limit_products, before), expected);
        };
        check({0, 0}, 4);
        check({0.4, 0}, 9);
        check({1, 0}, 1023);
    });
}

TYPED_TEST(PivotingLimitProducts, WithoutCandidates)
{
    using I = TypeParam;
    const auto a = pivot_example<DefaultValue, I>();
    auto before = pivot_example_candidates<I>();
    before.candidates = std::vector<I>(5, -1);
    auto expected = before;
    expected.max_product = {6};
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(after(exec, a, {{}, {0.25, 6}, false}, PivotStep::limit_products, before), expected);
    });
}

/// Each product is in the class whose largest one is the first that is not less.
TYPED_TEST(PivotingLimitProducts, HasClassesInTheOrderOfProducts)
{
    EXPECT_EQ(class_of_product(0), 0);
    EXPECT_EQ(class_of_product(7), 7);
    EXPECT_EQ(class_of_product(9), 8);
    EXPECT_EQ(class_of_product(10), 9);
    EXPECT_EQ(class_of_product(~std::uint64_t{0}), num_product_classes - 1);
    EXPECT_EQ(largest_of_class(num_product_classes - 1), ~std::uint64_t{0});
    for (size_type i = 0; i + 1 < num_product_classes; ++i) {
        EXPECT_EQ(class_of_product(largest_of_class(i)), i);
        EXPECT_EQ(class_of_product(largest_of_class(i) + 1), i + 1);
    }
}

TYPED_TEST(PivotingLimitProducts, OfRandomMatrices)
{
    using V = DefaultValue;
    using I = TypeParam;
    for_each_pivot_problem<V, I>(1402, [](const CsrData<V, I>& a, const PivotSettings& settings) {
        expect_step_like_reference(pivoting_limit_products<I>, PivotStep::limit_products, a, settings);
    });
}

}  // namespace
}  // namespace linden::test
