#include "core/kernels/dense.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class DenseScale : public testing::Test {
};
TYPED_TEST_SUITE(DenseScale, TestedValues, TypeNames);

TYPED_TEST(DenseScale, ByHand)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        auto x = Dense<V>::from_rows(exec, {{V{1}, V{2}}, {V{3}, number<V>(4, 5)}});
        dense_scale<V>(exec, number<V>(2, 1), x.view());
        const std::vector<V> expected{number<V>(2, 1), number<V>(4, 2), number<V>(6, 3),
                                      is_complex<V> ? number<V>(3, 14) : V{8}};
        EXPECT_EQ(x.to_host(), expected);
    });
}

TYPED_TEST(DenseScale, ZeroOverwritesNotANumber)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        auto x = Dense<V>::filled(exec, {33, 2}, not_a_number<V>());
        const Array<V> alpha(exec, std::vector<V>{V{0}, V{2}});
        dense_scale<V>(exec, Scalar<V>::per_column(alpha.data()), x.view());
        const auto values = x.to_host();
        for (std::size_t row = 0; row < 33; ++row) {
            EXPECT_EQ(values[2 * row], V{});
            EXPECT_TRUE(is_nan(values[2 * row + 1]));
        }
        dense_scale<V>(exec, V{0}, x.view());
        EXPECT_EQ(x.to_host(), std::vector<V>(66));
    });
}

// One product: 2 eps (4 for complex values).
TYPED_TEST(DenseScale, LikeReference)
{
    using V = TypeParam;
    Random random(103);
    for_each_shape([&](Dim size, size_type padding) {
        const V value = random.value<V>();
        const auto factors = random_dense<V>(random, reference_executor(), {1, size.cols}).to_host();
        const auto operands = random_blocks<V>(random, 1, size, padding);
        expect_like_reference(operands, 4,
                              [&](const Executor& exec, Blocks<V>& x) { dense_scale<V>(exec, value, x[0].view()); });
        expect_like_reference(operands, 4, [&](const Executor& exec, Blocks<V>& x) {
            const Array<V> alpha(exec, factors);
            dense_scale<V>(exec, Scalar<V>::per_column(alpha.data()), x[0].view());
        });
    });
}

}  // namespace
}  // namespace linden::test
