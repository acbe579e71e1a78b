#include "core/deflation/nested_dissection.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "test/support/random.hpp"

namespace linden::test {
namespace {

using linden::detail::dissect;
using linden::detail::GalerkinPattern;
using linden::detail::NestedDissection;

using Edges = std::vector<std::pair<std::int32_t, std::int32_t>>;

/// The pattern of a symmetric matrix with these entries above its diagonal, or of that upper triangle.
GalerkinPattern pattern_of(std::int32_t rows, const Edges& edges, bool is_symmetric = true)
{
    std::vector<std::vector<std::int32_t>> cols(static_cast<std::size_t>(rows));
    for (std::int32_t row = 0; row < rows; ++row) {
        cols[row].push_back(row);
    }
    for (const auto& [a, b] : edges) {
        cols[a].push_back(b);
        if (is_symmetric) {
            cols[b].push_back(a);
        }
    }
    GalerkinPattern pattern{{0}, {}};
    for (auto& row : cols) {
        std::sort(row.begin(), row.end());
        pattern.col_idxs.insert(pattern.col_idxs.end(), row.begin(), row.end());
        pattern.row_ptrs.push_back(static_cast<std::int32_t>(pattern.col_idxs.size()));
    }
    return pattern;
}

Edges grid_edges(std::int32_t nx, std::int32_t ny)
{
    Edges edges;
    for (std::int32_t i = 0; i < nx * ny; ++i) {
        if (i % nx + 1 < nx) {
            edges.emplace_back(i, i + 1);
        }
        if (i + nx < nx * ny) {
            edges.emplace_back(i, i + nx);
        }
    }
    return edges;
}

/// An order of all rows, in whose parts before the separators no row has entries outside of its range and the
/// separators.
void expect_valid(const NestedDissection& d, const GalerkinPattern& a)
{
    const auto n = static_cast<std::size_t>(a.rows());
    ASSERT_EQ(d.order.size(), n);
    ASSERT_EQ(d.ranges.size(), n);
    ASSERT_EQ(d.part_ptrs.front(), 0);
    ASSERT_TRUE(std::is_sorted(d.part_ptrs.begin(), d.part_ptrs.end()));
    std::vector<std::int32_t> position(n, -1);
    for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(position[d.order[i]], -1);
        position[d.order[i]] = static_cast<std::int32_t>(i);
    }
    for (std::size_t part = 0; part + 1 < d.part_ptrs.size(); ++part) {
        for (auto i = d.part_ptrs[part]; i < d.part_ptrs[part + 1]; ++i) {
            ASSERT_EQ(d.ranges[i].begin, d.part_ptrs[part]);
            ASSERT_EQ(d.ranges[i].end, d.part_ptrs[part + 1]);
        }
    }
    for (std::int32_t row = 0; row < a.rows(); ++row) {
        for (auto k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            const auto i = position[row], j = position[a.col_idxs[k]];
            for (const auto& [from, to] : {std::pair(i, j), std::pair(j, i)}) {
                ASSERT_TRUE(to >= d.separators() || (d.ranges[from].begin <= to && to < d.ranges[from].end))
                    << "entry " << row << ", " << a.col_idxs[k];
            }
        }
    }
}

TEST(NestedDissection, LeavesSmallAndDenseMatricesWhole)
{
    for (const std::int32_t rows : {0, 1, 5, 300}) {
        const auto a = pattern_of(rows, {});
        const auto d = dissect(a);
        expect_valid(d, a);
        EXPECT_EQ(d.num_parts(), 1);
        EXPECT_EQ(d.separators(), rows);
        EXPECT_FALSE(linden::detail::nested_dissection_may_pay(rows, rows));
    }
    EXPECT_FALSE(linden::detail::nested_dissection_may_pay(600, 600 * 600));
    EXPECT_TRUE(linden::detail::nested_dissection_may_pay(600, 5 * 600));
    Edges all;
    for (std::int32_t i = 0; i < 600; ++i) {
        for (std::int32_t j = i + 1; j < 600; ++j) {
            all.emplace_back(i, j);
        }
    }
    EXPECT_EQ(dissect(pattern_of(600, all)).num_parts(), 1);
}

/// A band of two rows per block, as stripes of half a line of a grid have it, and the grid of boxes.
TEST(NestedDissection, TakesAFractionOfTheWords)
{
    const auto stripes = pattern_of(2048, grid_edges(2, 1024));
    const auto of_stripes = dissect(stripes);
    expect_valid(of_stripes, stripes);
    EXPECT_LT(of_stripes.words(), 2048 * 2048 / 10);
    EXPECT_LT(of_stripes.longest_part(), 200);

    const auto boxes = pattern_of(46 * 46, grid_edges(46, 46));
    const auto of_boxes = dissect(boxes);
    expect_valid(of_boxes, boxes);
    EXPECT_LT(of_boxes.words(), 46 * 46 * 46 * 46 / 3);
}

/// Words are those that a product reads: E(S, P) in ranges, E(P, P), and the columns of S.
TEST(NestedDissection, CountsWords)
{
    NestedDissection d;
    d.order = {0, 1, 2, 3};
    d.part_ptrs = {0, 1, 3};
    d.ranges = {{0, 1}, {1, 3}, {1, 3}, {0, 3}};
    EXPECT_EQ(d.words(), 1 + 2 + 2 + 3 + 4);
    EXPECT_EQ(d.longest_part(), 2);
}

/// Graphs in pieces, stars, patterns that are not symmetric.
TEST(NestedDissection, OfAnyPattern)
{
    Random random(967);
    for (const std::int32_t rows : {700, 1500}) {
        for (const int edges : {0, 300, 1200, 4000}) {
            for (const bool is_symmetric : {false, true}) {
                Edges list;
                for (int i = 0; i < edges; ++i) {
                    const auto a = static_cast<std::int32_t>(random.integer(0, rows - 2));
                    list.emplace_back(a, static_cast<std::int32_t>(random.integer(a + 1, rows - 1)));
                }
                std::sort(list.begin(), list.end());
                list.erase(std::unique(list.begin(), list.end()), list.end());
                const auto a = pattern_of(rows, list, is_symmetric);
                const auto d = dissect(a);
                expect_valid(d, a);
                EXPECT_LE(2 * (rows - d.separators()), rows);
                EXPECT_LE(d.words(), size_type{rows} * rows);
            }
        }
    }
    Edges star;
    for (std::int32_t i = 1; i < 900; ++i) {
        star.emplace_back(0, i);
    }
    const auto a = pattern_of(900, star);
    const auto d = dissect(a);
    expect_valid(d, a);
    EXPECT_EQ(d.separators(), 899);
    EXPECT_EQ(d.order.back(), 0);
}

}  // namespace
}  // namespace linden::test
