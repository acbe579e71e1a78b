#include "core/kernels/csr_values.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class Types>
class CsrAddScaledIdentity : public testing::Test {
};
TYPED_TEST_SUITE(CsrAddScaledIdentity, TestedValueIndices, TypeNames);

template <class V, class I>
std::vector<V> shifted(const Executor& exec, const CsrData<V, I>& a, V alpha, V beta)
{
    Csr<V, I> matrix(exec, a);
    csr_add_scaled_identity<V, I>(exec, matrix.view(), alpha, beta, matrix.values());
    return matrix.to_host().values;
}

TYPED_TEST(CsrAddScaledIdentity, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    // [1 . 2; . . .; . 3+i 4]
    const CsrData<V, I> a{{3, 3}, {0, 2, 2, 4}, {0, 2, 1, 2}, {V{1}, V{2}, number<V>(3, 1), V{4}}};
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(shifted(exec, a, V{2}, V{10}), (std::vector<V>{V{12}, V{4}, number<V>(6, 2), V{18}}));
    });
}

TYPED_TEST(CsrAddScaledIdentity, ZeroAlphaDoesNotReadTheValues)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const CsrData<V, I> a{{2, 2}, {0, 2, 3}, {0, 1, 1}, std::vector<V>(3, not_a_number<V>())};
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(shifted(exec, a, V{}, V{3}), (std::vector<V>{V{3}, V{}, V{3}}));
    });
}

// A product and a sum: 8 eps.
TYPED_TEST(CsrAddScaledIdentity, LikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(725);
    const V alpha = random.value<V>();
    const V beta = random.value<V>();
    for (const auto rows : tested_rows) {
        for (const auto pattern : all_patterns) {
            const auto a = random_csr<V, I>(random, {rows, rows}, 5, pattern);
            const auto expected = shifted(reference_executor(), a, alpha, beta);
            on_each_other_executor(
                [&](const Executor& exec) { expect_near(shifted(exec, a, alpha, beta), expected, 8, 1.0); });
        }
    }
}

}  // namespace
}  // namespace linden::test
