#include "test/support/patterns.hpp"

namespace linden::test {
namespace {

template <class I>
class PatternSelect : public testing::Test {
};
TYPED_TEST_SUITE(PatternSelect, TestedIndices);

template <class I>
Arrays<I> selected(const Executor& exec, const HostPattern<I>& host, PatternSelection which)
{
    const PatternOn<I> a(exec, host);
    return filled_pattern<I>(
        exec, which.row_end - which.row_begin,
        [&](I* counts) { pattern_select_count<I>(exec, a.view(), which, counts); },
        [&](auto& s, WorkspaceView) {
            pattern_select_fill<I>(exec, a.view(), which, s.row_ptrs.data(), s.col_idxs.data(), s.source.data());
        });
}

TYPED_TEST(PatternSelect, ByHand)
{
    using I = TypeParam;
    // [x x . x; . x x .; x . x x], the second row unsorted
    const HostPattern<I> a{{3, 4}, {0, 3, 5, 8}, {0, 1, 3, 2, 1, 0, 2, 3}};
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(selected(exec, a, {0, 3, 0, 4}), (Arrays<I>{a.row_ptrs, a.col_idxs, {0, 1, 2, 3, 4, 5, 6, 7}}));
        EXPECT_EQ(selected(exec, a, {0, 3, 0, 4, INT64_MIN, 0}), (Arrays<I>{{0, 1, 2, 4}, {0, 1, 0, 2}, {0, 4, 5, 6}}));
        EXPECT_EQ(selected(exec, a, {0, 3, 0, 4, 1}), (Arrays<I>{{0, 2, 3, 4}, {1, 3, 2, 3}, {1, 2, 3, 7}}));
        EXPECT_EQ(selected(exec, a, {1, 3, 1, 3}), (Arrays<I>{{0, 2, 3}, {1, 0, 1}, {3, 4, 6}}));
        EXPECT_EQ(selected(exec, a, {1, 3, 1, 3, 1, 1}), (Arrays<I>{{0, 1, 1}, {1}, {3}}));
        EXPECT_EQ(selected(exec, a, {2, 2, 1, 3}), (Arrays<I>{{0}, {}, {}}));
        // Blocks {0, 1} and {2, 3}; blocks {0, 1, 2} and {3, 4}, of which rows and columns from 1 on.
        EXPECT_EQ(selected(exec, a, {.row_begin = 0, .row_end = 3, .col_begin = 0, .col_end = 4, .blocks = {2}}),
                  (Arrays<I>{{0, 2, 3, 5}, {0, 1, 1, 2, 3}, {0, 1, 4, 6, 7}}));
        EXPECT_EQ(selected(exec, a, {.row_begin = 1, .row_end = 3, .col_begin = 1, .col_end = 4, .blocks = {2, 1}}),
                  (Arrays<I>{{0, 2, 3}, {1, 0, 1}, {3, 4, 6}}));
    });
}

/// Three blocks of 4 rows and then blocks of 3.
TEST(RowBlocks, TheFirstAreLonger)
{
    constexpr RowBlocks blocks{3, 3};
    constexpr size_type expected[] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4};
    for (size_type row = 0; row < 16; ++row) {
        EXPECT_EQ(blocks.block_of(row), expected[row]) << row;
        EXPECT_EQ(RowBlocks{}.block_of(row), 0);
        EXPECT_EQ(RowBlocks{1}.block_of(row), row);
    }
}

TYPED_TEST(PatternSelect, LikeReference)
{
    using I = TypeParam;
    for_each_disordered_pattern<I>(704, [](const HostPattern<I>& a) {
        const auto [rows, cols] = a.size;
        for (const auto& which : {PatternSelection{0, rows, 0, cols, INT64_MIN, -1},
                                  PatternSelection{rows / 3, rows - rows / 4, cols / 5, cols - cols / 3, -rows / 2},
                                  PatternSelection{0, rows, 0, cols, -40, 50, {7, 5}}}) {
            expect_equal_to_reference([&](const Executor& exec) { return selected(exec, a, which); });
        }
    });
}

TYPED_TEST(PatternSelect, LongRow)
{
    using I = TypeParam;
    const auto a = one_long_row<I>();
    expect_equal_to_reference([&](const Executor& exec) { return selected(exec, a, {1, 3, 5, 19990}); });
}

}  // namespace
}  // namespace linden::test
