#include "core/kernels/dense.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class DenseNormInf : public testing::Test {
};
TYPED_TEST_SUITE(DenseNormInf, TestedValues, TypeNames);

TYPED_TEST(DenseNormInf, ByHand)
{
    using V = TypeParam;
    using R = real_t<V>;
    on_each_executor([](const Executor& exec) {
        const auto x = Dense<V>::from_rows(exec, {{V{-3}, number<V>(3, 4)}, {number<V>(0, 4), V{-2}}});
        auto workspace = ReductionWorkspace::for_values<V>(exec, 2);
        Array<R> result(exec, 2);
        dense_norm_inf<V>(exec, x.view(), result.data(), workspace.view());
        // |4i|, |3 + 4i|; without the imaginary parts 3 and 3
        EXPECT_EQ(result.to_host(), is_complex<V> ? (std::vector<R>{4, 5}) : (std::vector<R>{3, 3}));
    });
}

TYPED_TEST(DenseNormInf, LikeReference)
{
    using V = TypeParam;
    using R = real_t<V>;
    Random random(108);
    for_each_shape([&](Dim size, size_type padding) {
        const auto operands = random_blocks<V>(random, 1, size, padding);
        expect_reduction_like_reference<R>(
            operands, size.cols, 4, 1,
            [](const Executor& exec, const Blocks<V>& x, R* result, WorkspaceView workspace) {
                dense_norm_inf<V>(exec, x[0].view(), result, workspace);
            });
    });
}

TYPED_TEST(DenseNormInf, NotANumberComesThrough)
{
    using V = TypeParam;
    using R = real_t<V>;
    for (const std::size_t where : {std::size_t{0}, std::size_t{300}, std::size_t{19999}}) {
        std::vector<V> values(20000, V{1});
        values[where] = not_a_number<V>();
        on_each_executor([&](const Executor& exec) {
            const auto x = Dense<V>::vector(exec, values);
            auto workspace = ReductionWorkspace::for_values<V>(exec, 1);
            Array<R> result(exec, 1);
            dense_norm_inf<V>(exec, x.view(), result.data(), workspace.view());
            EXPECT_TRUE(is_nan(result.to_host()[0])) << "at " << where;
        });
    }
}

}  // namespace
}  // namespace linden::test
