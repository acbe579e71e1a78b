#include "core/kernels/jacobi.hpp"
#include "test/support/diagonal_blocks.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class BlockJacobiApply : public testing::Test {
};
TYPED_TEST_SUITE(BlockJacobiApply, TestedValues, TypeNames);

template <class V, class S>
void apply(const Executor& exec, const HostBlocks<S>& blocks, Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta,
           Dense<V>& x)
{
    DiagonalBlocks<S> here(exec, blocks);
    block_jacobi_apply<V, S>(exec, here.view(), alpha, b.view(), beta, x.view());
}

/// [1 3; 2 4] and [i or 5]
template <class S>
HostBlocks<S> small_blocks()
{
    HostBlocks<S> blocks;
    blocks.add(2);
    blocks.add(1);
    blocks.values = {S{1}, S{2}, S{3}, S{4}, is_complex<S> ? number<S>(0, 1) : S{5}};
    return blocks;
}

TYPED_TEST(BlockJacobiApply, ByHand)
{
    using V = TypeParam;
    using S = single_precision_t<V>;
    on_each_executor([](const Executor& exec) {
        const auto b = Dense<V>::from_rows(exec, {{V{1}, V{0}}, {V{1}, V{2}}, {V{3}, V{1}}});
        auto x = Dense<V>::filled(exec, {3, 2}, V{10});
        const V c = is_complex<V> ? number<V>(0, 1) : V{5};
        apply<V>(exec, small_blocks<V>(), V{2}, b, V{-1}, x);
        const std::vector<V> expected{V{-2}, V{2}, V{2}, V{6}, V{6} * c - V{10}, V{2} * c - V{10}};
        EXPECT_EQ(x.to_host(), expected);
        x.fill(V{10});
        apply<V>(exec, small_blocks<S>(), V{2}, b, V{-1}, x);
        EXPECT_EQ(x.to_host(), expected);
    });
}

TYPED_TEST(BlockJacobiApply, ZeroBetaDoesNotReadX)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        const auto b = Dense<V>::from_rows(exec, {{V{1}}, {V{1}}, {V{0}}});
        auto x = Dense<V>::filled(exec, {3, 1}, not_a_number<V>());
        apply<V>(exec, small_blocks<V>(), V{1}, b, V{0}, x);
        EXPECT_EQ(x.to_host(), (std::vector<V>{V{4}, V{6}, V{0}}));
    });
}

TYPED_TEST(BlockJacobiApply, NotANumberStaysInItsBlockAndColumn)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        const auto b = Dense<V>::from_rows(exec, {{V{1}, not_a_number<V>()}, {V{1}, V{1}}, {V{0}, V{0}}});
        Dense<V> x(exec, {3, 2});
        apply<V>(exec, small_blocks<V>(), V{1}, b, V{0}, x);
        const auto values = x.to_host();
        EXPECT_EQ((std::vector<V>{values[0], values[2], values[4], values[5]}),
                  (std::vector<V>{V{4}, V{6}, V{0}, V{0}}));
        EXPECT_TRUE(is_nan(values[1]) && is_nan(values[3]));
    });
}

/// Sums of at most `max_size` products of numbers of magnitude 1.
template <class V, class S>
void expect_like_reference_for(Random& random, size_type max_size)
{
    const V alpha = random.value<V>();
    for_each_shape([&](Dim size, size_type padding) {
        const auto blocks = random_diagonal_blocks<S>(random, size.rows, max_size);
        const auto operands = random_blocks<V>(random, 2, size, padding);
        for (const V beta : {V{0}, V{2}}) {
            expect_like_reference(operands, 4 * summation_factor(max_size), [&](const Executor& exec, Blocks<V>& x) {
                apply<V>(exec, blocks, alpha, x[0], beta, x[1]);
            });
        }
    });
}

TYPED_TEST(BlockJacobiApply, LikeReference)
{
    using V = TypeParam;
    Random random(306);
    expect_like_reference_for<V, V>(random, 8);
    expect_like_reference_for<V, V>(random, 32);
}

TYPED_TEST(BlockJacobiApply, LikeReferenceInSinglePrecision)
{
    using V = TypeParam;
    Random random(307);
    expect_like_reference_for<V, single_precision_t<V>>(random, 13);
}

}  // namespace
}  // namespace linden::test
