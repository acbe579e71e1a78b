#include "core/kernels/stop.hpp"
#include "test/support/kernel_cases.hpp"
#include "test/support/stop_state.hpp"

namespace linden::test {
namespace {

template <class R>
class StopCheck : public testing::Test {
};
TYPED_TEST_SUITE(StopCheck, TestedReals, TypeNames);

/// The state after one check for each row of norms.
template <class R>
StopValues<R> checked(const Executor& exec, const StopValues<R>& before, const std::vector<std::vector<R>>& norms)
{
    auto state = stop_state(exec, before);
    for (const auto& row : norms) {
        const Array<R> here(exec, row);
        stop_check<R>(exec, here.data(), state.view());
    }
    return values_of(state);
}

TYPED_TEST(StopCheck, ByHand)
{
    using R = TypeParam;
    using S = SolveStatus;
    auto before = StopValues<R>::running(5, R{2}, 4);
    before.norms[2 * 5 + 1] = R{100};  // limit of column 1
    before.stop(4, S::breakdown);
    before.header.history_capacity = 6;
    before.history.assign(6 * 5, R{-1});
    on_each_executor([&](const Executor& exec) {
        const auto s = checked<R>(exec, before, {{2, 101, std::numeric_limits<R>::quiet_NaN(), 5, 1}});
        EXPECT_EQ(s.status, (std::vector<S>{S::converged, S::diverged, S::not_a_number, S::running, S::breakdown}));
        EXPECT_EQ(s.header.running, 1);
        EXPECT_EQ(s.counts, (std::vector<std::int64_t>{5, 5, 5, 5, 4, 5, 5, 4, 5, 4}));
        EXPECT_EQ(s.residual(4), R{7});
        EXPECT_EQ(s.history[5 * 5], R{2});
        EXPECT_EQ(s.history[5 * 5 + 3], R{5});
        EXPECT_EQ(s.history[5 * 5 + 4], R{-1});
        EXPECT_EQ(s.history[4 * 5 + 3], R{-1});
    });
}

TYPED_TEST(StopCheck, IterationLimitAndFullHistory)
{
    using R = TypeParam;
    auto before = StopValues<R>::running(1, R{0}, 998);
    before.header.history_capacity = 1;
    before.history = {R{-1}};
    on_each_executor([&](const Executor& exec) {
        const auto one = checked<R>(exec, before, {{5}});
        EXPECT_EQ(one.status[0], SolveStatus::running);
        const auto two = checked<R>(exec, before, {{5}, {4}});
        EXPECT_EQ(two.status[0], SolveStatus::max_iterations);
        EXPECT_EQ(two.counts[0], 1000);
        EXPECT_EQ(two.history, std::vector<R>{-1});
    });
}

TYPED_TEST(StopCheck, Stagnation)
{
    using R = TypeParam;
    auto before = StopValues<R>::running(1);
    before.header.stagnation_iterations = 2;
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(checked<R>(exec, before, {{5}, {6}, {4}, {4}}).status[0], SolveStatus::running);
        EXPECT_EQ(checked<R>(exec, before, {{5}, {6}, {4}, {4}, {4}}).status[0], SolveStatus::stagnated);
    });
}

TYPED_TEST(StopCheck, DeadlineInThePast)
{
    using R = TypeParam;
    auto before = StopValues<R>::running(1);
    before.header.deadline = 1;
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(checked<R>(exec, before, {{5}}).status[0], SolveStatus::time);
        EXPECT_EQ(checked<R>(exec, before, {{0}}).status[0], SolveStatus::converged);
    });
}

TYPED_TEST(StopCheck, LikeReference)
{
    using R = TypeParam;
    Random random(303);
    for (const std::size_t cols : {0, 1, 3, 33, 100}) {
        auto before = StopValues<R>::running(cols, R{1});
        before.header.stagnation_iterations = 4;
        before.header.history_capacity = 5;
        before.history.assign(5 * cols, R{0});
        std::vector<std::vector<R>> norms(12, std::vector<R>(cols));
        for (auto& row : norms) {
            for (auto& norm : row) {
                norm = static_cast<R>(random.real(0, 20));
            }
        }
        const auto expected = checked(reference_executor(), before, norms);
        on_each_other_executor(
            [&](const Executor& exec) { expect_same_state(checked(exec, before, norms), expected, 0); });
    }
}

}  // namespace
}  // namespace linden::test
