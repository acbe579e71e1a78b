#include "core/kernels/dense.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class DenseAxpby : public testing::Test {
};
TYPED_TEST_SUITE(DenseAxpby, TestedValues, TypeNames);

TYPED_TEST(DenseAxpby, ByHand)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        const auto b = Dense<V>::from_rows(exec, {{V{1}, V{2}}, {V{3}, number<V>(4, 1)}});
        auto x = Dense<V>::from_rows(exec, {{V{10}, V{20}}, {V{30}, V{40}}});
        dense_axpby<V>(exec, number<V>(2, 1), b.view(), V{-1}, x.view());
        const std::vector<V> expected{number<V>(-8, 1), number<V>(-16, 2), number<V>(-24, 3),
                                      is_complex<V> ? number<V>(-33, 6) : V{-32}};
        EXPECT_EQ(x.to_host(), expected);
    });
}

TYPED_TEST(DenseAxpby, ZeroBetaDoesNotReadX)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        const auto b = Dense<V>::filled(exec, {33, 2}, V{3});
        auto x = Dense<V>::filled(exec, {33, 2}, not_a_number<V>());
        const Array<V> beta(exec, std::vector<V>{V{0}, V{1}});
        dense_axpby<V>(exec, V{2}, b.view(), Scalar<V>::per_column(beta.data()), x.view());
        const auto values = x.to_host();
        for (std::size_t row = 0; row < 33; ++row) {
            EXPECT_EQ(values[2 * row], V{6});
            EXPECT_TRUE(is_nan(values[2 * row + 1]));
        }
        dense_axpby<V>(exec, V{2}, b.view(), V{0}, x.view());
        EXPECT_EQ(x.to_host(), std::vector<V>(66, V{6}));
    });
}

// Two products and a sum of numbers up to 2: 8 eps.
TYPED_TEST(DenseAxpby, LikeReference)
{
    using V = TypeParam;
    Random random(104);
    for_each_shape([&](Dim size, size_type padding) {
        const V one = random.value<V>();
        const V other = random.value<V>();
        const auto factors = random_dense<V>(random, reference_executor(), {2, size.cols}).to_host();
        const auto operands = random_blocks<V>(random, 2, size, padding);
        for (const V beta : {other, V{0}}) {
            expect_like_reference(operands, 8, [&](const Executor& exec, Blocks<V>& x) {
                dense_axpby<V>(exec, one, std::as_const(x[0]).view(), beta, x[1].view());
            });
        }
        expect_like_reference(operands, 8, [&](const Executor& exec, Blocks<V>& x) {
            const Array<V> scalars(exec, factors);
            dense_axpby<V>(exec, Scalar<V>::per_column(scalars.data()), std::as_const(x[0]).view(),
                           Scalar<V>::per_column(scalars.data() + size.cols), x[1].view());
        });
    });
}

}  // namespace
}  // namespace linden::test
