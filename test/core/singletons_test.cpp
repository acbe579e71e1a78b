// needs: double int32
#include "core/factorization/singletons.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "core/factorization/ordered_graph.hpp"
#include "test/support/host_pattern.hpp"
#include "test/support/random.hpp"
#include "test/support/random_order.hpp"

/// Pivots that fill nothing in.
namespace linden::test {
namespace {

using I = std::int32_t;
using linden::detail::HostPattern;

std::vector<I> singletons(const HostPattern<I>& a, const std::vector<I>& columns)
{
    return linden::detail::singletons<I>(linden::detail::view_of(a), columns);
}

/// Whether the row or the column of each of these pivots has nothing else in what is left.
bool are_alone(const HostPattern<I>& a, const std::vector<I>& columns, const std::vector<I>& pivots)
{
    const auto place = linden::detail::inverse_of(columns);
    std::vector<char> is_gone(columns.size(), 0);
    for (const I pivot : pivots) {
        int in_row = 0, in_column = 0;
        for (I row = 0; row < static_cast<I>(columns.size()); ++row) {
            for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
                const I other = place[a.col_idxs[k]];
                const bool is_left = is_gone[row] == 0 && is_gone[other] == 0 && other != row;
                in_row += is_left && row == pivot ? 1 : 0;
                in_column += is_left && other == pivot ? 1 : 0;
            }
        }
        if (in_row > 0 && in_column > 0) {
            return false;
        }
        is_gone[pivot] = 1;
    }
    return true;
}

TEST(Singletons, ByHand)
{
    // Row 2 has its diagonal alone; then column 1 has, in which row 2 was the other entry; rows 0, 3 and 4 are a cycle.
    const auto a = pattern_of({{0, 3}, {0, 1, 4}, {2}, {3, 4}, {0, 2, 4}});
    EXPECT_EQ(singletons(a, {0, 1, 2, 3, 4}), (std::vector<I>{1, 2}));
    // The same with its columns in another order
    const auto b = pattern_of({{2, 1}, {2, 3, 0}, {4}, {1, 0}, {2, 4, 0}});
    EXPECT_EQ(singletons(b, {2, 3, 4, 1, 0}), (std::vector<I>{1, 2}));
}

TEST(Singletons, AreAllRowsOfTriangularMatrices)
{
    Random random(1);
    constexpr I n = 60;
    const auto rows = random_order(random, n), columns = random_order(random, n);
    std::vector<std::vector<I>> a(n);
    std::vector<I> matched(n);
    for (I i = 0; i < n; ++i) {
        matched[rows[i]] = columns[i];
        a[rows[i]].push_back(columns[i]);
        for (I j = i + 1; j < n; ++j) {
            if (j == i + 1 || random.integer(0, 10) == 0) {
                a[rows[i]].push_back(columns[j]);
            }
        }
    }
    const auto pattern = pattern_of(a);
    auto found = singletons(pattern, matched);
    EXPECT_TRUE(are_alone(pattern, matched, found));
    std::sort(found.begin(), found.end());
    std::vector<I> all(n);
    std::iota(all.begin(), all.end(), I{0});
    EXPECT_EQ(found, all);
}

TEST(Singletons, AreAloneWhenTheyAreEliminated)
{
    Random random(2);
    for (int trial = 0; trial < 20; ++trial) {
        const I n = 40;
        const auto matched = random_order(random, n);
        std::vector<std::vector<I>> rows(n);
        for (I i = 0; i < n; ++i) {
            for (I j = 0; j < n; ++j) {
                if (j == matched[i] || random.integer(0, n) < 1) {
                    rows[i].push_back(j);
                }
            }
        }
        const auto a = pattern_of(rows);
        const auto found = singletons(a, matched);
        EXPECT_FALSE(found.empty());
        EXPECT_TRUE(are_alone(a, matched, found));
        auto distinct = found;
        std::sort(distinct.begin(), distinct.end());
        EXPECT_EQ(std::unique(distinct.begin(), distinct.end()), distinct.end());
    }
}

TEST(Singletons, AreLeftWhereTheyAreFew)
{
    // A cycle of 99 rows, and one more that has entries in it and is in no other row
    std::vector<std::vector<I>> rows;
    for (I i = 0; i < 99; ++i) {
        rows.push_back({i, (i + 1) % 99});
    }
    rows.push_back({0, 5, 99});
    std::vector<I> columns(100);
    std::iota(columns.begin(), columns.end(), I{0});
    EXPECT_TRUE(singletons(pattern_of(rows), columns).empty());
    EXPECT_TRUE(singletons(pattern_of({{0}, {1}, {2}}), {0, 1, 2}).empty());  // isolated ones are in nobody's way
}

TEST(Singletons, LeaveASubgraph)
{
    const auto graph = pattern_of({{0, 2, 3}, {1, 2}, {0, 1, 2}, {0, 3}});
    const auto rest = linden::detail::graph_without(graph, {2});
    EXPECT_EQ(rest.names, (std::vector<I>{0, 1, 3}));
    EXPECT_EQ(rest.graph.row_ptrs, (std::vector<I>{0, 2, 3, 5}));
    EXPECT_EQ(rest.graph.col_idxs, (std::vector<I>{0, 2, 1, 0, 2}));
}

}  // namespace
}  // namespace linden::test
