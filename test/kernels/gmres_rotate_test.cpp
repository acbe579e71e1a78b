#include "test/support/krylov_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class GmresRotate : public testing::Test {
};
TYPED_TEST_SUITE(GmresRotate, TestedValues, TypeNames);

constexpr size_type m = 3;
/// Where the scalars of one column are in `values` and `reals`.
enum : std::size_t { h = 0, c = 4, upper = 8, sine = 17, g = 20, y = 24, num_values = 27 };
enum : std::size_t { ww = 0, cosine = 1, scale = 4, num_reals = 5 };

template <class V>
auto launch_with(size_type j)
{
    return [j](KrylovOperands<V>& o) { gmres_rotate<V>(o.exec, o.gmres(m), j, o.stop()); };
}

/// Step 0 of one column with h = 3, ||w|| = 4 and g_0 = 10.
template <class V>
KrylovStep<V> first_step()
{
    KrylovStep<V> s{{},
                    {},
                    std::vector<V>(num_values),
                    std::vector<real_t<V>>(num_reals),
                    {9, 0},
                    StopValues<real_t<V>>::running(1, 1, 4)};
    s.stop.norms[0] = 10;
    s.values[h] = V{3};
    s.values[g] = V{10};
    s.reals[ww] = 16;
    return s;
}

TYPED_TEST(GmresRotate, FirstStepByHand)
{
    using V = TypeParam;
    using R = real_t<V>;
    on_each_executor([](const Executor& exec) {
        const auto now = after_launch(exec, first_step<V>(), 1, launch_with<V>(0));
        expect_near<V>({now.values[upper], now.values[sine], now.values[g], now.values[g + 1]},
                       {V{5}, V{R(0.8)}, V{6}, V{-8}}, 4);
        expect_near<R>({now.reals[cosine], now.reals[scale], now.stop.residual(0)}, {R(0.6), R(0.25), 8}, 4);
        EXPECT_EQ(now.marks, (std::vector<std::int32_t>{0, 1}));  // once is enough; one step counts
        EXPECT_EQ(now.stop.counts[0], 5);
        EXPECT_EQ(now.stop.status[0], SolveStatus::running);
    });
}

TYPED_TEST(GmresRotate, SecondStepAppliesTheFirstRotation)
{
    using V = TypeParam;
    using R = real_t<V>;
    auto before = first_step<V>();
    before.values[sine] = V{R(0.8)};
    before.reals[cosine] = R(0.6);
    before.values[g] = V{6};
    before.values[g + 1] = V{-8};
    before.values[h] = V{5};
    before.values[h + 1] = V{10};
    before.reals[ww] = 4;
    before.marks[1] = 1;
    on_each_executor([&](const Executor& exec) {
        // (5, 10) -> (0.6 5 + 0.8 10, 0.6 10 - 0.8 5) = (11, 2); with 2 below: length sqrt 8, cosine = sine = 1 / sqrt
        // 2
        const auto now = after_launch(exec, before, 1, launch_with<V>(1));
        const auto root = static_cast<R>(std::sqrt(0.5));
        expect_near<V>({now.values[upper + m], now.values[upper + m + 1], now.values[sine + 1], now.values[g + 1],
                        now.values[g + 2]},
                       {V{11}, V{4 * root}, V{root}, V{-8 * root}, V{8 * root}}, 8);
        EXPECT_EQ(now.marks[1], 2);
    });
}

TYPED_TEST(GmresRotate, TakesTheSecondPassWhereItMatters)
{
    using V = TypeParam;
    using R = real_t<V>;
    auto before = first_step<V>();
    before.values[c] = V{R(2.4)};
    before.reals[ww] = 16 + R(2.4) * R(2.4);
    const R root_eps = std::sqrt(std::numeric_limits<R>::epsilon());
    on_each_executor([&](const Executor& exec) {
        auto now = after_launch(exec, before, 1, launch_with<V>(0));
        EXPECT_EQ(now.marks[0], 1);
        // h = 5.4, ||w - V c|| = 4
        expect_near<V>({now.values[h]}, {V{R(5.4)}}, 4);
        expect_near<R>({now.reals[scale]}, {R(0.25)}, 8);

        auto small = first_step<V>();
        for (const double factor : {0.5, 2.0}) {
            small.values[c] = V{4 * root_eps * static_cast<R>(factor)};
            now = after_launch(exec, small, 1, launch_with<V>(0));
            EXPECT_EQ(now.marks[0], factor > 1);
        }
    });
}

TYPED_TEST(GmresRotate, LuckyBreakdownEndsTheColumnWithResidualZero)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        auto before = first_step<V>();
        before.reals[ww] = 0;
        auto now = after_launch(exec, before, 1, launch_with<V>(0));
        EXPECT_EQ(now.stop.status[0], SolveStatus::converged);
        EXPECT_EQ(now.stop.residual(0), 0);
        EXPECT_EQ(now.values[upper], V{3});
        EXPECT_EQ(now.marks[1], 1);

        // Rounding errors count as nothing, whether small against h or taken away by the second pass.
        before.reals[ww] = std::pow(4 * std::numeric_limits<real_t<V>>::epsilon(), real_t<V>{2});
        EXPECT_EQ(after_launch(exec, before, 1, launch_with<V>(0)).stop.residual(0), 0);
        before.reals[ww] = real_t<V>(1e-6);
        before.values[c] = V{real_t<V>(0.9e-3)};
        EXPECT_EQ(after_launch(exec, before, 1, launch_with<V>(0)).stop.residual(0), 0);
    });
}

TYPED_TEST(GmresRotate, SaysHowColumnsEnd)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        auto before = first_step<V>();  // A M^-1 v_0 = 0: singular
        before.values[h] = V{0};
        before.reals[ww] = 0;
        auto now = after_launch(exec, before, 1, launch_with<V>(0));
        EXPECT_EQ(now.stop.status[0], SolveStatus::breakdown);
        EXPECT_EQ(now.marks[1], 0);
        EXPECT_EQ(now.stop.counts[0], 4);
        EXPECT_EQ(now.stop.residual(0), 10);
        EXPECT_EQ(now.stop.header.running, 0);

        for (const auto bad :
             {std::numeric_limits<real_t<V>>::quiet_NaN(), std::numeric_limits<real_t<V>>::infinity()}) {
            before = first_step<V>();
            before.reals[ww] = bad;
            now = after_launch(exec, before, 1, launch_with<V>(0));
            EXPECT_EQ(now.stop.status[0], SolveStatus::not_a_number);
            EXPECT_EQ(now.marks[1], 0);
        }
        before = first_step<V>();
        before.stop.norms[1] = 9;
        EXPECT_EQ(after_launch(exec, before, 1, launch_with<V>(0)).stop.status[0], SolveStatus::converged);
    });
}

TYPED_TEST(GmresRotate, LikeReference)
{
    using V = TypeParam;
    Random random(605);
    for (const size_type cols : {0, 1, 3, 33, 70}) {
        for (const size_type j : {0, 1, 2}) {
            auto before = random_krylov_step<V>(random, 0, {0, cols}, 0, num_values, num_reals, 2);
            const auto k = static_cast<std::size_t>(cols);
            for (std::size_t col = 0; col < k; ++col) {
                for (std::size_t i = 0; i < m; ++i) {  // rotations, as they come
                    const real_t<V> angle = before.reals[(cosine + i) * k + col];
                    before.reals[(cosine + i) * k + col] = std::cos(angle);
                    before.values[(sine + i) * k + col] = number<V>(0, 1) * std::sin(angle);
                    before.values[(c + i) * k + col] *= real_t<V>(col % 4 == 0 ? 0.1 : 1e-12);
                }
                before.marks[k + col] = static_cast<std::int32_t>(j);
                if (col % 5 == 1) {
                    before.reals[ww * k + col] = 0;
                } else if (col % 5 == 3) {
                    before.stop.stop(col, SolveStatus::converged);
                }
            }
            expect_krylov_step_like_reference(before, 64, 1, launch_with<V>(j), [](std::size_t) { return true; });
        }
    }
}

}  // namespace
}  // namespace linden::test
