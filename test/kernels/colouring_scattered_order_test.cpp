#include "test/support/colouring.hpp"

namespace linden::test {
namespace {

template <class I>
class ColouringScatteredOrder : public testing::Test {
};
TYPED_TEST_SUITE(ColouringScatteredOrder, TestedIndices);

template <class I>
std::pair<std::vector<I>, std::vector<I>> scattered(const Executor& exec, size_type n)
{
    Array<I> order(exec, n), rank(exec, n);
    colouring_scattered_order<I>(exec, n, order.data(), rank.data());
    return {order.to_host(), rank.to_host()};
}

TYPED_TEST(ColouringScatteredOrder, ByHand)
{
    using I = TypeParam;
    using Order = std::pair<std::vector<I>, std::vector<I>>;
    on_each_executor([](const Executor& exec) {
        EXPECT_EQ(scattered<I>(exec, 0), (Order{{}, {}}));
        EXPECT_EQ(scattered<I>(exec, 1), (Order{{0}, {0}}));
        EXPECT_EQ(scattered<I>(exec, 5), (Order{{0, 4, 2, 1, 3}, {0, 3, 2, 4, 1}}));
    });
}

TYPED_TEST(ColouringScatteredOrder, IsByReversedBits)
{
    using I = TypeParam;
    const auto reversed = [](I i) {
        std::uint64_t bits = 0;
        for (int bit = 0; bit < 20; ++bit) {
            bits = 2 * bits + (static_cast<std::uint64_t>(i) >> bit & 1);
        }
        return bits;
    };
    for (const size_type n : {2, 3, 4, 31, 32, 33, 597, 65536, 100000}) {
        std::vector<I> order(static_cast<std::size_t>(n));
        std::iota(order.begin(), order.end(), I{0});
        std::sort(order.begin(), order.end(), [&](I a, I b) { return reversed(a) < reversed(b); });
        const std::pair expected{order, HostVisit<I>(order).rank};
        on_each_executor([&](const Executor& exec) { EXPECT_TRUE(scattered<I>(exec, n) == expected) << n; });
    }
}

}  // namespace
}  // namespace linden::test
