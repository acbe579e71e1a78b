#include <limits>

#include "core/kernels/dense_inverse.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class DenseInverseScales : public testing::Test {
};
TYPED_TEST_SUITE(DenseInverseScales, TestedValues, TypeNames);

TYPED_TEST(DenseInverseScales, ByHand)
{
    using V = TypeParam;
    using R = real_t<V>;
    on_each_executor([](const Executor& exec) {
        const V nan = not_a_number<V>(), infinity{std::numeric_limits<R>::infinity()};
        const Array<V> a(exec, {number<V>(3, 0), V{}, nan, V{-4}, V{}, infinity, V{2}, V{}, V{-1}});
        Array<R> scales(exec, 3);
        dense_inverse_scales<V>(exec, 3, a.data(), scales.data());
        EXPECT_EQ(scales.to_host(), (std::vector<R>{4, 0, 1}));
    });
}

}  // namespace
}  // namespace linden::test
