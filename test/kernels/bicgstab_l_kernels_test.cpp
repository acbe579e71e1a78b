#include "core/kernels/bicgstab_l.hpp"

#include "test/support/cg_cases.hpp"

/// The scalars of BiCGStab(2) by hand.
namespace linden::test {
namespace {

template <class V>
class BicgstabLKernels : public testing::Test {
};
TYPED_TEST_SUITE(BicgstabLKernels, TestedValues, TypeNames);

template <class V>
struct Minimum {
    std::vector<V> gamma;
    V omega;
    std::int32_t broken;
};

/// gram: g_1, g_2, G_11, (not read), G_12, G_22
template <class V>
Minimum<V> minimum(const Executor& exec, const std::vector<V>& gram, std::int32_t was_broken = 0)
{
    Array<V> products(exec, gram), rest(exec, std::vector<V>(9, V{}));
    Array<real_t<V>> norm(exec, std::vector<real_t<V>>{1});
    Array<std::int32_t> broken(exec, std::vector<std::int32_t>{was_broken});
    auto state = stop_state(exec, StopValues<real_t<V>>::running(1));
    V* const at = rest.data();
    bicgstab_l_gamma<V>(
        exec,
        {2, at, at + 1, at + 2, at + 3, at + 4, at + 5, at + 6, products.data(), at + 7, norm.data(), broken.data()},
        state.view());
    const auto values = rest.to_host();
    return {{values[7], values[8]}, values[4], broken.to_host()[0]};
}

TYPED_TEST(BicgstabLKernels, Gamma)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        const auto nan = not_a_number<V>();
        // [4 2; 2 5] gamma = (8, 14)
        const auto full = minimum<V>(exec, {V{8}, V{14}, V{4}, nan, V{2}, V{5}});
        EXPECT_EQ(full.gamma, (std::vector<V>{V{0.75}, V{2.5}}));
        EXPECT_EQ(full.omega, V{2.5});
        EXPECT_EQ(full.broken, 0);
        if constexpr (is_complex<V>) {
            // [4 2i; -2i 5] gamma = (8, 14)
            EXPECT_EQ(minimum<V>(exec, {V{8}, V{14}, V{4}, nan, V(0, 2), V{5}}).gamma,
                      (std::vector<V>{V(2.5, -1.75), V(3.5, 1)}));
        }
        // r_2 = r_1: the minimum over r_1
        const auto dependent = minimum<V>(exec, {V{8}, V{8}, V{4}, nan, V{4}, V{4}});
        EXPECT_EQ(dependent.gamma, (std::vector<V>{V{2}, V{0}}));
        EXPECT_EQ(dependent.broken, 3);
        // Broken in the second step: r_0 and r_1 are there.
        const auto partial = minimum<V>(exec, {V{8}, nan, V{4}, nan, nan, nan}, 2);
        EXPECT_EQ(partial.gamma, (std::vector<V>{V{2}, V{0}}));
        EXPECT_EQ(partial.broken, 2);
        const auto broken = minimum<V>(exec, std::vector<V>(6, nan), 1);
        EXPECT_EQ(broken.gamma, (std::vector<V>{V{0}, V{0}}));
    });
}

/// Products below the rounding errors of the residual that the cycle began with say nothing.
TYPED_TEST(BicgstabLKernels, BetaOfNoise)
{
    using V = TypeParam;
    using R = real_t<V>;
    on_each_executor([](const Executor& exec) {
        constexpr R eps = unit_roundoff<V>;
        for (const R rho : {eps / 2, 16 * eps}) {
            // rho, rho_old, alpha, beta, omega, sigma, the square of ||r_1|| = 16 eps
            Array<V> values(exec, std::vector<V>{V{rho}, V{2}, V{1}, V{}, V{1}, V{}, V{256 * eps * eps}});
            Array<R> norm(exec, std::vector<R>{1});
            Array<std::int32_t> broken(exec, std::vector<std::int32_t>{0});
            auto rule = StopValues<R>::running(1);
            rule.norms[0] = 1;
            auto state = stop_state(exec, rule);
            V* const at = values.data();
            bicgstab_l_beta<V>(
                exec,
                {2, at, at + 1, at + 2, at + 3, at + 4, at + 5, at + 6, nullptr, nullptr, norm.data(), broken.data()},
                1, state.view());
            EXPECT_EQ(broken.to_host()[0], rho < eps ? 2 : 0);
            EXPECT_EQ(values.to_host()[3], rho < eps ? V{} : V{8 * eps});
        }
    });
}

}  // namespace
}  // namespace linden::test
