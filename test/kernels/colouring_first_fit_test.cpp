#include "test/support/colouring.hpp"

namespace linden::test {
namespace {

template <class I>
class ColouringFirstFit : public testing::Test {
};
TYPED_TEST_SUITE(ColouringFirstFit, TestedIndices);

template <class I>
using Coloured = std::pair<std::vector<I>, size_type>;

template <class I>
Coloured<I> coloured(const Executor& exec, const HostPattern<I>& host, const HostVisit<I>& host_visit)
{
    Array<I> colours(exec, host.size.rows);
    Array<size_type> num_colours(exec, std::vector<size_type>{-1});
    run_visit(exec, host, host_visit, [&](PatternView<I> a, VisitView<I> visit, WorkspaceView workspace) {
        colouring_first_fit<I>(exec, a, visit, colours.data(), num_colours.data(), workspace);
    });
    return {colours.to_host(), num_colours.to_host().front()};
}

TYPED_TEST(ColouringFirstFit, ByHand)
{
    using I = TypeParam;
    // a path 0 - 3 - 1 - 4 and row 2 alone, columns in disorder, some diagonal entries
    const HostPattern<I> a{{5, 5}, {0, 2, 5, 5, 7, 9}, {3, 0, 4, 3, 1, 1, 0, 4, 1}};
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(coloured<I>(exec, a, {}), (Coloured<I>{{0, 0, 0, 1, 1}, 2}));
        EXPECT_EQ(coloured<I>(exec, a, HostVisit<I>({0, 4, 3, 1, 2})), (Coloured<I>{{0, 2, 0, 1, 0}, 3}));
        EXPECT_EQ(coloured<I>(exec, dense_blocks<I>({3, 1}), HostVisit<I>({3, 1, 2, 0})),
                  (Coloured<I>{{2, 0, 1, 0}, 3}));
        EXPECT_EQ(coloured<I>(exec, HostPattern<I>{{0, 0}, {0}, {}}, {}), (Coloured<I>{{}, 0}));
    });
}

TYPED_TEST(ColouringFirstFit, LeavesNoConflictAndNoLowerColour)
{
    using I = TypeParam;
    const auto a = dense_blocks<I>({64, 65, 129, 200});
    on_each_executor([&](const Executor& exec) {
        const auto [colours, num_colours] = coloured<I>(exec, a, reversed_visit<I>(a.size.rows));
        EXPECT_EQ(num_colours, 200);
        EXPECT_EQ(colours[0], 63);
        EXPECT_EQ(colours[64], 64);
        EXPECT_EQ(colours[64 + 65], 128);
        EXPECT_EQ(colours[64 + 65 + 129], 199);
        EXPECT_EQ(colours.back(), 0);
    });
}

TYPED_TEST(ColouringFirstFit, OfRandomPatterns)
{
    using I = TypeParam;
    for_each_symmetric_pattern<I>(903, [](const HostPattern<I>& a) {
        for_each_visit<I>(a.size.rows, [&](const HostVisit<I>& visit) {
            expect_equal_to_reference([&](const Executor& exec) { return coloured(exec, a, visit); });
        });
    });
}

}  // namespace
}  // namespace linden::test
