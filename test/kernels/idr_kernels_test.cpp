#include "core/kernels/idr.hpp"

#include "test/support/cg_cases.hpp"

/// The scalar work of IDR(2) by hand, and its shadow space.
namespace linden::test {
namespace {

template <class V>
class IdrKernels : public testing::Test {
};
TYPED_TEST_SUITE(IdrKernels, TestedValues, TypeNames);

/// f (2), q (2), M by columns (4), c (2), beta, omega, r^H t, t^H t of one column
enum : std::size_t { f = 0, q = 2, m = 4, c = 8, beta = 10, omega, rt, tt, num_values };

template <class V>
struct Column {
    std::vector<V> values;
    SolveStatus status;
};

/// What `launch(exec, scalars, stop)` leaves of `values`, in a column that runs, after the first cycle.
template <class V, class Launch>
Column<V> after(const Executor& exec, const std::vector<V>& values, real_t<V> residual, Launch&& launch)
{
    Array<V> held(exec, values);
    Array<std::int32_t> fresh(exec, std::vector<std::int32_t>{0});
    auto before = StopValues<real_t<V>>::running(1);
    before.norms[0] = residual;
    auto state = stop_state(exec, before);
    V* const at = held.data();
    launch(exec,
           IdrScalars<V>{2, at + f, at + q, at + m, at + c, at + beta, at + omega, at + rt, at + tt, fresh.data()},
           state.view());
    return {held.to_host(), state.status().to_host()[0]};
}

TYPED_TEST(IdrKernels, Coefficients)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        std::vector<V> values(num_values, V{});
        values[f] = V{4};
        values[f + 1] = V{5};
        values[q] = V{2};
        values[q + 1] = V{6};
        values[m + 3] = V{7};
        const auto first = after<V>(
            exec, values, 1, [](const auto& e, auto scalars, auto stop) { idr_coefficients<V>(e, scalars, 0, stop); });
        EXPECT_EQ(first.values[beta], V{2});    // f_0 / m_00
        EXPECT_EQ(first.values[m + 1], V{6});   // m_10 = q_1
        EXPECT_EQ(first.values[f + 1], V{-7});  // 5 - 2 * 6
        EXPECT_EQ(first.values[c + 1], V{-1});  // f_1 / m_11
        EXPECT_EQ(first.status, SolveStatus::running);

        values = first.values;
        values[q] = V{4};
        values[q + 1] = V{5};
        const auto second = after<V>(
            exec, values, 1, [](const auto& e, auto scalars, auto stop) { idr_coefficients<V>(e, scalars, 1, stop); });
        EXPECT_EQ(second.values[q], V{2});       // 4 / m_00
        EXPECT_EQ(second.values[m + 3], V{-7});  // 5 - m_10 * 2
        EXPECT_EQ(second.values[beta], V{1});

        values[q + 1] = V{12};  // 12 - 6 * 2 = 0
        EXPECT_EQ(after<V>(exec, values, 1,
                           [](const auto& e, auto scalars, auto stop) { idr_coefficients<V>(e, scalars, 1, stop); })
                      .status,
                  SolveStatus::breakdown);
    });
}

TYPED_TEST(IdrKernels, Omega)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        const auto omega_of = [&](V product, double kappa) {
            std::vector<V> values(num_values, V{});
            values[rt] = product;
            values[tt] = V{16};
            return after<V>(exec, values, 2,
                            [kappa](const auto& e, auto scalars, auto stop) { idr_omega<V>(e, kappa, scalars, stop); });
        };
        EXPECT_EQ(omega_of(V{-8}, 0.5).values[omega], V{-0.5});   // cosine 1: r^H t / t^H t
        EXPECT_EQ(omega_of(V{-2}, 0.5).values[omega], V{-0.25});  // cosine 1/4, made 1/2
        EXPECT_EQ(omega_of(V{-2}, 0).values[omega], V{-0.125});
        EXPECT_EQ(omega_of(V{0}, 0.5).values[omega], V{0.25});
        EXPECT_EQ(omega_of(V{0}, 0).status, SolveStatus::breakdown);
        if constexpr (is_complex<V>) {
            EXPECT_EQ(omega_of(V(0, 8), 0.5).values[omega], V(0, -0.5));
        }
    });
}

TYPED_TEST(IdrKernels, ShadowSpaceIsTheSameEverywhere)
{
    using V = TypeParam;
    std::vector<V> expected;
    on_each_executor([&](const Executor& exec) {
        Array<V> p(exec, std::vector<V>(2 * 5 * 3, V{9}));
        idr_shadow<V>(exec, {2, 5, 3, 15, p.data()}, 1);
        const auto values = p.to_host();
        expected = expected.empty() ? values : expected;
        EXPECT_EQ(values, expected);
        for (std::size_t i = 0; i < values.size(); i += 3) {
            EXPECT_TRUE(values[i] == values[i + 1] && values[i] == values[i + 2]);  // equal columns
            EXPECT_LE(std::abs(values[i]), 1.42);
            EXPECT_TRUE(i == 0 || values[i] != values[i - 3]);
        }
    });
}

}  // namespace
}  // namespace linden::test
