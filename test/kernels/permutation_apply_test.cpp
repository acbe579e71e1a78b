#include "core/kernels/permutation.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class Types>
class PermutationApply : public testing::Test {
};
TYPED_TEST_SUITE(PermutationApply, TestedValueIndices, TypeNames);

TYPED_TEST(PermutationApply, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    on_each_executor([](const Executor& exec) {
        const Array<I> p(exec, std::vector<I>{2, 0, 1});
        const auto b = Dense<V>::from_rows(exec, {{V{1}, V{2}}, {V{3}, V{4}}, {V{5}, number<V>(6, 1)}});
        auto x = Dense<V>::filled(exec, {3, 2}, V{1});
        permutation_apply<V, I>(exec, p.data(), V{10}, b.view(), V{-1}, x.view());
        EXPECT_EQ(x.to_host(), (std::vector<V>{V{49}, number<V>(59, 10), V{9}, V{19}, V{29}, V{39}}));
    });
}

TYPED_TEST(PermutationApply, ZeroBetaDoesNotReadX)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    on_each_executor([](const Executor& exec) {
        const Array<I> p(exec, std::vector<I>{1, 0});
        const auto b = Dense<V>::from_rows(exec, {{V{1}}, {V{3}}});
        auto x = Dense<V>::filled(exec, {2, 1}, not_a_number<V>());
        permutation_apply<V, I>(exec, p.data(), V{2}, b.view(), V{0}, x.view());
        EXPECT_EQ(x.to_host(), (std::vector<V>{V{6}, V{2}}));
    });
}

// Two products and a sum of numbers of magnitude 1: 12 eps.
TYPED_TEST(PermutationApply, LikeReference)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(311);
    const V alpha = random.value<V>();
    for_each_shape([&](Dim size, size_type padding) {
        // Steps of 7 visit every row, unless their number is a multiple of 7.
        std::vector<I> p(static_cast<std::size_t>(size.rows));
        for (size_type i = 0; i < size.rows; ++i) {
            p[i] = static_cast<I>((7 * i + 3) % size.rows);
        }
        const auto operands = random_blocks<V>(random, 2, size, padding);
        for (const V beta : {V{0}, V{2}}) {
            expect_like_reference(operands, 12, [&](const Executor& exec, Blocks<V>& x) {
                const Array<I> here(exec, p);
                permutation_apply<V, I>(exec, here.data(), alpha, std::as_const(x[0]).view(), beta, x[1].view());
            });
        }
    });
}

}  // namespace
}  // namespace linden::test
