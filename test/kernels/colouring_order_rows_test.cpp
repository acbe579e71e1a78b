#include "core/kernels/sweep.hpp"
#include "test/support/colouring.hpp"

namespace linden::test {
namespace {

template <class I>
class ColouringOrderRows : public testing::Test {
};
TYPED_TEST_SUITE(ColouringOrderRows, TestedIndices);

template <class I>
using Order = std::pair<std::vector<I>, std::vector<I>>;

/// Blocks by colours, in a colour by number.
template <class I>
struct HostBlocks {
    std::vector<I> colours, order, position, colour_ptrs;

    HostBlocks(size_type num_colours, std::vector<I> of_blocks)
        : colours(std::move(of_blocks)),
          order(colours.size()),
          position(colours.size()),
          colour_ptrs(static_cast<std::size_t>(num_colours + 1))
    {
        std::iota(order.begin(), order.end(), I{0});
        std::stable_sort(order.begin(), order.end(), [&](I a, I b) { return colours[a] < colours[b]; });
        for (std::size_t p = 0; p < order.size(); ++p) {
            position[static_cast<std::size_t>(order[p])] = static_cast<I>(p);
        }
        for (const auto colour : colours) {
            ++colour_ptrs[static_cast<std::size_t>(colour) + 1];
        }
        std::partial_sum(colour_ptrs.begin(), colour_ptrs.end(), colour_ptrs.begin());
    }
};

template <class I>
Order<I> ordered(const Executor& exec, const HostBlocks<I>& host, size_type num_rows, size_type block_rows)
{
    const Array<I> colours(exec, host.colours), block_position(exec, host.position), ptrs(exec, host.colour_ptrs);
    Array<I> order(exec, num_rows), position(exec, num_rows);
    colouring_order_rows<I>(exec, {num_rows, block_rows, colours.data(), block_position.data(), ptrs.data()},
                            order.data(), position.data());
    return {order.to_host(), position.to_host()};
}

TYPED_TEST(ColouringOrderRows, ByHand)
{
    using I = TypeParam;
    on_each_executor([](const Executor& exec) {
        // blocks 0 1, 2 3 and 4; colour 0 has blocks 0 and 2, colour 1 block 1
        EXPECT_EQ(ordered<I>(exec, HostBlocks<I>(2, {0, 1, 0}), 5, 2), (Order<I>{{0, 4, 1, 2, 3}, {0, 2, 3, 4, 1}}));
        // colour 0 has block 2, colour 1 blocks 0 and 1
        EXPECT_EQ(ordered<I>(exec, HostBlocks<I>(2, {1, 1, 0}), 5, 2), (Order<I>{{4, 0, 2, 1, 3}, {1, 3, 2, 4, 0}}));
        EXPECT_EQ(ordered<I>(exec, HostBlocks<I>(0, {}), 0, 3), (Order<I>{{}, {}}));
    });
}

/// As the view that sweeps take has it.
TYPED_TEST(ColouringOrderRows, IsThatOfColourView)
{
    using I = TypeParam;
    Random random(907);
    for (const size_type num_rows : {1, 31, 32, 33, 597, 20000}) {
        for (const size_type block_rows : {1, 2, 3, 7, 32, 600}) {
            const size_type num_blocks = (num_rows + block_rows - 1) / block_rows;
            const size_type num_colours = std::min<size_type>(num_blocks, 5);
            std::vector<I> colours(static_cast<std::size_t>(num_blocks));
            std::generate(colours.begin(), colours.end(),
                          [&] { return static_cast<I>(random.integer(0, num_colours)); });
            const HostBlocks<I> blocks(num_colours, colours);
            Order<I> expected(std::vector<I>(static_cast<std::size_t>(num_rows)),
                              std::vector<I>(static_cast<std::size_t>(num_rows)));
            ColourView<double, I> view;
            view.block_rows = block_rows;
            for (size_type colour = 0; colour < num_colours; ++colour) {
                const auto rows_of = [&](I block) {
                    return std::min<size_type>(block_rows, num_rows - block * block_rows);
                };
                const auto begin = blocks.order.begin() + blocks.colour_ptrs[static_cast<std::size_t>(colour)];
                const auto end = blocks.order.begin() + blocks.colour_ptrs[static_cast<std::size_t>(colour) + 1];
                view.entries.layout.rows = std::accumulate(
                    begin, end, size_type{0}, [&](size_type sum, I block) { return sum + rows_of(block); });
                for (size_type t = 0; t < end - begin; ++t) {
                    for (size_type j = 0; j < rows_of(begin[t]); ++j) {
                        const auto at = static_cast<std::size_t>(view.first + view.row(j, t));
                        const auto row = static_cast<I>(begin[t] * block_rows + j);
                        expected.first[at] = row;
                        expected.second[static_cast<std::size_t>(row)] = static_cast<I>(at);
                    }
                }
                view.first += view.entries.layout.rows;
            }
            on_each_executor([&](const Executor& exec) {
                EXPECT_TRUE(ordered(exec, blocks, num_rows, block_rows) == expected) << num_rows << ' ' << block_rows;
            });
        }
    }
}

}  // namespace
}  // namespace linden::test
