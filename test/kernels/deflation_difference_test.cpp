#include "core/kernels/deflation.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class DeflationDifference : public testing::Test {
};
TYPED_TEST_SUITE(DeflationDifference, TestedValues, TypeNames);

/// The blocks are products, restricted and sums.
template <class V>
void run(const Executor& exec, const std::vector<V>& alpha, Blocks<V>& blocks)
{
    const Array<V> factors(exec, alpha);
    deflation_difference<V>(exec, Scalar<V>::per_column(factors.data()), std::as_const(blocks[0]).view(),
                            std::as_const(blocks[1]).view(), blocks[2].view());
    exec.synchronize();
}

TYPED_TEST(DeflationDifference, ByHand)
{
    using V = TypeParam;
    const auto& host = reference_executor();
    Blocks<V> before;
    before.push_back(Dense<V>::from_rows(host, {{V{10}, V{20}}, {V{30}, V{40}}}));
    before.push_back(Dense<V>::from_rows(host, {{number<V>(4, 2), not_a_number<V>()}, {V{8}, V{9}}}));
    before.push_back(Dense<V>::filled(host, {2, 2}, not_a_number<V>()));
    on_each_executor([&](const Executor& exec) {
        auto blocks = copies(before, exec);
        run<V>(exec, {V{2}, V{0}}, blocks);
        EXPECT_EQ(blocks[2].to_host(), (std::vector<V>{number<V>(8, -1), V{20}, V{26}, V{40}}));
    });
}

TYPED_TEST(DeflationDifference, LikeReference)
{
    using V = TypeParam;
    Random random(955);
    for_each_shape([&](Dim size, size_type padding) {
        const auto before = random_blocks<V>(random, 3, size, padding);
        std::vector<V> alpha;
        for (size_type col = 0; col < size.cols; ++col) {
            alpha.push_back(col % 3 == 1 ? V{} : number<V>(random.real(0.5, 2), 0.5));
        }
        auto expected = copies(before, reference_executor());
        run<V>(reference_executor(), alpha, expected);
        on_each_executor([&](const Executor& exec) {
            auto actual = copies(before, exec);
            run<V>(exec, alpha, actual);
            expect_near(actual[2], expected[2], 16, std::max(1., scale_of(expected[2].to_host())));
            expect_same_padding(actual[2], before[2]);
        });
    });
}

}  // namespace
}  // namespace linden::test
