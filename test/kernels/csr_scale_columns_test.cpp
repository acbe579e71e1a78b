#include "core/kernels/csr_values.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class Types>
class CsrScaleColumns : public testing::Test {
};
TYPED_TEST_SUITE(CsrScaleColumns, TestedValueIndices, TypeNames);

template <class V, class I>
std::vector<V> scaled(const Executor& exec, const CsrData<V, I>& a, const std::vector<V>& factors)
{
    Csr<V, I> matrix(exec, a);
    const Array<V> d(exec, factors);
    csr_scale_columns<V, I>(exec, matrix.view(), d.data(), matrix.values());
    return matrix.to_host().values;
}

TYPED_TEST(CsrScaleColumns, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    // [1 . 2; . . .; . 3+i .]
    const CsrData<V, I> a{{3, 3}, {0, 2, 2, 3}, {0, 2, 1}, {V{1}, V{2}, number<V>(3, 1)}};
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(scaled(exec, a, {V{10}, V{100}, V{-1}}), (std::vector<V>{V{10}, V{-2}, number<V>(300, 100)}));
    });
}

// One product: 4 eps.
TYPED_TEST(CsrScaleColumns, LikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(724);
    for (const auto rows : tested_rows) {
        for (const auto pattern : all_patterns) {
            const auto a = random_csr<V, I>(random, {rows, rows + 3}, 5, pattern);
            std::vector<V> d;
            for (size_type i = 0; i < a.size.cols; ++i) {
                d.push_back(random.value<V>());
            }
            const auto expected = scaled(reference_executor(), a, d);
            on_each_other_executor([&](const Executor& exec) { expect_near(scaled(exec, a, d), expected, 4, 1.0); });
        }
    }
}

}  // namespace
}  // namespace linden::test
