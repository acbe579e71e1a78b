#include "core/kernels/minres.hpp"
#include "test/support/kernel_cases.hpp"
#include "test/support/stop_state.hpp"

/// Kernels of MINRES by hand, for two columns, of which the second has stopped and holds NaN.
namespace linden::test {
namespace {

template <class V>
class MinresKernels : public testing::Test {
};
TYPED_TEST_SUITE(MinresKernels, TestedValues, TypeNames);

template <class V>
struct MinresCase {
    using R = real_t<V>;

    explicit MinresCase(const Executor& e)
        : exec(e),
          values(e, std::vector<V>(4, not_a_number<V>())),
          reals(e, std::vector<R>(38, not_a_number<R>())),
          state(e, 2)
    {
        auto stop = StopValues<R>::running(2);
        stop.stop(1, SolveStatus::converged);
        state = stop_state(e, stop);
    }

    MinresScalars<V> scalars()
    {
        const auto at = [this](int i) { return reals.data() + 2 * i; };
        return {values.data(), values.data() + 2, at(0), at(2), at(4), at(6), at(8), at(9), at(10), at(16)};
    }
    void set(int i, V value) { copy_bytes(reference_executor(), &value, exec, values.data() + 2 * i, sizeof value); }
    /// The first column of the i-th kind of scalars.
    R real(int i) const { return reals.to_host()[static_cast<std::size_t>(2 * i)]; }
    SolveStatus status() const { return state.status().to_host()[0]; }
    void start(V gamma_squared)
    {
        set(1, gamma_squared);
        minres_start<V>(exec, scalars(), state.view());
    }

    Executor exec;
    Array<V> values;
    Array<R> reals;
    StopState<R> state;
};

TYPED_TEST(MinresKernels, StepByHand)
{
    using V = TypeParam;
    using R = real_t<V>;
    on_each_executor([](const Executor& exec) {
        MinresCase<V> c(exec);
        c.start(V{4});  // gamma = 2
        c.set(0, V{8});
        minres_weights<V>(exec, c.scalars(), c.state.view());  // delta = 2
        const R weights[] = {0.5, 1, 2, 2, 0, 2};
        for (int i = 0; i < 6; ++i) {
            EXPECT_EQ(c.real(10 + i), weights[i]) << i;
        }
        const V bad = not_a_number<V>();
        const auto block = [&](V value) { return Dense<V>::from_rows(exec, {{value, bad}}); };
        const auto q = block(number<V>(4, 2)), z = block(V{6});
        auto v = block(V{3}), v_old = block(V{5}), d = block(V{7}), d_old = block(V{9});
        const MinresVectors<V> vectors{q.view(), z.view(), v.view(), v_old.view(), d.view(), d_old.view()};
        minres_advance<V>(exec, vectors, c.scalars().weights, c.state.view());
        const auto first = [](const Dense<V>& x) { return x.to_host()[0]; };
        EXPECT_EQ(first(v), number<V>(-11, 1));
        EXPECT_EQ(first(v_old), V{3});
        EXPECT_EQ(first(d), V{-11});
        EXPECT_EQ(first(d_old), V{7});

        c.set(1, V{2.25});  // gamma = 1.5 below the diagonal 2: length 2.5
        Array<R> norms(exec, std::vector<R>{-7, -7});
        minres_rotate<V>(exec, c.scalars(), norms.data(), c.state.view());
        expect_near(std::vector<R>{c.real(16), c.real(17), c.real(18), c.real(8)},
                    {R(0.64), R(0.36), R(-0.64), R(-1.2)}, 16);
        expect_near(norms.to_host(), {R(1.2), R{-7}}, 16);
        auto x = Dense<V>::from_rows(exec, {{V{1}, V{2}}}), r = Dense<V>::from_rows(exec, {{V{10}, V{3}}});
        minres_correct<V>(exec, c.scalars().movement, block(V{10}).view(), block(V{5}).view(), x.view(), r.view());
        expect_near(x.to_host(), {V(R(7.4)), V{2}}, 16);
        expect_near(r.to_host(), {V(R(0.4)), V{3}}, 256);
    });
}

TYPED_TEST(MinresKernels, EndsByHand)
{
    using V = TypeParam;
    using R = real_t<V>;
    on_each_executor([](const Executor& exec) {
        const auto after = [&](V delta, V gamma_squared) {
            MinresCase<V> c(exec);
            c.start(V{1});
            c.set(0, delta);
            minres_weights<V>(exec, c.scalars(), c.state.view());
            c.set(1, gamma_squared);
            Array<R> norms(exec, std::vector<R>{-7, -7});
            minres_rotate<V>(exec, c.scalars(), norms.data(), c.state.view());
            EXPECT_TRUE(c.status() == SolveStatus::running || c.real(16) == R{0});
            return c.status();
        };
        EXPECT_EQ(after(V{2}, V{0}), SolveStatus::running);     // an invariant space: solved
        EXPECT_EQ(after(V{2}, V{-1}), SolveStatus::breakdown);  // M is indefinite
        EXPECT_EQ(after(V{0}, V{0}), SolveStatus::stagnated);   // A r = 0
        EXPECT_EQ(after(not_a_number<V>(), V{1}), SolveStatus::not_a_number);
        MinresCase<V> c(exec);
        c.start(V{-1});
        EXPECT_EQ(c.status(), SolveStatus::breakdown);
    });
}

}  // namespace
}  // namespace linden::test
