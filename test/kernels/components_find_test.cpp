#include "core/kernels/components.hpp"

#include <algorithm>
#include <numeric>

#include "test/support/kernel_cases.hpp"
#include "test/support/patterns.hpp"

/// Connected parts of a pattern.
namespace linden::test {
namespace {

template <class I>
class ComponentsFind : public testing::Test {
};
TYPED_TEST_SUITE(ComponentsFind, TestedIndices);

template <class I>
std::vector<I> labels_of(const Executor& exec, const std::vector<I>& row_ptrs, const std::vector<I>& col_idxs)
{
    const Array<I> rows(exec, row_ptrs), cols(exec, col_idxs);
    const size_type n = rows.size() - 1;
    Array<I> labels(exec, n);
    components_find<I>(exec, {n, n, cols.size(), rows.data(), cols.data()}, labels.data());
    return labels.to_host();
}

TYPED_TEST(ComponentsFind, ByHand)
{
    using I = TypeParam;
    on_each_executor([](const Executor& exec) {
        // 4 -> 2, 1 -> 3, 2 -> 2, row 0 alone
        EXPECT_EQ(labels_of<I>(exec, {0, 0, 1, 2, 2, 3}, {3, 2, 2}), (std::vector<I>{0, 1, 2, 1, 2}));
        EXPECT_TRUE(labels_of<I>(exec, {0}, {}).empty());
    });
}

/// Long paths in random order, of which each row knows one neighbour, so that sets are joined by their ends.
TYPED_TEST(ComponentsFind, ShuffledPaths)
{
    using I = TypeParam;
    Random random(7);
    for (const size_type n : {31, 597, 50000}) {
        std::vector<I> order(static_cast<std::size_t>(n));
        std::iota(order.begin(), order.end(), I{0});
        for (size_type i = n - 1; i > 0; --i) {
            std::swap(order[i], order[random.integer(0, i + 1)]);
        }
        const size_type length = n / 3;
        std::vector<I> row_ptrs(order.size() + 1), col_idxs(order.size()), expected(order.size());
        std::iota(row_ptrs.begin(), row_ptrs.end(), I{0});
        for (size_type first = 0; first < n; first += length) {
            const auto end = std::min(first + length, n);
            const I least = *std::min_element(order.begin() + first, order.begin() + end);
            for (size_type i = first; i < end; ++i) {
                col_idxs[order[i]] = order[std::min(i + 1, end - 1)];
                expected[order[i]] = least;
            }
        }
        on_each_executor([&](const Executor& exec) { EXPECT_EQ(labels_of<I>(exec, row_ptrs, col_idxs), expected); });
    }
}

}  // namespace
}  // namespace linden::test
