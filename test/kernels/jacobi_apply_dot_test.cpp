#include "core/kernels/jacobi.hpp"
#include "test/support/apply_dot_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class JacobiApplyDot : public testing::Test {
};
TYPED_TEST_SUITE(JacobiApplyDot, TestedValues, TypeNames);

TYPED_TEST(JacobiApplyDot, ByHand)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        const auto d = Dense<V>::from_rows(exec, {{V{2}}, {number<V>(1, 1)}});
        const auto b = Dense<V>::from_rows(exec, {{V{1}, V{3}}, {V{2}, V{0}}});
        const auto w = Dense<V>::from_rows(exec, {{V{5}, V{1}}, {number<V>(1, 1), V{1}}});
        Dense<V> x(exec, {2, 2});
        auto workspace = ReductionWorkspace::for_values<V>(exec, 4);
        Array<V> sums(exec, 4);
        jacobi_apply_dot<V>(exec, d.view(), b.view(), x.view(), w.view(), sums.data(), sums.data() + 2,
                            workspace.view());
        EXPECT_EQ(x.to_host(), (std::vector<V>{V{2}, V{6}, number<V>(2, 2), V{0}}));
        // w^H x: 10 + (1 - i)(2 + 2i), or 10 + 1 * 2, and 6; x^H x: 4 + 8, or 4 + 4, and 36
        EXPECT_EQ(sums.to_host(), is_complex<V> ? (std::vector<V>{V{14}, V{6}, V{12}, V{36}})
                                                : (std::vector<V>{V{12}, V{6}, V{8}, V{36}}));
    });
}

TYPED_TEST(JacobiApplyDot, NotANumberStaysInItsColumn)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        const auto d = Dense<V>::filled(exec, {2, 1}, V{1});
        const auto b = Dense<V>::from_rows(exec, {{V{1}, not_a_number<V>()}, {V{2}, V{3}}});
        Dense<V> x(exec, {2, 2});
        auto workspace = ReductionWorkspace::for_values<V>(exec, 4);
        Array<V> sums(exec, 2);
        jacobi_apply_dot<V>(exec, d.view(), b.view(), x.view(), b.view(), sums.data(), nullptr, workspace.view());
        EXPECT_EQ(sums.to_host()[0], V{5});
        EXPECT_TRUE(is_nan(sums.to_host()[1]));
    });
}

// A product of two numbers of magnitude 1: 4 eps. The diagonal may lie in a padded block, too.
TYPED_TEST(JacobiApplyDot, LikeReference)
{
    using V = TypeParam;
    Random random(302);
    for_each_shape([&](Dim size, size_type padding) {
        const auto d = random_dense<V>(random, reference_executor(), {size.rows, 1}, padding);
        const auto operands = random_blocks<V>(random, 3, size, padding);
        expect_apply_dot_like_reference(operands, 4, [&](const Executor& exec, auto... arguments) {
            const auto d_here = with_padding(d, exec);
            jacobi_apply_dot<V>(exec, d_here.view(), arguments...);
        });
    });
}

}  // namespace
}  // namespace linden::test
