#include "core/kernels/dense.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class DenseDot : public testing::Test {
};
TYPED_TEST_SUITE(DenseDot, TestedValues, TypeNames);

TYPED_TEST(DenseDot, ByHand)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        const auto a = Dense<V>::from_rows(exec, {{V{1}, number<V>(2, 1)}, {V{3}, V{4}}});
        const auto b = Dense<V>::from_rows(exec, {{V{5}, number<V>(1, 1)}, {V{-1}, V{2}}});
        auto workspace = ReductionWorkspace::for_values<V>(exec, 2);
        Array<V> result(exec, 2);
        dense_dot<V>(exec, a.view(), b.view(), result.data(), workspace.view());
        // conj(2 + i) (1 + i) = 3 + i
        EXPECT_EQ(result.to_host(), (std::vector<V>{V{2}, is_complex<V> ? number<V>(11, 1) : V{10}}));
    });
}

TYPED_TEST(DenseDot, LikeReference)
{
    using V = TypeParam;
    Random random(105);
    for_each_shape([&](Dim size, size_type padding) {
        const auto operands = random_blocks<V>(random, 2, size, padding);
        const auto rows = static_cast<double>(size.rows);
        expect_reduction_like_reference<V>(
            operands, size.cols, summation_factor(size.rows), rows,
            [](const Executor& exec, const Blocks<V>& x, V* result, WorkspaceView workspace) {
                dense_dot<V>(exec, x[0].view(), x[1].view(), result, workspace);
            });
        expect_reduction_like_reference<V>(
            operands, size.cols, summation_factor(size.rows), rows,
            [](const Executor& exec, const Blocks<V>& x, V* result, WorkspaceView workspace) {
                dense_dot<V>(exec, x[0].view(), x[0].view(), result, workspace);
            });
    });
}

TYPED_TEST(DenseDot, NotANumberStaysInItsColumn)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        std::vector<V> values(2 * 597, V{1});
        values[2 * 500] = not_a_number<V>();
        Dense<V> a(exec, {597, 2});
        copy_bytes(reference_executor(), values.data(), exec, a.data(), values.size() * sizeof(V));
        auto workspace = ReductionWorkspace::for_values<V>(exec, 2);
        Array<V> result(exec, 2);
        dense_dot<V>(exec, std::as_const(a).view(), std::as_const(a).view(), result.data(), workspace.view());
        EXPECT_TRUE(is_nan(result.to_host()[0]));
        EXPECT_EQ(result.to_host()[1], V{597});
    });
}

}  // namespace
}  // namespace linden::test
