#include "core/kernels/stop.hpp"
#include "test/support/kernel_cases.hpp"
#include "test/support/stop_state.hpp"

namespace linden::test {
namespace {

template <class R>
class StopInitialize : public testing::Test {
};
TYPED_TEST_SUITE(StopInitialize, TestedReals, TypeNames);

template <class R>
StopValues<R> initialized(const Executor& exec, const StopRule& rule, const std::vector<R>& b_norms,
                          const std::vector<R>& r_norms)
{
    const auto cols = static_cast<size_type>(b_norms.size());
    StopState<R> state(exec, cols);
    state.keep_history(rule.history_capacity);
    exec.state().fill_zero(state.view().history, static_cast<std::size_t>(cols * rule.history_capacity) * sizeof(R));
    const Array<R> b(exec, b_norms);
    const Array<R> r(exec, r_norms);
    stop_initialize<R>(exec, rule, b.data(), r.data(), state.view());
    return values_of(state);
}

constexpr StopRule half_of_rhs{.max_iterations = 100,
                               .relative_residual = 0.5,
                               .absolute_residual = 0.25,
                               .baseline = Baseline::rhs,
                               .time_limit = 0,
                               .divergence = 16,
                               .stagnation_iterations = 3,
                               .history_capacity = 2};

TYPED_TEST(StopInitialize, ByHand)
{
    using R = TypeParam;
    on_each_executor([](const Executor& exec) {
        // runs; starts converged; b = 0 takes ||r0|| as the baseline; the absolute tolerance is the larger one
        const auto s = initialized<R>(exec, half_of_rhs, {4, 4, 0, 0.125}, {8, 1, 2, 0.5});
        using S = SolveStatus;
        EXPECT_EQ(s.status, (std::vector<S>{S::running, S::converged, S::running, S::running}));
        EXPECT_EQ(s.counts, std::vector<std::int64_t>(8, 0));
        EXPECT_EQ(s.norms, (std::vector<R>{8, 1, 2, 0.5, 2, 2, 1, 0.25, 128, 64, 32, 8, 8, 1, 2, 0.5}));
        EXPECT_EQ(s.history, (std::vector<R>{8, 1, 2, 0.5, 0, 0, 0, 0}));
        EXPECT_EQ(s.header.running, 3);
        EXPECT_EQ(s.header.max_iterations, 100);
        EXPECT_EQ(s.header.deadline, 0);
        EXPECT_EQ(s.header.stagnation_iterations, 3);
        EXPECT_EQ(s.header.history_capacity, 2);
    });
}

TYPED_TEST(StopInitialize, InitialResidualAsBaseline)
{
    using R = TypeParam;
    auto rule = half_of_rhs;
    rule.baseline = Baseline::initial_residual;
    on_each_executor([&](const Executor& exec) {
        const auto s = initialized<R>(exec, rule, {4}, {8});
        EXPECT_EQ(s.norms, (std::vector<R>{8, 4, 128, 8}));
        EXPECT_EQ(s.status[0], SolveStatus::running);
    });
}

TYPED_TEST(StopInitialize, StopsAtOnce)
{
    using R = TypeParam;
    constexpr R nan = std::numeric_limits<R>::quiet_NaN();
    constexpr R infinity = std::numeric_limits<R>::infinity();
    auto rule = half_of_rhs;
    rule.max_iterations = 0;
    on_each_executor([&](const Executor& exec) {
        const auto s = initialized<R>(exec, rule, {4, 4, 4, 0}, {8, nan, infinity, 0});
        using S = SolveStatus;
        EXPECT_EQ(s.status, (std::vector<S>{S::max_iterations, S::not_a_number, S::not_a_number, S::converged}));
        EXPECT_EQ(s.header.running, 0);
    });
}

TYPED_TEST(StopInitialize, LikeReference)
{
    using R = TypeParam;
    Random random(301);
    for (const std::size_t cols : {0, 1, 3, 33, 100}) {
        std::vector<R> b_norms(cols);
        std::vector<R> r_norms(cols);
        for (std::size_t col = 0; col < cols; ++col) {
            b_norms[col] = static_cast<R>(random.real(0, 2));
            r_norms[col] = static_cast<R>(random.real(0, 40));
        }
        const auto expected = initialized(reference_executor(), half_of_rhs, b_norms, r_norms);
        on_each_other_executor([&](const Executor& exec) {
            expect_same_state(initialized(exec, half_of_rhs, b_norms, r_norms), expected, 1);
        });
    }
}

}  // namespace
}  // namespace linden::test
