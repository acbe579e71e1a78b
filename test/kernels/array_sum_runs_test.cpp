#include "core/kernels/array.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class Types>
class ArraySumRuns : public testing::Test {
};
TYPED_TEST_SUITE(ArraySumRuns, TestedValueIndices, TypeNames);

template <class V, class I>
std::vector<V> sums(const Executor& exec, const std::vector<I>& run_begins, const std::vector<I>& source,
                    const std::vector<V>& values)
{
    const Array<I> begins(exec, run_begins);
    const Array<I> from(exec, source);
    const Array<V> in(exec, values);
    Array<V> out(exec, begins.size());
    array_sum_runs<V, I>(exec, begins.size(), begins.data(), from.size(), from.data(), in.data(), out.data());
    return out.to_host();
}

TYPED_TEST(ArraySumRuns, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ((sums<V, I>(exec, {0, 1, 4}, {4, 0, 1, 3, 2}, {V{1}, V{2}, V{3}, V{4}, number<V>(5, 1)})),
                  (std::vector<V>{number<V>(5, 1), V{7}, V{3}}));
    });
}

/// The order of a sum decides on its bits: (big - big) + 1 = 1, (1 + big) - big = 0.
TYPED_TEST(ArraySumRuns, FromLeftToRight)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const V big{1 / std::numeric_limits<real_t<V>>::epsilon() * 4};
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ((sums<V, I>(exec, {0, 3}, {0, 1, 2, 2, 0, 1}, {big, -big, V{1}})), (std::vector<V>{V{1}, V{0}}));
    });
}

TYPED_TEST(ArraySumRuns, LikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(722);
    for (const auto n : tested_rows) {
        std::vector<I> begins, source;
        std::vector<V> values;
        for (size_type k = 0; k < n; ++k) {
            if (k == 0 || random.integer(0, 3) == 0) {
                begins.push_back(static_cast<I>(k));
            }
            source.push_back(static_cast<I>(random.integer(0, n)));
            values.push_back(random.value<V>());
        }
        const auto expected = sums(reference_executor(), begins, source, values);
        on_each_other_executor(
            [&](const Executor& exec) { EXPECT_TRUE(same_bits(sums(exec, begins, source, values), expected)); });
    }
}

}  // namespace
}  // namespace linden::test
