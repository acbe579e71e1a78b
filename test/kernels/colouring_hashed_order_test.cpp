#include "test/support/colouring.hpp"

namespace linden::test {
namespace {

template <class I>
class ColouringHashedOrder : public testing::Test {
};
TYPED_TEST_SUITE(ColouringHashedOrder, TestedIndices);

template <class I>
std::pair<std::vector<I>, std::vector<I>> hashed(const Executor& exec, size_type n, std::uint64_t seed)
{
    Array<I> order(exec, n), rank(exec, n);
    colouring_hashed_order<I>(exec, n, seed, order.data(), rank.data());
    return {order.to_host(), rank.to_host()};
}

TYPED_TEST(ColouringHashedOrder, IsAPermutationAndTheSameEverywhere)
{
    using I = TypeParam;
    for (const size_type n : {0, 1, 2, 3, 4, 5, 31, 32, 33, 597, 65536, 100000}) {
        for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
            SCOPED_TRACE(std::to_string(n) + " rows");
            const auto [order, rank] = hashed<I>(reference_executor(), n, seed);
            std::vector<I> sorted(order), all(order.size());
            std::sort(sorted.begin(), sorted.end());
            std::iota(all.begin(), all.end(), I{0});
            EXPECT_EQ(sorted, all);
            EXPECT_EQ(HostVisit<I>(order).rank, rank);
            expect_equal_to_reference([&](const Executor& exec) { return hashed<I>(exec, n, seed); });
        }
    }
}

/// Of neighbours in a random order a third of the rows has none that is visited earlier. The standard deviation is
/// sqrt(2 n / 45) [number of local minima], 67 rows of 100000; the bound is ten of it.
TYPED_TEST(ColouringHashedOrder, LooksRandom)
{
    using I = TypeParam;
    constexpr size_type n = 100000;
    const auto rank = hashed<I>(reference_executor(), n, 1).second;
    const auto other = hashed<I>(reference_executor(), n, 2).second;
    EXPECT_NE(rank, other);
    for (const std::size_t distance : {1, 2, 100, 256, 1024}) {
        size_type least = 0;
        for (std::size_t i = distance; i + distance < rank.size(); ++i) {
            least += rank[i] < rank[i - distance] && rank[i] < rank[i + distance];
        }
        EXPECT_NEAR(static_cast<double>(least), (static_cast<double>(n) - 2.0 * static_cast<double>(distance)) / 3, 670)
            << "distance " << distance;
    }
}

}  // namespace
}  // namespace linden::test
