#include "test/support/krylov_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class GmresResidual : public testing::Test {
};
TYPED_TEST_SUITE(GmresResidual, TestedValues, TypeNames);

enum { b, v };

template <class V>
void launch(KrylovOperands<V>& o)
{
    gmres_residual<V>(o.exec, o.in(b), o.out(v), o.stop(), o.reduction.view());
}

template <class V>
KrylovStep<V> by_hand(real_t<V> tolerance)
{
    KrylovStep<V> s{{}, {}, {}, {}, {}, StopValues<real_t<V>>::running(1, tolerance, 4)};
    s.blocks.push_back(column_of({V{5}, number<V>(4, 1)}));
    s.blocks.push_back(column_of({V{2}, number<V>(0, 1)}));
    return s;
}

TYPED_TEST(GmresResidual, ByHand)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        auto now = after_launch(exec, by_hand<V>(4), 1, launch<V>);
        EXPECT_EQ(now.blocks[v].to_host(), (std::vector<V>{V{3}, V{4}}));
        EXPECT_EQ(now.stop.residual(0), 5);
        EXPECT_EQ(now.stop.status[0], SolveStatus::running);
        EXPECT_EQ(now.stop.counts[0], 4);

        now = after_launch(exec, by_hand<V>(5), 1, launch<V>);
        EXPECT_EQ(now.stop.status[0], SolveStatus::converged);
        EXPECT_EQ(now.stop.header.running, 0);

        auto bad = by_hand<V>(5);
        bad.blocks[v].at(1, 0) = not_a_number<V>();
        now = after_launch(exec, bad, 1, launch<V>);
        EXPECT_EQ(now.stop.status[0], SolveStatus::not_a_number);
        EXPECT_EQ(now.stop.header.running, 0);
    });
}

TYPED_TEST(GmresResidual, LikeReference)
{
    using V = TypeParam;
    Random random(609);
    for_each_krylov_shape<V>([&](Dim size, size_type padding, auto stopped) {
        auto before = random_krylov_step<V>(random, 2, size, padding, 0, 0, 0);
        for (std::size_t col = 1; col < before.cols(); col += 4) {
            before.stop.norms[before.cols() + col] = real_t<V>{1e6};  // converges
        }
        stop_columns(before, stopped, before.blocks.size());
        expect_krylov_step_like_reference(before, summation_factor(size.rows), size.cols, launch<V>,
                                          [](std::size_t) { return false; });
    });
}

}  // namespace
}  // namespace linden::test
