#include "core/kernels/jacobi.hpp"
#include "test/support/apply_dot_cases.hpp"
#include "test/support/diagonal_blocks.hpp"

namespace linden::test {
namespace {

template <class V>
class BlockJacobiApplyDot : public testing::Test {
};
TYPED_TEST_SUITE(BlockJacobiApplyDot, TestedValues, TypeNames);

TYPED_TEST(BlockJacobiApplyDot, ByHand)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        // [1 3; 2 4] and [2]
        HostBlocks<V> host;
        host.add(2);
        host.add(1);
        host.values = {V{1}, V{2}, V{3}, V{4}, V{2}};
        DiagonalBlocks<V> blocks(exec, host);
        const auto b = Dense<V>::from_rows(exec, {{V{1}}, {V{1}}, {number<V>(3, 1)}});
        const auto w = Dense<V>::from_rows(exec, {{V{1}}, {V{0}}, {number<V>(0, 1)}});
        Dense<V> x(exec, {3, 1});
        auto workspace = ReductionWorkspace::for_values<V>(exec, 2);
        Array<V> sums(exec, 2);
        block_jacobi_apply_dot<V, V>(exec, blocks.view(), b.view(), x.view(), w.view(), sums.data(), sums.data() + 1,
                                     workspace.view());
        EXPECT_EQ(x.to_host(), (std::vector<V>{V{4}, V{6}, number<V>(6, 2)}));
        // w^H x = 4 - i (6 + 2i) and x^H x = 16 + 36 + 40; without the imaginary parts 4 and 88
        EXPECT_EQ(sums.to_host(),
                  is_complex<V> ? (std::vector<V>{number<V>(6, -6), V{92}}) : (std::vector<V>{V{4}, V{88}}));
    });
}

/// Sums of at most `max_size` products of numbers of magnitude 1.
template <class V, class S>
void expect_like_reference_for(Random& random, size_type max_size)
{
    for_each_shape([&](Dim size, size_type padding) {
        const auto host = random_diagonal_blocks<S>(random, size.rows, max_size);
        const auto operands = random_blocks<V>(random, 3, size, padding);
        expect_apply_dot_like_reference(operands, 4 * summation_factor(max_size),
                                        [&](const Executor& exec, auto... arguments) {
                                            DiagonalBlocks<S> blocks(exec, host);
                                            block_jacobi_apply_dot<V, S>(exec, blocks.view(), arguments...);
                                        });
    });
}

TYPED_TEST(BlockJacobiApplyDot, LikeReference)
{
    using V = TypeParam;
    Random random(308);
    expect_like_reference_for<V, V>(random, 8);
    expect_like_reference_for<V, V>(random, 32);
}

TYPED_TEST(BlockJacobiApplyDot, LikeReferenceInSinglePrecision)
{
    using V = TypeParam;
    Random random(309);
    expect_like_reference_for<V, single_precision_t<V>>(random, 13);
}

}  // namespace
}  // namespace linden::test
