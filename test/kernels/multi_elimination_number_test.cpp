#include "test/support/multi_elimination.hpp"
#include "test/support/patterns.hpp"

namespace linden::test {
namespace {

template <class I>
class MultiEliminationNumber : public testing::Test {
};
TYPED_TEST_SUITE(MultiEliminationNumber, TestedIndices);

template <class I>
struct Marks {
    std::vector<I> rows, columns;

    bool operator==(const Marks&) const = default;
};

template <class I>
Marks<I> marks_of(const Executor& exec, const std::vector<I>& pivots)
{
    const Array<I> here(exec, pivots);
    Array<I> is_row(exec, std::vector<I>(pivots.size(), I{-7})), is_column(exec, std::vector<I>(pivots.size()));
    multi_elimination_mark<I>(exec, here.size(), here.data(), is_row.data(), is_column.data());
    return {is_row.to_host(), is_column.to_host()};
}

/// The numbers that follow from these marks.
template <class I>
HostLevel<I> numbered_on(const Executor& exec, const std::vector<I>& pivots, const Marks<I>& marks)
{
    const Array<I> here(exec, pivots);
    const Array<I> rows_before(exec, prefix_sums(marks.rows)), columns_before(exec, prefix_sums(marks.columns));
    const auto num_pivots = std::accumulate(marks.rows.begin(), marks.rows.end(), std::size_t{0});
    const std::vector<I> unwritten(pivots.size(), I{-7});
    const std::vector<I> unwritten_kept(pivots.size() - num_pivots, I{-7}), unwritten_pivots(num_pivots, I{-7});
    Array<I> rows(exec, unwritten), columns(exec, unwritten), pivot_rows(exec, unwritten_pivots);
    Array<I> kept_rows(exec, unwritten_kept), kept_columns(exec, unwritten_kept);
    multi_elimination_number<I>(
        exec, here.size(), here.data(), rows_before.data(), columns_before.data(),
        {rows.data(), columns.data(), kept_rows.data(), kept_columns.data(), pivot_rows.data()});
    return {
        pivots, rows.to_host(), columns.to_host(), kept_rows.to_host(), kept_columns.to_host(), pivot_rows.to_host()};
}

TYPED_TEST(MultiEliminationNumber, ByHand)
{
    using I = TypeParam;
    const auto level = example_level<I>();
    on_each_executor([&](const Executor& exec) {
        const auto marks = marks_of(exec, level.pivots);
        EXPECT_EQ(marks.rows, (std::vector<I>{0, 1, 0, 1, 1}));
        EXPECT_EQ(marks.columns, (std::vector<I>{1, 0, 0, 1, 1}));
        EXPECT_TRUE(numbered_on(exec, level.pivots, marks) == level);
    });
}

/// Where pivots are on the diagonal, the marks of rows do for columns.
TYPED_TEST(MultiEliminationNumber, OnTheDiagonal)
{
    using I = TypeParam;
    const std::vector<I> pivots{0, -1, 2, -1, -1};
    on_each_executor([&](const Executor& exec) {
        const Array<I> here(exec, pivots);
        Array<I> is_row(exec, std::vector<I>(5, I{-7}));
        multi_elimination_mark<I>(exec, 5, here.data(), is_row.data(), nullptr);
        EXPECT_EQ(is_row.to_host(), (std::vector<I>{1, 0, 1, 0, 0}));
        const HostLevel<I> level{pivots, {-1, 0, -2, 1, 2}, {-1, 0, -2, 1, 2}, {1, 3, 4}, {1, 3, 4}, {0, 2}};
        EXPECT_TRUE(numbered_on(exec, pivots, {is_row.to_host(), is_row.to_host()}) == level);
    });
}

/// Pivots in any columns, and those of the diagonal.
TYPED_TEST(MultiEliminationNumber, ByDefinition)
{
    using I = TypeParam;
    Random random(1701);
    const auto check = [](const std::vector<I>& pivots) {
        SCOPED_TRACE(std::to_string(pivots.size()) + " rows");
        Marks<I> marks{std::vector<I>(pivots.size()), std::vector<I>(pivots.size())};
        for (std::size_t row = 0; row < pivots.size(); ++row) {
            if (pivots[row] >= 0) {
                marks.rows[row] = 1;
                marks.columns[pivots[row]] = 1;
            }
        }
        on_each_executor([&](const Executor& exec) {
            EXPECT_TRUE(marks_of(exec, pivots) == marks);
            EXPECT_TRUE(numbered_on(exec, pivots, marks) == numbered(pivots));
        });
    };
    for (const auto n : tested_rows) {
        for (const double share : {0.0, 0.1, 0.6, 1.0}) {
            auto pivots = random_pivots<I>(random, n, share);
            check(pivots);
            for (size_type row = 0; row < n; ++row) {
                pivots[row] = pivots[row] >= 0 ? static_cast<I>(row) : I{-1};
            }
            check(pivots);
        }
    }
}

}  // namespace
}  // namespace linden::test
