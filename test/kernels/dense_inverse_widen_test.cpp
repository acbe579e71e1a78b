#include "core/kernels/dense_inverse.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class DenseInverseWiden : public testing::Test {
};
TYPED_TEST_SUITE(DenseInverseWiden, TestedValues, TypeNames);

TYPED_TEST(DenseInverseWiden, ByHand)
{
    using V = TypeParam;
    using W = wide_t<V>;
    on_each_executor([](const Executor& exec) {
        const Array<V> a(exec, {V{1}, V{2}, V{3}, V{4}, V{5}, V{6}, V{7}, V{8}, V{9}});
        const Array<std::int32_t> order(exec, {1, 2, 0});
        Array<W> values(exec, 9);
        dense_inverse_widen<V>(exec, 3, a.data(), order.data(), values.data());
        EXPECT_EQ(values.to_host(), (std::vector<W>{4, 5, 6, 7, 8, 9, 1, 2, 3}));
    });
}

}  // namespace
}  // namespace linden::test
