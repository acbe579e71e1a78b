#include "core/kernels/directions.hpp"
#include "test/support/kernel_cases.hpp"
#include "test/support/stop_state.hpp"

/// Kernels of methods that keep directions, by hand, for two columns, of which the second has stopped.
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

}  // namespace
}  // namespace linden::test
