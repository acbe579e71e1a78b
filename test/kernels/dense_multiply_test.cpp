#include "core/kernels/dense.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class DenseMultiply : public testing::Test {
};
TYPED_TEST_SUITE(DenseMultiply, TestedValues, TypeNames);

TYPED_TEST(DenseMultiply, ByHand)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        const auto a = Dense<V>::from_rows(exec, {{V{1}, V{2}, V{0}}, {V{-1}, number<V>(0, 1), V{3}}});
        const auto b = Dense<V>::from_rows(exec, {{V{1}, V{4}}, {V{2}, V{5}}, {V{3}, V{6}}});
        auto x = Dense<V>::from_rows(exec, {{V{1}, V{1}}, {V{1}, V{1}}});
        dense_multiply<V>(exec, a.view(), V{2}, b.view(), V{-1}, x.view());
        EXPECT_EQ(x.to_host(), (std::vector<V>{V{9}, V{27}, number<V>(15, 4), number<V>(27, 10)}));
    });
}

TYPED_TEST(DenseMultiply, ZeroBetaDoesNotReadX)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        const auto a = Dense<V>::filled(exec, {33, 2}, V{1});
        const auto b = Dense<V>::filled(exec, {2, 1}, V{3});
        auto x = Dense<V>::filled(exec, {33, 1}, not_a_number<V>());
        dense_multiply<V>(exec, a.view(), V{1}, b.view(), V{0}, x.view());
        EXPECT_EQ(x.to_host(), std::vector<V>(33, V{6}));
    });
}

/// x := alpha A b + beta x for an A of `inner` columns
template <class V>
void expect_product_like_reference(Random& random, Dim size, size_type padding, size_type inner)
{
    const V alpha = random.value<V>();
    Blocks<V> operands;
    operands.push_back(random_dense<V>(random, reference_executor(), {size.rows, inner}, padding));
    operands.push_back(random_dense<V>(random, reference_executor(), {inner, size.cols}, padding));
    operands.push_back(random_dense<V>(random, reference_executor(), size, padding));
    for (const V beta : {V{0}, V{2}}) {
        expect_like_reference(operands, summation_factor(inner), [&](const Executor& exec, Blocks<V>& x) {
            dense_multiply<V>(exec, std::as_const(x[0]).view(), alpha, std::as_const(x[1]).view(), beta, x[2].view());
        });
    }
}

TYPED_TEST(DenseMultiply, LikeReference)
{
    Random random(109);
    for_each_shape([&](Dim size, size_type padding) {
        for (const size_type inner : {0, 1, 7, 21}) {
            expect_product_like_reference<TypeParam>(random, size, padding, inner);
        }
    });
}

TYPED_TEST(DenseMultiply, OfLongRowsLikeReference)
{
    Random random(110);
    for (const Dim size : {Dim{3, 1}, Dim{5, 3}, Dim{2, 9}, Dim{1031, 1}, Dim{2100, 2}}) {
        for (const size_type padding : {0, 1}) {
            expect_product_like_reference<TypeParam>(random, size, padding, 300);
        }
    }
}

}  // namespace
}  // namespace linden::test
