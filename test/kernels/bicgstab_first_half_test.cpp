#include "test/support/krylov_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class BicgstabFirstHalf : public testing::Test {
};
TYPED_TEST_SUITE(BicgstabFirstHalf, TestedValues, TypeNames);

enum { v, r };
enum { rho, rho_old, alpha, omega, sigma, vv };

template <class V>
void launch(KrylovOperands<V>& o)
{
    bicgstab_first_half<V>(o.exec, o.in(v), o.out(r), o.bicgstab(), o.stop(), o.reduction.view());
}

/// alpha = 6 / 3 = 2, s = (5, 2 - 2i) - 2 (1, 1 - i) = (3, 0).
template <class V>
KrylovStep<V> by_hand(real_t<V> tolerance)
{
    KrylovStep<V> s{{},  {},  {V{6}, V{1}, V{9}, V{9}, V{3}, V{3}, V{}, V{}},
                    {1}, {0}, StopValues<real_t<V>>::running(1, tolerance, 4)};
    s.blocks.push_back(column_of({V{1}, number<V>(1, -1)}));
    s.blocks.push_back(column_of({V{5}, number<V>(2, -2)}));
    return s;
}

TYPED_TEST(BicgstabFirstHalf, ByHand)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        auto now = after_launch(exec, by_hand<V>(2), 1, launch<V>);
        EXPECT_EQ(now.blocks[r].to_host(), (std::vector<V>{V{3}, V{0}}));
        EXPECT_EQ(now.values[alpha], V{2});
        EXPECT_EQ(now.stop.residual(0), 3);
        EXPECT_EQ(now.stop.status[0], SolveStatus::running);
        EXPECT_EQ(now.stop.counts[0], 4);  // not a whole iteration yet
        EXPECT_EQ(now.stop.header.running, 1);
        EXPECT_EQ(now.marks[0], 0);

        now = after_launch(exec, by_hand<V>(3), 1, launch<V>);
        EXPECT_EQ(now.stop.status[0], SolveStatus::converged);
        EXPECT_EQ(now.stop.counts[0], 5);
        EXPECT_EQ(now.stop.header.running, 0);
        EXPECT_EQ(now.marks[0], 1);
        EXPECT_EQ(now.values[alpha], V{2});  // x has this step to take yet
    });
}

TYPED_TEST(BicgstabFirstHalf, SaysHowColumnsEnd)
{
    using V = TypeParam;
    const auto status_with = [](const Executor& exec, int which, V value) {
        auto before = by_hand<V>(0);
        before.values[static_cast<std::size_t>(which)] = value;
        const auto now = after_launch(exec, before, 1, launch<V>);
        expect_untouched(now.blocks, before.blocks, 0);
        EXPECT_EQ(now.values[alpha], V{0});
        EXPECT_EQ(now.stop.header.running, 0);
        return now.stop.status[0];
    };
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(status_with(exec, sigma, V{0}), SolveStatus::breakdown);
        EXPECT_EQ(status_with(exec, sigma, V{std::numeric_limits<real_t<V>>::epsilon() / 2000}),
                  SolveStatus::breakdown);
        EXPECT_EQ(status_with(exec, sigma, not_a_number<V>()), SolveStatus::not_a_number);

        auto before = by_hand<V>(0);
        before.blocks[v].at(0, 0) = not_a_number<V>();  // found by the norm
        const auto now = after_launch(exec, before, 1, launch<V>);
        EXPECT_EQ(now.stop.status[0], SolveStatus::not_a_number);
        EXPECT_EQ(now.values[alpha], V{0});
    });
}

TYPED_TEST(BicgstabFirstHalf, LikeReference)
{
    using V = TypeParam;
    Random random(503);
    for_each_krylov_shape<V>([&](Dim size, size_type padding, auto stopped) {
        auto before = random_krylov_step<V>(random, 2, size, padding, 8, 1, 1);
        for (std::size_t col = 1; col < before.cols(); col += 4) {
            before.stop.norms[before.cols() + col] = real_t<V>{1e6};  // converges
        }
        stop_columns(before, stopped, 0);
        expect_krylov_step_like_reference(before, summation_factor(size.rows), size.cols, launch<V>, stopped);
    });
}

}  // namespace
}  // namespace linden::test
