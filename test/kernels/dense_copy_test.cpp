#include "core/kernels/dense.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class DenseCopy : public testing::Test {
};
TYPED_TEST_SUITE(DenseCopy, TestedValues, TypeNames);

TYPED_TEST(DenseCopy, ByHand)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        const auto b = Dense<V>::from_rows(exec, {{V{1}, V{2}}, {V{3}, number<V>(4, 5)}});
        Dense<V> x(exec, {2, 2});
        dense_copy<V>(exec, b.view(), x.view());
        EXPECT_EQ(x.to_host(), (std::vector<V>{V{1}, V{2}, V{3}, number<V>(4, 5)}));
    });
}

TYPED_TEST(DenseCopy, LikeReference)
{
    using V = TypeParam;
    Random random(102);
    for_each_shape([&](Dim size, size_type padding) {
        auto operands = random_blocks<V>(random, 1, size, padding);
        operands.push_back(random_dense<V>(random, reference_executor(), size, 2 - padding));
        expect_like_reference(operands, 0, [](const Executor& exec, Blocks<V>& x) {
            dense_copy<V>(exec, std::as_const(x[0]).view(), x[1].view());
        });
    });
}

}  // namespace
}  // namespace linden::test
