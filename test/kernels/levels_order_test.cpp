#include "test/support/triangular.hpp"

namespace linden::test {
namespace {

template <class I>
class LevelsOrder : public testing::Test {
};
TYPED_TEST_SUITE(LevelsOrder, TestedIndices);

template <class I>
Arrays<I> ordered(const Executor& exec, size_type num_levels, const std::vector<I>& host, Side side)
{
    const auto n = static_cast<size_type>(host.size());
    const Array<I> levels(exec, host);
    Array<I> order(exec, n), position(exec, n), level_ptrs(exec, num_levels + 1);
    Array<std::byte> workspace(exec, levels_order_workspace_bytes<I>(n));
    levels_order<I>(exec, {.num_rows = n, .num_levels = num_levels, .levels = levels.data(), .side = side},
                    order.data(), position.data(), level_ptrs.data(), {workspace.data(), workspace.size()});
    EXPECT_EQ(levels.to_host(), host);
    return {order.to_host(), position.to_host(), level_ptrs.to_host()};
}

TYPED_TEST(LevelsOrder, ByHand)
{
    using I = TypeParam;
    on_each_executor([](const Executor& exec) {
        const std::vector<I> levels{1, 0, 3, 1, 0};
        EXPECT_EQ(ordered<I>(exec, 4, levels, Side::lower),
                  (Arrays<I>{{1, 4, 0, 3, 2}, {2, 0, 4, 3, 1}, {0, 2, 4, 4, 5}}));
        EXPECT_EQ(ordered<I>(exec, 4, levels, Side::upper),
                  (Arrays<I>{{4, 1, 3, 0, 2}, {3, 1, 4, 2, 0}, {0, 2, 4, 4, 5}}));
        const std::vector<I> one_level{0, 0, 0};
        EXPECT_EQ(ordered<I>(exec, 1, one_level, Side::lower), (Arrays<I>{{0, 1, 2}, {0, 1, 2}, {0, 3}}));
        EXPECT_EQ(ordered<I>(exec, 1, one_level, Side::upper), (Arrays<I>{{2, 1, 0}, {2, 1, 0}, {0, 3}}));
        EXPECT_EQ(ordered<I>(exec, 0, {}, Side::lower), (Arrays<I>{{}, {}, {0}}));
        EXPECT_EQ(ordered<I>(exec, 0, {}, Side::upper), (Arrays<I>{{}, {}, {0}}));
    });
}

TYPED_TEST(LevelsOrder, OfRandomLevels)
{
    using I = TypeParam;
    Random random(811);
    for (const size_type n : {1, 31, 32, 33, 255, 256, 257, 597, 20000, 70000}) {
        for (const size_type num_levels : {size_type{1}, size_type{7}, size_type{300}, n}) {
            SCOPED_TRACE(std::to_string(n) + " rows, " + std::to_string(num_levels) + " levels");
            std::vector<I> levels(static_cast<std::size_t>(n)), order(static_cast<std::size_t>(n)), position(order);
            std::vector<I> level_ptrs(static_cast<std::size_t>(num_levels + 1));
            for (auto& level : levels) {
                level = static_cast<I>(random.integer(0, num_levels));
                ++level_ptrs[level + 1];
            }
            std::partial_sum(level_ptrs.begin(), level_ptrs.end(), level_ptrs.begin());
            for (const auto side : {Side::lower, Side::upper}) {
                std::iota(order.begin(), order.end(), I{0});
                if (side == Side::upper) {
                    std::reverse(order.begin(), order.end());
                }
                std::stable_sort(order.begin(), order.end(), [&](I a, I b) { return levels[a] < levels[b]; });
                for (std::size_t p = 0; p < order.size(); ++p) {
                    position[order[p]] = static_cast<I>(p);
                }
                const Arrays<I> expected{order, position, level_ptrs};
                on_each_executor(
                    [&](const Executor& exec) { EXPECT_TRUE(ordered<I>(exec, num_levels, levels, side) == expected); });
            }
        }
    }
}

}  // namespace
}  // namespace linden::test
