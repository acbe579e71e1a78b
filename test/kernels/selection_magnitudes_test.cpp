#include "core/kernels/selection.hpp"

#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class V>
std::vector<real_t<V>> magnitudes_of(const Executor& exec, const std::vector<V>& values)
{
    const Array<V> on_exec(exec, values);
    Array<real_t<V>> magnitudes(exec, on_exec.size());
    selection_magnitudes<V>(exec, on_exec.size(), on_exec.data(), magnitudes.data());
    return magnitudes.to_host();
}

template <class V>
class SelectionMagnitudes : public testing::Test {
};
TYPED_TEST_SUITE(SelectionMagnitudes, TestedValues, TypeNames);

TYPED_TEST(SelectionMagnitudes, ByHand)
{
    using V = TypeParam;
    using R = real_t<V>;
    on_each_executor([](const Executor& exec) {
        const auto magnitudes = magnitudes_of<V>(exec, {number<V>(-3, 4), V{2}, V{-0.0}, not_a_number<V>()});
        const R expected = is_complex<V> ? 5 : 3;
        expect_near<R>({magnitudes[0], magnitudes[1]}, {expected, 2}, 1);
        EXPECT_TRUE(same_bits<R>({magnitudes[2]}, {R{0}}));
        EXPECT_TRUE(is_nan(magnitudes[3]));
    });
}

TYPED_TEST(SelectionMagnitudes, LikeReference)
{
    using V = TypeParam;
    Random random(421);
    for (const size_type n : {0, 1, 129, 20000}) {
        std::vector<V> values;
        for (size_type i = 0; i < n; ++i) {
            values.push_back(random.value<V>());
        }
        const auto expected = magnitudes_of(reference_executor(), values);
        on_each_other_executor([&](const Executor& exec) { expect_near(magnitudes_of(exec, values), expected, 2); });
    }
}

}  // namespace
}  // namespace linden::test
