#include "core/kernels/lsqr.hpp"
#include "test/support/kernel_cases.hpp"
#include "test/support/stop_state.hpp"

/// Kernels of LSQR by hand. The last column has stopped.
namespace linden::test {
namespace {

template <class V>
class LsqrKernels : public testing::Test {
};
TYPED_TEST_SUITE(LsqrKernels, TestedValues, TypeNames);

TYPED_TEST(LsqrKernels, AdvanceAndCorrect)
{
    using V = TypeParam;
    using R = real_t<V>;
    on_each_executor([](const Executor& exec) {
        auto values = StopValues<R>::running(3);
        values.stop(2, SolveStatus::converged);
        auto stop = stop_state(exec, values);
        const V bad = not_a_number<V>();
        const Array<R> s(exec, std::vector<R>{2, 0, 2}), t(exec, std::vector<R>{4, 1, 4});
        const auto b = Dense<V>::from_rows(exec, {{number<V>(6, 2), bad, bad}});
        auto x = Dense<V>::from_rows(exec, {{V{8}, V{8}, V{8}}});
        lsqr_advance<V>(exec, b.view(), s.data(), t.data(), x.view(), stop.view());
        EXPECT_EQ(x.to_host(), (std::vector<V>{number<V>(-1, 1), V{0}, V{8}}));

        // tau, and the weights; the last column takes a step, too, if it has just ended
        const Array<R> tau(exec, std::vector<R>{2, 0, 3}), weights(exec, std::vector<R>{1, 1, 1, 4, 4, 4});
        const auto v = Dense<V>::from_rows(exec, {{V{7}, V{6}, V{5}}});
        auto w = Dense<V>::from_rows(exec, {{V{1}, V{1}, V{1}}}), y = Dense<V>::from_rows(exec, {{V{1}, V{1}, V{1}}});
        lsqr_correct<V>(exec, tau.data(), weights.data(), v.view(), w.view(), y.view(), stop.view());
        EXPECT_EQ(y.to_host(), (std::vector<V>{V{3}, V{1}, V{4}}));
        EXPECT_EQ(w.to_host(), (std::vector<V>{V{3}, V{2}, V{1}}));
    });
}

template <class R>
class LsqrScalarKernels : public testing::Test {
};
TYPED_TEST_SUITE(LsqrScalarKernels, TestedReals, TypeNames);

TYPED_TEST(LsqrScalarKernels, RotateByHand)
{
    using R = TypeParam;
    on_each_executor([](const Executor& exec) {
        // rho_bar = 3, beta = 4: rho = 5. The same for a column that is to go on and for one that has ended.
        for (const double tolerance : {0.0, 1.0}) {
            auto values = StopValues<R>::running(2, R{1});
            values.stop(1, SolveStatus::converged);
            values.header.history_capacity = 2;
            values.history.assign(4, R{0});
            auto stop = stop_state(exec, values);
            Array<R> alpha(exec, std::vector<R>{3, 3}), beta(exec, std::vector<R>{10, 10}), rest(exec, 12);
            Array<std::int32_t> marks(exec, 2);
            R* const at = rest.data();
            const LsqrScalars<R> s{alpha.data(), beta.data(), at, at + 2, at + 4, at + 6, at + 8, marks.data()};
            lsqr_start<R>(exec, s, stop.view());
            EXPECT_EQ(marks.to_host(), (std::vector<std::int32_t>{0, 0}));
            alpha.copy_from_host(std::vector<R>{5, 5}.data());
            beta.copy_from_host(std::vector<R>{4, 4}.data());
            Array<R> norms(exec, std::vector<R>{-7, -7});
            lsqr_rotate<R>(exec, s, tolerance, norms.data(), stop.view());
            const auto now = rest.to_host();
            const auto state = values_of(stop);
            expect_near(std::vector<R>{now[0], now[2], now[4], now[6], now[8], now[10]},
                        {50, -3, 8, R(1.2), R(0.2), R(0.8)}, 4);
            EXPECT_EQ(now[7], R{0});
            expect_near(norms.to_host(), {R{8}, R{-7}}, 4);
            const bool ends = tolerance == 1;  // |rho_bar| = 3 <= sqrt(50)
            EXPECT_EQ(marks.to_host()[0], ends ? 1 : 0);
            EXPECT_EQ(state.status[0], ends ? SolveStatus::stagnated : SolveStatus::running);
            EXPECT_EQ(state.counts[0], ends ? 1 : 0);
            EXPECT_EQ(state.history[2], ends ? R{8} : R{0});
        }
    });
}

}  // namespace
}  // namespace linden::test
