#include "core/kernels/deflation.hpp"
#include "test/support/domains.hpp"

namespace linden::test {
namespace {

template <class Types>
class DeflationRestrict : public testing::Test {
};
TYPED_TEST_SUITE(DeflationRestrict, TestedValueIndices, TypeNames);

/// Z^H b, and that two runs have the same bits.
template <class V, class I>
Dense<V> restricted(const Executor& exec, const std::vector<I>& of_row, size_type num_domains, const Dense<V>& b,
                    size_type piece_rows = deflation_piece_rows)
{
    const TestDomains<I> domains(exec, of_row, num_domains, piece_rows);
    const auto here = with_padding(b, exec);
    Array<V> workspace(exec, domains.view().num_pieces * b.size().cols);
    const auto run = [&] {
        auto c = Dense<V>::filled(exec, {num_domains, b.size().cols}, not_a_number<V>());
        deflation_restrict<V, I>(
            exec, domains.view(), here.view(), c.view(),
            {reinterpret_cast<std::byte*>(workspace.data()), static_cast<size_type>(workspace.bytes())});
        return c;
    };
    auto c = run();
    EXPECT_TRUE(same_bits(c.to_host(), run().to_host())) << "two runs differ";
    return c;
}

/// Rows 0, 2, 4 are of domain 0, none of domain 1; pieces of two rows.
TYPED_TEST(DeflationRestrict, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const auto b = Dense<V>::from_rows(
        reference_executor(), {{V{1}, V{10}}, {V{2}, V{20}}, {V{3}, number<V>(30, 1)}, {V{4}, V{40}}, {V{5}, V{50}}});
    on_each_executor([&](const Executor& exec) {
        for (const size_type piece_rows : {1, 2, 5}) {
            EXPECT_EQ((restricted<V, I>(exec, {0, 2, 0, 2, 0}, 3, b, piece_rows).to_host()),
                      (std::vector<V>{V{9}, number<V>(90, 1), V{}, V{}, V{6}, V{60}}));
            EXPECT_EQ((restricted<V, I>(exec, {0, 0, 0, 1, 1}, 2, b, piece_rows).to_host()),
                      (std::vector<V>{V{6}, number<V>(60, 1), V{9}, V{90}}));
        }
    });
}

TYPED_TEST(DeflationRestrict, LikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(951);
    for_each_shape([&](Dim size, size_type padding) {
        const auto b = random_dense<V>(random, reference_executor(), size, padding);
        for_each_partition<I>(random, size.rows, [&](const std::vector<I>& of_row, size_type num_domains) {
            const auto expected = restricted<V, I>(reference_executor(), of_row, num_domains, b);
            on_each_executor([&](const Executor& exec) {
                const auto scale = std::max(1., std::sqrt(static_cast<double>(size.rows)));
                expect_near(restricted<V, I>(exec, of_row, num_domains, b), expected, 64, scale);
            });
        });
    });
}

}  // namespace
}  // namespace linden::test
