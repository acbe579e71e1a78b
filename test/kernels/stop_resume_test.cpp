#include "core/kernels/stop.hpp"
#include "test/support/kernel_cases.hpp"
#include "test/support/stop_state.hpp"

namespace linden::test {
namespace {

template <class R>
class StopResume : public testing::Test {
};
TYPED_TEST_SUITE(StopResume, TestedReals, TypeNames);

template <class R>
StopValues<R> resumed(const Executor& exec, const StopValues<R>& before, const std::vector<R>& norms,
                      bool after_breakdown = false)
{
    auto state = stop_state(exec, before);
    const Array<R> here(exec, norms);
    stop_resume<R>(exec, here.data(), after_breakdown, state.view());
    return values_of(state);
}

TYPED_TEST(StopResume, ByHand)
{
    using R = TypeParam;
    using S = SolveStatus;
    auto before = StopValues<R>::running(5, R{2}, 4);
    before.stop(0, S::converged);
    before.stop(1, S::converged);
    before.stop(2, S::breakdown);
    before.stop(3, S::max_iterations);
    on_each_executor([&](const Executor& exec) {
        // only the first one is converged by recurrence and not in truth; the last one has been running all along
        const auto s = resumed<R>(exec, before, {3, 2, 3, 3, 3});
        EXPECT_EQ(s.status, (std::vector<S>{S::running, S::converged, S::breakdown, S::max_iterations, S::running}));
        EXPECT_EQ(s.residual(0), R{3});
        EXPECT_EQ(s.residual(1), R{7});
        EXPECT_EQ(s.header.running, 2);
        EXPECT_EQ(s.counts, before.counts);

        const auto restarted = resumed<R>(exec, before, {3, 2, 3, 3, 3}, true);
        EXPECT_EQ(restarted.status[2], S::running);
        EXPECT_EQ(restarted.residual(2), R{3});
        EXPECT_EQ(restarted.header.running, 3);
        EXPECT_EQ(resumed<R>(exec, before, {3, 2, 2, 3, 3}, true).status[2], S::breakdown);  // at its tolerance
    });
}

TYPED_TEST(StopResume, LikeReference)
{
    using R = TypeParam;
    Random random(302);
    for (const std::size_t cols : {0, 1, 3, 33, 100}) {
        auto before = StopValues<R>::running(cols, R{2}, 4);
        std::vector<R> norms(cols);
        for (std::size_t col = 0; col < cols; ++col) {
            norms[col] = static_cast<R>(random.real(0, 4));
            before.stop(col, static_cast<SolveStatus>(random.integer(0, 8)));
        }
        for (const bool after_breakdown : {false, true}) {
            const auto expected = resumed(reference_executor(), before, norms, after_breakdown);
            on_each_other_executor([&](const Executor& exec) {
                expect_same_state(resumed(exec, before, norms, after_breakdown), expected, 0);
            });
        }
    }
}

}  // namespace
}  // namespace linden::test
