#include "core/kernels/dense.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class DenseScaleRows : public testing::Test {
};
TYPED_TEST_SUITE(DenseScaleRows, TestedValues, TypeNames);

TYPED_TEST(DenseScaleRows, ByHand)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        const auto d = Dense<V>::from_rows(exec, {{V{2}}, {number<V>(3, 1)}});
        const auto b = Dense<V>::from_rows(exec, {{V{1}, V{4}}, {V{2}, V{5}}});
        auto x = Dense<V>::filled(exec, {2, 2}, V{1});
        dense_scale_rows<V>(exec, d.view(), V{10}, b.view(), V{-1}, x.view());
        EXPECT_EQ(x.to_host(), (std::vector<V>{V{19}, V{79}, number<V>(59, 20), number<V>(149, 50)}));
    });
}

TYPED_TEST(DenseScaleRows, ZeroBetaDoesNotReadX)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        const auto d = Dense<V>::filled(exec, {33, 1}, V{2});
        const auto b = Dense<V>::filled(exec, {33, 2}, V{3});
        auto x = Dense<V>::filled(exec, {33, 2}, not_a_number<V>());
        dense_scale_rows<V>(exec, d.view(), V{1}, b.view(), V{0}, x.view());
        EXPECT_EQ(x.to_host(), std::vector<V>(66, V{6}));
    });
}

// Three products and a sum of numbers of magnitude 1: 12 eps. The diagonal may lie in a padded block, too.
TYPED_TEST(DenseScaleRows, LikeReference)
{
    using V = TypeParam;
    Random random(110);
    const V alpha = random.value<V>();
    for_each_shape([&](Dim size, size_type padding) {
        for (const size_type diagonal_padding : {0, 1}) {
            auto operands = random_blocks<V>(random, 2, size, padding);
            operands.push_back(random_dense<V>(random, reference_executor(), {size.rows, 1}, diagonal_padding));
            for (const V beta : {V{0}, V{2}}) {
                expect_like_reference(operands, 12, [&](const Executor& exec, Blocks<V>& x) {
                    dense_scale_rows<V>(exec, std::as_const(x[2]).view(), alpha, std::as_const(x[0]).view(), beta,
                                        x[1].view());
                });
            }
        }
    });
}

}  // namespace
}  // namespace linden::test
