#include "test/support/krylov_cases.hpp"

namespace linden::test {
namespace {

template <class V>
class ArnoldiAdvance : public testing::Test {
};
TYPED_TEST_SUITE(ArnoldiAdvance, TestedValues, TypeNames);

constexpr size_type m = 3;
/// Where the scalars of one column are in `values`, `reals` and `marks`.
enum : std::size_t { h = 0, c = 4, upper = 8, sine = 17, g = 20, y = 24, column = 27, product = 31, num_values = 35 };
enum : std::size_t { ww = 0, cosine = 1, scale = 4, norm = 5, correct = 6, num_reals = 7 };
enum : std::size_t { again = 0, used = 1, open = 2 };

template <class V>
auto launch_with(size_type j, bool flexible = false, bool settles = false)
{
    return [=](KrylovOperands<V>& o) { arnoldi_advance<V>(o.exec, o.arnoldi(m), j, flexible, settles, o.stop()); };
}

/// Step 0 of one column with h = 3, w^H w = 25 and g_0 = 10.
template <class V>
KrylovStep<V> first_step()
{
    KrylovStep<V> s{{},
                    {},
                    std::vector<V>(num_values),
                    std::vector<real_t<V>>(num_reals),
                    {9, 0, 9},
                    StopValues<real_t<V>>::running(1, 1, 4)};
    s.stop.norms[0] = 10;
    s.values[h] = V{3};
    s.values[c] = V{1};
    s.values[g] = V{10};
    s.reals[ww] = 25;
    return s;
}

/// What is there before step 1, whose vector v has V^H v = 0.6 and v^H v = 1: 0.8 of it are new.
template <class V>
KrylovStep<V> second_step()
{
    using R = real_t<V>;
    auto s = first_step<V>();
    s.values[upper] = V{5};
    s.values[sine] = V{R(0.8)};
    s.reals[cosine] = R(0.6);
    s.values[g] = V{6};
    s.values[g + 1] = V{-8};
    s.values[column] = V{3};
    s.reals[norm] = 4;
    s.values[c] = V{R(0.6)};
    s.values[c + 1] = V{1};
    s.values[h] = V{1};
    s.values[h + 1] = V{2};
    s.reals[ww] = 20;
    s.marks = {0, 1, 0};
    s.stop.norms[0] = 8;
    return s;
}

TYPED_TEST(ArnoldiAdvance, FirstStepByHand)
{
    using V = TypeParam;
    using R = real_t<V>;
    on_each_executor([](const Executor& exec) {
        const auto now = after_launch(exec, first_step<V>(), 1, launch_with<V>(0));
        expect_near<V>({now.values[upper], now.values[sine], now.values[g], now.values[g + 1], now.values[column]},
                       {V{5}, V{R(0.8)}, V{6}, V{-8}, V{3}}, 4);
        expect_near<R>({now.reals[cosine], now.reals[scale], now.reals[norm], now.stop.residual(0)},
                       {R(0.6), R(0.25), 4, 8}, 4);
        EXPECT_EQ(now.marks, (std::vector<std::int32_t>{0, 1, 0}));
        EXPECT_EQ(now.stop.counts[0], 5);
        EXPECT_EQ(now.stop.status[0], SolveStatus::running);
    });
}

/// The column (3, 4) becomes (3 + 4 0.6, 4 0.8), and H c = 0.6 of it. v_1^H w is (2 - 0.6 1) / 0.8 = 1.75, and
/// 20 - 1 - 1.75^2 are left of w.
TYPED_TEST(ArnoldiAdvance, CorrectsTheColumnBefore)
{
    using V = TypeParam;
    using R = real_t<V>;
    const R length = std::sqrt(R(5.4 * 5.4 + 3.2 * 3.2)), left = std::sqrt(R(20 - 1 - 1.75 * 1.75));
    on_each_executor([&](const Executor& exec) {
        for (const bool flexible : {false, true}) {
            const auto now = after_launch(exec, second_step<V>(), 1, launch_with<V>(1, flexible));
            expect_near<V>({now.values[upper], now.values[g], now.values[h + 1]},
                           {V{length}, V{R(54) / length}, V{R(1.75)}}, 16);
            expect_near<R>({now.reals[cosine], now.reals[correct], now.reals[scale]},
                           {R(5.4) / length, R(1.25), 1 / left}, 8);
            // A M^-1 v_1 = (w - H c) / 0.8; a vector z_1 that is kept has A z_1 = w
            const std::vector<V> expected =
                flexible ? std::vector<V>{V{1}, V{R(1.75)}} : std::vector<V>{V{R(-2.8)}, V{R(-0.2125)}};
            expect_near<V>({now.values[column], now.values[column + 1]}, expected, 32);
            EXPECT_NEAR(now.reals[norm], flexible ? left : left / R(0.8), 32 * unit_roundoff<V>);
            EXPECT_EQ(now.marks, (std::vector<std::int32_t>{1, 2, 0}));
        }
    });
}

TYPED_TEST(ArnoldiAdvance, TakesABoundWhereNothingIsLeft)
{
    using V = TypeParam;
    auto before = first_step<V>();
    before.reals[ww] = 9;
    on_each_executor([&](const Executor& exec) {
        const auto now = after_launch(exec, before, 1, launch_with<V>(0));
        EXPECT_EQ(now.marks, (std::vector<std::int32_t>{0, 1, 1}));
        EXPECT_NEAR(now.reals[norm], std::sqrt(9 * arnoldi_floor<V>), 1e-6);
        EXPECT_GT(now.stop.residual(0), 0);
    });
}

/// A vector that the second pass leaves nothing of: the solution lies in the span, which the step before did not know.
TYPED_TEST(ArnoldiAdvance, EndsAStepLaterWhereNothingWasNew)
{
    using V = TypeParam;
    using R = real_t<V>;
    auto before = second_step<V>();
    before.values[c + 1] = V{R(0.36)};
    on_each_executor([&](const Executor& exec) {
        const auto now = after_launch(exec, before, 1, launch_with<V>(1));
        EXPECT_EQ(now.stop.status[0], SolveStatus::converged);
        EXPECT_EQ(now.stop.residual(0), 0);
        EXPECT_EQ(now.stop.counts[0], 4);  // no iteration of its own
        EXPECT_EQ(now.marks[used], 1);
        EXPECT_EQ(now.marks[again], 0);
        expect_near<V>({now.values[upper], now.values[g]}, {V{R(5.4)}, V{10}}, 8);
    });
}

TYPED_TEST(ArnoldiAdvance, BreaksDownAStepLaterOnASingularSpan)
{
    using V = TypeParam;
    using R = real_t<V>;
    auto before = second_step<V>();
    before.values[c + 1] = V{R(0.36)};
    before.values[column] = V{R(-2.4)};  // + 4 0.6
    on_each_executor([&](const Executor& exec) {
        const auto now = after_launch(exec, before, 1, launch_with<V>(1));
        EXPECT_EQ(now.stop.status[0], SolveStatus::breakdown);
        EXPECT_EQ(now.marks[used], 0);
        EXPECT_EQ(now.stop.counts[0], 4);
    });
}

TYPED_TEST(ArnoldiAdvance, SettlesWhatIsOpen)
{
    using V = TypeParam;
    using R = real_t<V>;
    auto before = second_step<V>();
    on_each_executor([&](const Executor& exec) {
        before.marks[open] = 0;
        auto now = after_launch(exec, before, 1, launch_with<V>(1, false, true));
        EXPECT_TRUE(same_bits(now.values, before.values));
        before.marks[open] = 1;
        now = after_launch(exec, before, 1, launch_with<V>(1, false, true));
        const R length = std::sqrt(R(5.4 * 5.4 + 3.2 * 3.2));
        expect_near<V>({now.values[upper], now.values[upper + m]}, {V{length}, V{0}}, 8);
        EXPECT_EQ(now.stop.counts[0], 4);
        EXPECT_EQ(now.stop.status[0], SolveStatus::running);
        EXPECT_EQ(now.marks[open], 0);
        EXPECT_EQ(now.marks[used], 1);
    });
}

TYPED_TEST(ArnoldiAdvance, SeesThatAColumnIsNotANumber)
{
    using V = TypeParam;
    auto before = first_step<V>();
    before.reals[ww] = std::numeric_limits<real_t<V>>::quiet_NaN();
    on_each_executor([&](const Executor& exec) {
        const auto now = after_launch(exec, before, 1, launch_with<V>(0));
        EXPECT_EQ(now.stop.status[0], SolveStatus::not_a_number);
        EXPECT_EQ(now.marks[used], 0);
    });
}

TYPED_TEST(ArnoldiAdvance, LikeReference)
{
    using V = TypeParam;
    using R = real_t<V>;
    Random random(623);
    for (const size_type cols : {1, 4}) {
        for (const size_type j : {0, 1, 2}) {
            for (const bool flexible : {false, true}) {
                SCOPED_TRACE(j);
                auto before = random_krylov_step<V>(random, 0, {1, cols}, 0, num_values, num_reals, 3);
                const auto k = static_cast<std::size_t>(cols);
                for (std::size_t col = 0; col < k; ++col) {
                    for (size_type i = 0; i < j; ++i) {  // nearly orthogonal, but for one column
                        before.values[(c + static_cast<std::size_t>(i)) * k + col] *= col == 1 ? R{} : R(0.1);
                    }
                    before.values[(c + static_cast<std::size_t>(j)) * k + col] = V{R{1}};
                    before.reals[ww * k + col] = 40;
                    before.marks[open * k + col] = 0;
                }
                expect_krylov_step_like_reference(before, 200, 1, launch_with<V>(j, flexible),
                                                  [](std::size_t) { return false; });
            }
        }
    }
}

}  // namespace
}  // namespace linden::test
