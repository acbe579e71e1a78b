#include "core/kernels/krylov_cycle.hpp"
#include "test/support/kernel_cases.hpp"

/// The coefficients of a K-cycle's two steps.
namespace linden::test {
namespace {

template <class V>
std::vector<V> numbers(const std::vector<double>& values)
{
    std::vector<V> result;
    for (const double value : values) {
        result.push_back(V{static_cast<real_t<V>>(value)});
    }
    return result;
}

template <class V>
class KrylovCycle : public testing::Test {
};
TYPED_TEST_SUITE(KrylovCycle, TestedValues, TypeNames);

/// Columns: two steps; a second direction that is the first; one that is no descent; an A that is not positive; zeros.
TYPED_TEST(KrylovCycle, ByHand)
{
    using V = TypeParam;
    on_each_executor([](const Executor& exec) {
        const Array<V> cv(exec, numbers<V>({2, 2, 2, -1, 0})), cb(exec, numbers<V>({4, 4, 4, 3, 0}));
        const Array<V> dv(exec, numbers<V>({1, 2, 0, 1, 0})), dw(exec, numbers<V>({1, 2, -1, 1, 0}));
        const Array<V> dr(exec, numbers<V>({1, 0.5, 1, 2, 0}));
        const KrylovSums<V> sums{cv.data(), cb.data(), dv.data(), dw.data(), dr.data()};
        Array<V> first(exec, numbers<V>({9, 9, 9, 9, 9})), second(exec, numbers<V>({9, 9, 9, 9, 9}));
        krylov_cycle_first<V>(exec, 5, sums, first.data());
        EXPECT_EQ(first.to_host(), numbers<V>({-2, -2, -2, 0, 0}));
        krylov_cycle_second<V>(exec, 5, sums, first.data(), second.data());
        EXPECT_EQ(first.to_host(), numbers<V>({1, 2, 2, 0, 0}));
        EXPECT_EQ(second.to_host(), numbers<V>({2, 0, 0, 2, 0}));
    });
}

}  // namespace
}  // namespace linden::test
