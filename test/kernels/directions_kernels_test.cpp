#include "core/kernels/directions.hpp"
#include "test/support/kernel_cases.hpp"
#include "test/support/stop_state.hpp"

/// Kernels of methods that keep directions, by hand for two columns, of which the second has stopped, and at random.
namespace linden::test {
namespace {

template <class V>
class DirectionsKernels : public testing::Test {
};
TYPED_TEST_SUITE(DirectionsKernels, TestedValues, TypeNames);

TYPED_TEST(DirectionsKernels, WeighAndCombine)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        auto values = StopValues<real_t<V>>::running(2);
        values.stop(1, SolveStatus::converged);
        auto stop = stop_state(exec, values);
        const V bad = not_a_number<V>();
        // Two directions, of which the second does not exist yet.
        const Array<V> h(exec, std::vector<V>{number<V>(6, 2), bad, V{8}, bad});
        const Array<V> sigma(exec, std::vector<V>{V{2}, V{2}, V{0}, V{0}});
        Array<V> y(exec, std::vector<V>(4, bad)), rho(exec, std::vector<V>{number<V>(1, 5), number<V>(1, 5)});
        directions_weights<V>(exec, h.data(), sigma.data(), 2, y.data(), rho.data(), stop.view());
        EXPECT_EQ(y.to_host(), (std::vector<V>{number<V>(3, 1), V{0}, V{0}, V{0}}));
        EXPECT_EQ(rho.to_host(), (std::vector<V>{number<V>(1, -5), number<V>(1, 5)}));

        // Blocks of 2 x 2; the first is a direction, the second holds nothing yet, and the result goes to either.
        for (const size_type slot : {0, 1}) {
            Array<V> p(exec, std::vector<V>{V{2}, V{7}, V{4}, V{7}, bad, V{7}, bad, V{7}});
            const auto z = Dense<V>::from_rows(exec, {{number<V>(10, 2), bad}, {V{12}, bad}});
            directions_combine<V>(exec, z.view(), y.data(), 2, slot, {2, 2, 2, 4, p.data()}, stop.view());
            const auto at = static_cast<std::size_t>(4 * slot);
            const auto result = p.to_host();
            EXPECT_EQ(result[at], V{4});
            EXPECT_EQ(result[at + 2], number<V>(0, -4));
            EXPECT_EQ(result[at + 1], V{7});
            EXPECT_EQ(result[at + 3], V{7});
        }
    });
}

/// Longer than what a host takes at a time, for one column and for several, of which one has stopped.
TYPED_TEST(DirectionsKernels, CombineManyRows)
{
    using V = TypeParam;
    constexpr size_type rows = 2500, count = 7, slot = 3;
    for (const size_type cols : {1, 3}) {
        SCOPED_TRACE(cols);
        auto values = StopValues<real_t<V>>::running(cols);
        if (cols > 1) {
            values.stop(1, SolveStatus::converged);
        }
        Random random(11);
        const auto z = random_dense<V>(random, reference_executor(), {rows, cols});
        const auto p = random_dense<V>(random, reference_executor(), {count * rows, cols});
        auto y = random_dense<V>(random, reference_executor(), {count * cols, 1}).to_host();
        y[0] = V{};
        std::vector<V> expected;
        on_each_executor([&](const Executor& exec) {
            auto stop = stop_state(exec, values);
            const auto z_here = z.copy(exec);
            auto p_here = p.copy(exec);
            const Array<V> y_here(exec, y);
            directions_combine<V>(exec, z_here.view(), y_here.data(), count, slot,
                                  {count, rows, cols, rows * cols, p_here.data()}, stop.view());
            if (expected.empty()) {
                expected = p_here.to_host();
                EXPECT_NE(expected, p.to_host());
            }
            expect_near(p_here.to_host(), expected, 4 * count);
        });
    }
}

}  // namespace
}  // namespace linden::test
