// needs: double int32
#include <linden/io/problems.hpp>
#include <linden/matrix/operations.hpp>
#include <linden/matrix/permutation.hpp>
#include <linden/reorder/cuthill_mckee.hpp>

#include <algorithm>
#include <set>

#include "core/matrix/cuthill_mckee.hpp"
#include "test/support/compare.hpp"
#include "test/support/random_order.hpp"

/// Orders of Cuthill and McKee are those of a search from one vertex after the other.
namespace linden::test {
namespace {

using I = std::int32_t;
using Graph = std::vector<std::set<I>>;

Graph graph_of(const CsrData<double, I>& a)
{
    Graph graph(static_cast<std::size_t>(a.size.rows));
    for (I row = 0; row < a.size.rows; ++row) {
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            graph[row].insert(a.col_idxs[k]);
            graph[a.col_idxs[k]].insert(row);
        }
    }
    return graph;
}

/// The vertices in the order in which they are found from a root, level after level.
std::vector<std::vector<I>> levels_from(const Graph& graph, I root)
{
    std::vector<std::vector<I>> levels{{root}};
    std::set<I> seen{root};
    const auto by_degree = [&](I a, I b) { return std::pair(graph[a].size(), a) < std::pair(graph[b].size(), b); };
    while (!levels.back().empty()) {
        std::vector<I> next;
        for (const I vertex : levels.back()) {
            std::vector<I> children;
            std::copy_if(graph[vertex].begin(), graph[vertex].end(), std::back_inserter(children),
                         [&](I other) { return seen.insert(other).second; });
            std::sort(children.begin(), children.end(), by_degree);
            next.insert(next.end(), children.begin(), children.end());
        }
        levels.push_back(next);
    }
    levels.pop_back();
    return levels;
}

std::vector<I> naive_order(const CsrData<double, I>& a)
{
    const auto graph = graph_of(a);
    std::vector<I> order;
    std::vector<char> is_done(graph.size(), 0);
    for (I row = 0; row < a.size.rows; ++row) {
        if (is_done[row] != 0) {
            continue;
        }
        auto levels = levels_from(graph, row);
        for (std::size_t before = 0; levels.size() > before;) {
            before = levels.size();
            const I far = *std::min_element(levels.back().begin(), levels.back().end(), [&](I one, I other) {
                return std::pair(graph[one].size(), one) < std::pair(graph[other].size(), other);
            });
            levels = levels_from(graph, far);
        }
        for (const auto& level : levels) {
            for (const I vertex : level) {
                is_done[vertex] = 1;
                order.push_back(vertex);
            }
        }
    }
    std::reverse(order.begin(), order.end());
    return order;
}

void expect_naive_order(const CsrData<double, I>& a)
{
    const auto expected = naive_order(a);
    on_each_executor([&](const Executor& exec) {
        const Csr<double, I> matrix(exec, a);
        EXPECT_EQ(reverse_cuthill_mckee(matrix), expected);
        // levels that are few for the host
        EXPECT_EQ(linden::detail::cuthill_mckee_rows<I>(exec, matrix.view(), {3, 1000000}).to_host(), expected);
    });
}

TEST(CuthillMckeeOrder, OfMeshes)
{
    for (const auto* problem : {"lap2d:60", "lap3d:12", "st27:9", "aniso2d:1:1", "lap2d:1"}) {
        SCOPED_TRACE(problem);
        const auto a = generate_problem<double, I>(problem);
        expect_naive_order(a);
        const Csr<double, I> matrix(reference_executor(), a);
        Random random(5);
        const Permutation<double, I> shuffle(reference_executor(), random_order(random, static_cast<I>(a.size.rows)));
        expect_naive_order(permute_symmetric(matrix, shuffle).to_host());
    }
}

/// Unsymmetric patterns, rows without entries, parts of all sizes.
TEST(CuthillMckeeOrder, OfManyParts)
{
    for (const size_type num_entries : {0, 300, 900, 1500, 4000, 20000}) {
        SCOPED_TRACE(num_entries);
        Random random(static_cast<std::uint64_t>(num_entries));
        constexpr size_type n = 2000;
        std::vector<std::set<I>> rows(n);
        for (size_type entry = 0; entry < num_entries; ++entry) {
            const auto row = random.integer(0, n);
            rows[row].insert(static_cast<I>(entry % 3 == 0 ? random.integer(0, n) : row + (row % 50 == 0 ? 0 : -1)));
        }
        CsrData<double, I> a{{n, n}, {0}, {}, {}};
        for (const auto& row : rows) {
            a.col_idxs.insert(a.col_idxs.end(), row.begin(), row.end());
            a.row_ptrs.push_back(static_cast<I>(a.col_idxs.size()));
        }
        a.values.assign(a.col_idxs.size(), 1);
        expect_naive_order(a);
    }
}

}  // namespace
}  // namespace linden::test
