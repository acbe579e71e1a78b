#include <linden/matrix_data.hpp>

#include "core/kernels/jacobi.hpp"
#include "test/support/kernel_cases.hpp"

namespace linden::test {
namespace {

using size_vector = std::vector<size_type>;

template <class I>
class BlockJacobiFindBlocks : public testing::Test {
};
using TestedIndices = decltype(detail::as_types(IndexTypes{}));
TYPED_TEST_SUITE(BlockJacobiFindBlocks, TestedIndices);

/// The columns of each row.
template <class I>
using Pattern = std::vector<std::vector<I>>;

struct Found {
    size_vector block_ptrs, value_ptrs;
    size_type max_size;
    friend bool operator==(const Found&, const Found&) = default;
};

template <class I>
Found find(const Executor& exec, const Pattern<I>& pattern, size_type max_size)
{
    std::vector<I> row_ptrs{0};
    std::vector<I> col_idxs;
    for (const auto& row : pattern) {
        col_idxs.insert(col_idxs.end(), row.begin(), row.end());
        row_ptrs.push_back(static_cast<I>(col_idxs.size()));
    }
    const auto rows = static_cast<size_type>(pattern.size());
    const Array<I> row_ptrs_here(exec, row_ptrs);
    const Array<I> col_idxs_here(exec, col_idxs);
    Array<size_type> block_ptrs(exec, rows + 1);
    Array<size_type> value_ptrs(exec, rows + 1);
    Array<DiagonalBlockCounts> counts(exec, 1);
    Array<std::byte> workspace(exec, find_blocks_workspace_bytes(rows));
    block_jacobi_find_blocks<I>(exec, {rows, rows, col_idxs_here.size(), row_ptrs_here.data(), col_idxs_here.data()},
                                max_size, block_ptrs.data(), value_ptrs.data(), counts.data(),
                                {workspace.data(), workspace.size()});
    const auto found = counts.to_host().front();
    Found result{block_ptrs.to_host(), value_ptrs.to_host(), found.max_size};
    result.block_ptrs.resize(static_cast<std::size_t>(found.num_blocks + 1));
    result.value_ptrs.resize(static_cast<std::size_t>(found.num_blocks + 1));
    EXPECT_EQ(found.num_values, result.value_ptrs.back());
    return result;
}

TYPED_TEST(BlockJacobiFindBlocks, RunsOfEqualRows)
{
    // Natural blocks of two and three rows.
    const Pattern<TypeParam> pattern{{0, 1}, {0, 1}, {1, 3, 4}, {1, 3, 4}, {1, 3, 4}};
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(find(exec, pattern, 1), (Found{{0, 1, 2, 3, 4, 5}, {0, 1, 2, 3, 4, 5}, 1}));
        EXPECT_EQ(find(exec, pattern, 2), (Found{{0, 2, 4, 5}, {0, 4, 8, 9}, 2})) << "runs are cut";
        EXPECT_EQ(find(exec, pattern, 3), (Found{{0, 2, 5}, {0, 4, 13}, 3}));
        EXPECT_EQ(find(exec, pattern, 4), (Found{{0, 2, 5}, {0, 4, 13}, 3})) << "runs stay whole";
        EXPECT_EQ(find(exec, pattern, 5), (Found{{0, 5}, {0, 25}, 5})) << "short runs share a block";
    });
}

TYPED_TEST(BlockJacobiFindBlocks, CutRunsShareTheirRest)
{
    // A run of five and a run of one: the fifth row goes with the sixth.
    const Pattern<TypeParam> pattern{{0}, {0}, {0}, {0}, {0}, {5}};
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(find(exec, pattern, 2), (Found{{0, 2, 4, 6}, {0, 4, 8, 12}, 2}));
        EXPECT_EQ(find(exec, pattern, 4), (Found{{0, 4, 6}, {0, 16, 20}, 4}));
    });
}

TYPED_TEST(BlockJacobiFindBlocks, RowsOfEqualLengthMayDiffer)
{
    const Pattern<TypeParam> pattern{{0, 1}, {0, 2}, {0, 2}, {1, 2}, {1, 2}, {1, 2}};
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(find(exec, pattern, 3), (Found{{0, 3, 6}, {0, 9, 18}, 3}));
        EXPECT_EQ(find(exec, pattern, 2), (Found{{0, 1, 3, 5, 6}, {0, 1, 5, 9, 10}, 2}));
    });
}

TYPED_TEST(BlockJacobiFindBlocks, EmptyRowsAreAlike)
{
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(find(exec, Pattern<TypeParam>(5), 3), (Found{{0, 3, 5}, {0, 9, 13}, 3}));
        EXPECT_EQ(find(exec, Pattern<TypeParam>{}, 3), (Found{{0}, {0}, 0}));
    });
}

/// Runs of one to six rows with the same random columns.
template <class I>
Pattern<I> random_runs(Random& random, size_type rows)
{
    Pattern<I> pattern;
    while (static_cast<size_type>(pattern.size()) < rows) {
        std::vector<I> row;
        for (const auto col : detail::distinct_columns(random, rows, std::min(rows, random.integer(0, 6)))) {
            row.push_back(static_cast<I>(col));
        }
        const auto run = std::min(rows - static_cast<size_type>(pattern.size()), random.integer(1, 7));
        pattern.insert(pattern.end(), static_cast<std::size_t>(run), row);
    }
    return pattern;
}

TYPED_TEST(BlockJacobiFindBlocks, LikeReference)
{
    Random random(303);
    for (const auto rows : tested_rows) {
        const auto pattern = random_runs<TypeParam>(random, rows);
        for (const size_type max_size : {1, 3, 8, 32}) {
            const auto expected = find(reference_executor(), pattern, max_size);
            on_each_other_executor([&](const Executor& exec) { EXPECT_EQ(find(exec, pattern, max_size), expected); });
        }
    }
}

}  // namespace
}  // namespace linden::test
