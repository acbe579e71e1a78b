#include "core/kernels/lsmr.hpp"
#include "core/kernels/lsqr.hpp"
#include "test/support/kernel_cases.hpp"
#include "test/support/stop_state.hpp"

/// Kernels of LSQR and LSMR by hand. The last column has stopped.
namespace linden::test {
namespace {

template <class V>
class GolubKahanKernels : public testing::Test {
};
TYPED_TEST_SUITE(GolubKahanKernels, TestedValues, TypeNames);

TYPED_TEST(GolubKahanKernels, AdvanceAndCorrect)
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
        golub_kahan_advance<V>(exec, b.view(), s.data(), t.data(), x.view(), stop.view());
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

/// Lengths in the inner product of M: of columns that run, one that has stopped, and such as M that is not positive
/// definite leaves.
TYPED_TEST(GolubKahanKernels, LengthByHand)
{
    using V = TypeParam;
    using R = real_t<V>;
    on_each_executor([](const Executor& exec) {
        auto values = StopValues<R>::running(5);
        values.stop(4, SolveStatus::converged);
        auto stop = stop_state(exec, values);
        const Array<V> squares(exec, std::vector<V>{V{9}, V{}, V{-1}, not_a_number<V>(), V{4}});
        Array<R> alpha(exec, std::vector<R>{7, 7, 7, 7, 7});
        golub_kahan_length<V>(exec, squares.data(), alpha.data(), stop.view());
        EXPECT_EQ(alpha.to_host(), (std::vector<R>{3, 0, 7, 7, 7}));
        const auto status = values_of(stop).status;
        EXPECT_EQ(status, (std::vector<SolveStatus>{SolveStatus::running, SolveStatus::running, SolveStatus::breakdown,
                                                    SolveStatus::not_a_number, SolveStatus::converged}));
    });
}

template <class Types>
class GolubKahanWeightKernels : public testing::Test {
};
TYPED_TEST_SUITE(GolubKahanWeightKernels, TestedValueIndices, TypeNames);

/// Of a row without entries, of zeros, and of one whose squares leave the range.
TYPED_TEST(GolubKahanWeightKernels, ByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using R = real_t<V>;
    const V large{std::numeric_limits<R>::max()}, small{std::numeric_limits<R>::min()};
    const CsrData<V, I> a{{5, 2}, {0, 2, 2, 3, 4, 5}, {0, 1, 0, 1, 1}, {number<V>(1, 1), V{-1}, V{}, large, small}};
    on_each_executor([&](const Executor& exec) {
        const Csr<V, I> matrix(exec, a);
        Array<V> weights(exec, std::vector<V>(5, V{-7}));
        golub_kahan_weights<V, I>(exec, matrix.view(), weights.data());
        const R first = R{1} / (is_complex<V> ? 3 : 2);
        expect_near(weights.to_host(), {V{first}, V{1}, V{1}, V{1}, V{1}}, 4);
    });
}

template <class R>
class GolubKahanScalarKernels : public testing::Test {
};
TYPED_TEST_SUITE(GolubKahanScalarKernels, TestedReals, TypeNames);

/// Two columns, of which the first runs: alpha = 3 and beta = 10 at the start, then alpha = 5 and beta = 4.
template <class R>
struct TwoColumns {
    explicit TwoColumns(const Executor& exec)
        : stop(stop_state(exec, first_running())),
          alpha(exec, std::vector<R>{3, 3}),
          beta(exec, std::vector<R>{10, 10}),
          square(exec, 2),
          norms(exec, std::vector<R>{-7, -7}),
          marks(exec, 2)
    {
    }

    static StopValues<R> first_running()
    {
        auto values = StopValues<R>::running(2, R{1});
        values.stop(1, SolveStatus::converged);
        values.header.history_capacity = 2;
        values.history.assign(4, R{0});
        return values;
    }
    GolubKahanScalars<R> lengths() { return {alpha.data(), beta.data(), square.data(), marks.data()}; }
    void take_step()
    {
        EXPECT_EQ(marks.to_host(), (std::vector<std::int32_t>{0, 0}));
        alpha.copy_from_host(std::vector<R>{5, 5}.data());
        beta.copy_from_host(std::vector<R>{4, 4}.data());
    }
    /// `residual` is that of the step.
    void expect_end(bool ends, R residual)
    {
        const auto state = values_of(stop);
        expect_near(norms.to_host(), {residual, R{-7}}, 8);
        EXPECT_EQ(marks.to_host()[0], ends ? 1 : 0);
        EXPECT_EQ(state.status[0], ends ? SolveStatus::stagnated : SolveStatus::running);
        EXPECT_EQ(state.counts[0], ends ? 1 : 0);
        expect_near(std::vector<R>{state.history[2]}, {ends ? residual : R{0}}, 8);
    }

    StopState<R> stop;
    Array<R> alpha, beta, square, norms;
    Array<std::int32_t> marks;
};

/// rho_bar = 3, beta = 4: rho = 5. The same for a column that is to go on and for one that has ended.
TYPED_TEST(GolubKahanScalarKernels, RotateByHand)
{
    using R = TypeParam;
    on_each_executor([](const Executor& exec) {
        for (const double tolerance : {0.0, 1.0}) {
            TwoColumns<R> two(exec);
            Array<R> rest(exec, 10);
            R* const at = rest.data();
            const LsqrScalars<R> s{two.lengths(), at, at + 2, at + 4, at + 6};
            lsqr_start<R>(exec, s, two.stop.view());
            two.take_step();
            lsqr_rotate<R>(exec, s, tolerance, two.norms.data(), two.stop.view());
            const auto now = rest.to_host();
            expect_near(std::vector<R>{two.square.to_host()[0], now[0], now[2], now[4], now[6], now[8]},
                        {50, -3, 8, R(1.2), R(0.2), R(0.8)}, 4);
            EXPECT_EQ(now[5], R{0});
            two.expect_end(tolerance == 1, R{8});  // |rho_bar| = 3 <= sqrt(50)
        }
    });
}

/// rho = 5, c = 0.6, s = 0.8, theta = 4, rho_bar = sqrt(41). So x = (30 / 41) v_1 and, since A v_1 = 3 u_1 + 4 u_2, r =
/// (320 u_1 - 120 u_2) / 41; ||A^H r|| = 120 / sqrt(41).
TYPED_TEST(GolubKahanScalarKernels, RotateTwiceByHand)
{
    using R = TypeParam;
    using S = LsmrScalars<R>;
    on_each_executor([](const Executor& exec) {
        for (const double tolerance : {0.0, 1.0}) {
            TwoColumns<R> two(exec);
            Array<R> own(exec, 2 * S::num_own);
            const S s{two.lengths(), own.data()};
            lsmr_start<R>(exec, s, two.stop.view());
            two.take_step();
            lsmr_rotate<R>(exec, s, tolerance, two.norms.data(), two.stop.view());
            const auto now = own.to_host();
            const auto of = [&](typename S::Own name) { return now[2 * static_cast<std::size_t>(name)]; };
            const R root = std::sqrt(R{41});
            expect_near(std::vector<R>{of(S::tau), of(S::sigma), of(S::scale), of(S::theta), of(S::zeta_bar)},
                        {R{30} / 41, R{0}, R(0.2), R(0.8), -120 / root}, 8);
            EXPECT_EQ(now[2 * S::tau + 1], R{0});
            two.expect_end(tolerance == 1, std::sqrt(R{116800}) / 41);  // 120 / sqrt(41) <= sqrt(50) 8.3
        }
    });
}

/// g := h - sigma g, x := x + tau g, h := scale v - theta h; the last column has stopped, with a step left to take.
TYPED_TEST(GolubKahanKernels, CorrectTwice)
{
    using V = TypeParam;
    using R = real_t<V>;
    on_each_executor([](const Executor& exec) {
        auto values = StopValues<R>::running(3);
        values.stop(1, SolveStatus::converged);
        values.stop(2, SolveStatus::converged);
        auto stop = stop_state(exec, values);
        const Array<R> weights(exec, std::vector<R>{2, 0, 3, 4, 4, 4, 1, 1, 1, 5, 5, 5});
        const auto v = Dense<V>::from_rows(exec, {{V{7}, V{6}, V{5}}});
        const auto ones = Dense<V>::from_rows(exec, {{V{1}, V{1}, V{1}}});
        auto h = Dense<V>::from_rows(exec, {{V{2}, V{2}, V{2}}}), g = ones.copy(), x = ones.copy();
        lsmr_correct<V>(exec, weights.data(), v.view(), h.view(), g.view(), x.view(), stop.view());
        EXPECT_EQ(g.to_host(), (std::vector<V>{V{-2}, V{1}, V{-2}}));
        EXPECT_EQ(x.to_host(), (std::vector<V>{V{-3}, V{1}, V{-5}}));
        EXPECT_EQ(h.to_host(), (std::vector<V>{V{-3}, V{2}, V{2}}));
    });
}

}  // namespace
}  // namespace linden::test
