#include "core/kernels/dense.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class DenseFill : public testing::Test {
};
TYPED_TEST_SUITE(DenseFill, TestedValues, TypeNames);

TYPED_TEST(DenseFill, ByHand)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        Dense<V> x(exec, {2, 2});
        dense_fill<V>(exec, number<V>(3, -1), x.view());
        EXPECT_EQ(x.to_host(), std::vector<V>(4, number<V>(3, -1)));
    });
}

TYPED_TEST(DenseFill, LikeReference)
{
    using V = TypeParam;
    Random random(101);
    for_each_shape([&](Dim size, size_type padding) {
        const V value = random.value<V>();
        expect_like_reference(random_blocks<V>(random, 1, size, padding), 0,
                              [&](const Executor& exec, Blocks<V>& x) { dense_fill<V>(exec, value, x[0].view()); });
    });
}

}  // namespace
}  // namespace linden::test
