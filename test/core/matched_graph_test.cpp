// needs: double int32
#include "core/factorization/matched_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "core/factorization/ordered_graph.hpp"
#include "test/support/host_pattern.hpp"
#include "test/support/random.hpp"
#include "test/support/random_order.hpp"

/// The graph that direct solvers eliminate, and its order.
namespace linden::test {
namespace {

using I = std::int32_t;
using linden::detail::HostPattern;

/// A random pattern of n rows, some of them empty.
HostPattern<I> random_pattern(Random& random, I n)
{
    HostPattern<I> a;
    for (I i = 0; i < n; ++i) {
        for (I j = 0; j < n; ++j) {
            if (i % 7 != 3 && random.integer(0, n) < 3) {
                a.col_idxs.push_back(j);
            }
        }
        a.row_ptrs.push_back(static_cast<I>(a.col_idxs.size()));
    }
    return a;
}

/// By the definition.
HostPattern<I> expected_graph(const HostPattern<I>& a, const std::vector<I>& columns)
{
    std::vector<std::set<I>> rows(columns.size());
    for (I i = 0; i < a.rows(); ++i) {
        rows[i].insert(i);
        for (I k = a.row_ptrs[i]; k < a.row_ptrs[i + 1]; ++k) {
            const I j = static_cast<I>(std::find(columns.begin(), columns.end(), a.col_idxs[k]) - columns.begin());
            rows[i].insert(j);
            rows[j].insert(i);
        }
    }
    return pattern_of(rows);
}

void expect_same(const HostPattern<I>& found, const HostPattern<I>& expected)
{
    EXPECT_EQ(found.row_ptrs, expected.row_ptrs);
    EXPECT_EQ(found.col_idxs, expected.col_idxs);
}

TEST(MatchedGraph, ByHand)
{
    // Rows {1, 2}, {0}, {}: with columns 1, 0, 2 on the diagonal, edges 0 - 2.
    const HostPattern<I> a{{0, 2, 3, 3}, {1, 2, 0}};
    const auto view = linden::detail::view_of(a);
    expect_same(linden::detail::matched_graph<I>(view, {1, 0, 2}), {{0, 2, 3, 5}, {0, 2, 1, 0, 2}});
    expect_same(linden::detail::matched_graph<I>(view, {0, 1, 2}), {{0, 3, 5, 7}, {0, 1, 2, 0, 1, 0, 2}});
    const HostPattern<I> empty;
    expect_same(linden::detail::matched_graph<I>(linden::detail::view_of(empty), {}), empty);
}

TEST(MatchedGraph, IsThatOfTheDefinition)
{
    Random random(3301);
    for (const I n : {1, 2, 5, 17, 40}) {
        const auto a = random_pattern(random, n);
        const auto columns = random_order(random, n);
        std::vector<I> same(static_cast<std::size_t>(n));
        std::iota(same.begin(), same.end(), I{0});
        const auto graph = linden::detail::matched_graph<I>(linden::detail::view_of(a), columns);
        expect_same(graph, expected_graph(a, columns));
        expect_same(linden::detail::matched_graph<I>(linden::detail::view_of(a), same), expected_graph(a, same));
        // A symmetric pattern with its diagonal is its own graph.
        expect_same(linden::detail::matched_graph<I>(linden::detail::view_of(graph), same), graph);
    }
}

TEST(OrderedGraph, HasTheTreeAndTheCountsOfItsGraph)
{
    Random random(3302);
    for (const I n : {1, 3, 12, 50}) {
        const auto a = random_pattern(random, n);
        std::vector<I> same(static_cast<std::size_t>(n));
        std::iota(same.begin(), same.end(), I{0});
        const auto graph = expected_graph(a, same);
        const linden::detail::OrderedGraph<I> found(graph, random_order(random, n));
        std::vector<std::set<I>> rows(static_cast<std::size_t>(n));
        const auto place = linden::detail::inverse_of(found.order);
        for (I i = 0; i < n; ++i) {
            for (I k = graph.row_ptrs[i]; k < graph.row_ptrs[i + 1]; ++k) {
                rows[place[i]].insert(place[graph.col_idxs[k]]);
            }
        }
        expect_same(found.graph, pattern_of(rows));
        EXPECT_EQ(found.parent, linden::detail::elimination_tree(found.graph));
        EXPECT_EQ(found.counts, linden::detail::column_counts(found.graph, found.parent));
        EXPECT_EQ(linden::detail::postorder(found.parent), same);
    }
}

}  // namespace
}  // namespace linden::test
