#include "test/support/krylov_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class BicgstabSecondHalf : public testing::Test {
};
TYPED_TEST_SUITE(BicgstabSecondHalf, TestedValues, TypeNames);

enum { p_hat, s_hat, t, shadow, x, r };
enum { rho, rho_old, alpha, omega, sigma, vv, st, tt };

template <class V>
auto launch_with(bool identity)
{
    return [identity](KrylovOperands<V>& o) {
        bicgstab_second_half<V>(o.exec,
                                {.p_hat = o.in(p_hat),
                                 .s_hat = o.in(identity ? r : s_hat),
                                 .t = o.in(t),
                                 .shadow = o.in(shadow),
                                 .x = o.out(x),
                                 .r = o.out(r)},
                                o.bicgstab(), o.stop(), o.reduction.view());
    };
}

/// alpha = 2, omega = conj(s^H t) / t^H t = (1 + 2i) / 1 for complex types, 1 for real ones.
template <class V>
KrylovStep<V> by_hand()
{
    KrylovStep<V> s{{},  {},  {V{7}, V{8}, V{2}, V{9}, V{}, V{}, number<V>(1, -2), V{1}},
                    {1}, {0}, StopValues<real_t<V>>::running(1, 0, 4)};
    s.stop.norms[0] = 3;
    s.blocks.push_back(column_of({V{1}, V{0}}));                        // phat
    s.blocks.push_back(column_of({V{0}, V{10}}));                       // shat
    s.blocks.push_back(column_of({V{1}, V{0}}));                        // t
    s.blocks.push_back(column_of({number<V>(0, 1), V{1}}));             // rhat
    s.blocks.push_back(column_of({V{5}, V{6}}));                        // x
    s.blocks.push_back(column_of({number<V>(1, 2), number<V>(3, 4)}));  // s
    return s;
}

TYPED_TEST(BicgstabSecondHalf, ByHand)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        // x = (5 + 2, 6 + omega 10), r = (s_0 - omega, s_1) = (0, 3 + 4i), rhat^H r = 3 + 4i
        const auto now = after_launch(exec, by_hand<V>(), 2, launch_with<V>(false));
        EXPECT_EQ(now.values[omega], number<V>(1, 2));
        EXPECT_EQ(now.blocks[x].to_host(), (std::vector<V>{V{7}, number<V>(16, 20)}));
        EXPECT_EQ(now.blocks[r].to_host(), (std::vector<V>{V{0}, number<V>(3, 4)}));
        EXPECT_EQ(now.values[rho], number<V>(3, 4));
        EXPECT_EQ(now.values[rho_old], V{7});
        EXPECT_EQ(now.stop.residual(0), std::abs(number<V>(3, 4)));
        EXPECT_EQ(now.stop.counts[0], 5);
        EXPECT_EQ(now.stop.status[0], SolveStatus::running);
    });
}

TYPED_TEST(BicgstabSecondHalf, WithoutPreconditionerTheDirectionIsR)
{
    using V = TypeParam;
    auto separate = by_hand<V>();
    separate.blocks[s_hat].copy_from(separate.blocks[r]);
    on_each_executor([&](const Executor& exec) {
        const auto expected = after_launch(exec, separate, 2, launch_with<V>(false));
        const auto now = after_launch(exec, by_hand<V>(), 2, launch_with<V>(true));
        EXPECT_EQ(now.blocks[x].to_host(), expected.blocks[x].to_host());
        EXPECT_EQ(now.blocks[r].to_host(), expected.blocks[r].to_host());
    });
}

TYPED_TEST(BicgstabSecondHalf, TakesTheHalfStepOfColumnsThatConvergedHalfway)
{
    using V = TypeParam;
    auto before = by_hand<V>();
    before.stop.stop(0, SolveStatus::converged);
    spoil_column(before.blocks[s_hat], 0);
    spoil_column(before.blocks[t], 0);
    on_each_executor([&](const Executor& exec) {
        auto now = after_launch(exec, before, 2, launch_with<V>(false));
        EXPECT_EQ(now.blocks[x].to_host(), (std::vector<V>{V{7}, V{6}}));
        EXPECT_EQ(now.blocks[r].to_host(), before.blocks[r].to_host());
        EXPECT_EQ(now.stop.counts[0], 4);
        EXPECT_EQ(now.stop.header.running, 0);
    });
}

TYPED_TEST(BicgstabSecondHalf, SaysHowColumnsEnd)
{
    using V = TypeParam;
    const auto status_with = [](const Executor& exec, V new_st, V new_tt) {
        auto before = by_hand<V>();
        before.values[st] = new_st;
        before.values[tt] = new_tt;
        const auto now = after_launch(exec, before, 2, launch_with<V>(false));
        EXPECT_EQ(now.blocks[x].to_host(), (std::vector<V>{V{7}, V{6}}));  // the half step
        EXPECT_EQ(now.blocks[r].to_host(), before.blocks[r].to_host());    // has this residual
        EXPECT_EQ(now.values[omega], V{0});
        EXPECT_EQ(now.stop.counts[0], 4);
        EXPECT_EQ(now.stop.header.running, 0);
        return now.stop.status[0];
    };
    const auto tiny = V{std::numeric_limits<real_t<V>>::epsilon() / 2000};
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(status_with(exec, V{0}, V{1}), SolveStatus::breakdown);
        EXPECT_EQ(status_with(exec, tiny, V{1}), SolveStatus::breakdown);
        EXPECT_EQ(status_with(exec, V{0}, V{0}), SolveStatus::breakdown);
        EXPECT_EQ(status_with(exec, not_a_number<V>(), V{1}), SolveStatus::not_a_number);
    });
}

TYPED_TEST(BicgstabSecondHalf, LikeReference)
{
    using V = TypeParam;
    Random random(504);
    for_each_krylov_shape<V>([&](Dim size, size_type padding, auto stopped) {
        auto before = random_krylov_step<V>(random, 6, size, padding, 8, 1, 1);
        stop_columns(before, stopped, 0);
        const auto k = before.cols();
        for (std::size_t col = 0; col < k; ++col) {
            if (stopped(col)) {
                before.values[alpha * k + col] = V{0};
            } else if (col % 4 == 1) {
                before.values[st * k + col] = V{0};  // breaks down
            }
        }
        for (const bool identity : {true, false}) {
            expect_krylov_step_like_reference(before, summation_factor(size.rows), 2 * size.cols,
                                              launch_with<V>(identity), stopped);
        }
    });
}

}  // namespace
}  // namespace linden::test
