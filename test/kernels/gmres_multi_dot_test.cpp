#include "test/support/krylov_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class GmresMultiDot : public testing::Test {
};
TYPED_TEST_SUITE(GmresMultiDot, TestedValues, TypeNames);

template <class V>
auto launch_with(size_type count)
{
    return [count](KrylovOperands<V>& o) {
        gmres_multi_dot<V>(o.exec, o.basis_view(count, o.in(0).size()), o.in(0), o.values.data(), o.stop(),
                           o.reduction.view());
    };
}

TYPED_TEST(GmresMultiDot, ByHand)
{
    using V = TypeParam;
    KrylovStep<V> before{{}, {V{1}, V{2}, number<V>(0, 1), V{1}}, std::vector<V>(2), {},
                         {}, StopValues<real_t<V>>::running(1)};
    before.blocks.push_back(column_of({V{3}, number<V>(0, 5)}));
    on_each_executor([&](const Executor& exec) {
        const auto now = after_launch(exec, before, 2, launch_with<V>(2));
        // (1, 2)^H (3, 5i) and (i, 1)^H (3, 5i); number() drops the imaginary parts of real types
        EXPECT_EQ(now.values, (std::vector<V>{number<V>(3, 10), number<V>(0, 2)}));
    });
}

TYPED_TEST(GmresMultiDot, LikeReference)
{
    using V = TypeParam;
    Random random(602);
    for_each_krylov_shape<V>([&](Dim size, size_type padding, auto stopped) {
        for (const size_type count : {1, 4, 6, 11}) {
            SCOPED_TRACE(count);
            auto before = random_krylov_step<V>(random, 1, size, padding, count, 1, 1, count);
            stop_columns(before, stopped, 0);
            const auto launch = launch_with<V>(count);
            expect_krylov_step_like_reference(before, summation_factor(size.rows), count * size.cols, launch,
                                              [](std::size_t) { return true; });
            const auto now = after_launch(tested_executors().back(), before, count * size.cols, launch);
            for (std::size_t i = 0; i < now.values.size(); ++i) {
                if (stopped(i % before.cols())) {
                    EXPECT_EQ(now.values[i], before.values[i]);
                }
            }
        }
    });
}

}  // namespace
}  // namespace linden::test
