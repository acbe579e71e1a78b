#include "core/kernels/deflation.hpp"
#include "test/support/domains.hpp"

namespace linden::test {
namespace {

template <class Types>
class DeflationAddProlonged : public testing::Test {
};
TYPED_TEST_SUITE(DeflationAddProlonged, TestedValueIndices, TypeNames);

/// Blocks c and x; x with its padding after x := x + alpha Z c.
template <class V, class I>
Dense<V> added(const Executor& exec, const std::vector<I>& of_row, V alpha, const Dense<V>& c, const Blocks<V>& x)
{
    const TestDomains<I> domains(exec, of_row, c.size().rows);
    const auto coefficients = c.copy(exec);
    auto result = copies(x, exec);
    deflation_add_prolonged<V, I>(exec, domains.view(), alpha, coefficients.view(), result.front().view());
    return std::move(result.front());
}

TYPED_TEST(DeflationAddProlonged, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto& host = reference_executor();
    const auto c = Dense<V>::from_rows(host, {{V{1}, V{10}}, {V{2}, number<V>(20, 1)}});
    Blocks<V> x;
    x.push_back(Dense<V>::from_rows(host, {{V{5}, V{5}}, {V{6}, V{6}}, {V{7}, V{7}}}));
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ((added<V, I>(exec, {1, 0, 1}, V{-2}, c, x).to_host()),
                  (std::vector<V>{V{1}, number<V>(-35, -2), V{4}, V{-14}, V{3}, number<V>(-33, -2)}));
    });
}

TYPED_TEST(DeflationAddProlonged, LikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(952);
    for_each_shape([&](Dim size, size_type padding) {
        const auto x = random_blocks<V>(random, 1, size, padding);
        for_each_partition<I>(random, size.rows, [&](const std::vector<I>& of_row, size_type num_domains) {
            const auto c = random_dense<V>(random, reference_executor(), {num_domains, size.cols});
            const V alpha = number<V>(0.5, 2);
            const auto expected = added<V, I>(reference_executor(), of_row, alpha, c, x);
            on_each_executor([&](const Executor& exec) {
                const auto actual = added<V, I>(exec, of_row, alpha, c, x);
                expect_near(actual, expected, 8, std::max(1., scale_of(expected.to_host())));
                expect_same_padding(actual, x.front());
            });
        });
    });
}

}  // namespace
}  // namespace linden::test
