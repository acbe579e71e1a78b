#include "core/kernels/breadth_first_search.hpp"

#include <algorithm>

#include "test/support/kernel_cases.hpp"
#include "test/support/patterns.hpp"

/// Searches of graphs, breadth first.
namespace linden::test {
namespace {

template <class I>
class BreadthFirstSearch : public testing::Test {
};
TYPED_TEST_SUITE(BreadthFirstSearch, TestedIndices);

/// A graph's rows.
template <class I>
struct Graph {
    std::vector<I> row_ptrs, col_idxs;
    size_type rows() const { return static_cast<size_type>(row_ptrs.size()) - 1; }
};

/// Of edges in both directions, rows sorted.
template <class I>
Graph<I> graph_of(size_type rows, std::vector<std::pair<size_type, size_type>> edges)
{
    for (std::size_t i = 0, count = edges.size(); i < count; ++i) {
        edges.emplace_back(edges[i].second, edges[i].first);
    }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    Graph<I> graph{std::vector<I>(static_cast<std::size_t>(rows) + 1, 0), {}};
    for (const auto& [row, col] : edges) {
        ++graph.row_ptrs[row + 1];
        graph.col_idxs.push_back(static_cast<I>(col));
    }
    for (size_type row = 0; row < rows; ++row) {
        graph.row_ptrs[row + 1] += graph.row_ptrs[row];
    }
    return graph;
}

template <class I>
struct Found {
    SearchCounts counts;
    std::vector<I> order, parents, level_ptrs;
    bool operator==(const Found& other) const
    {
        return order == other.order && parents == other.parents && level_ptrs == other.level_ptrs;
    }
};

/// The whole search where there is a kernel for it, else as many levels as `num_levels` and one more.
template <class I>
Found<I> search(const Executor& exec, const Graph<I>& graph, const std::vector<I>& roots, const std::vector<I>& parts,
                size_type num_levels, SearchLimits limits = {})
{
    const size_type n = graph.rows();
    const Array<I> row_ptrs(exec, graph.row_ptrs), col_idxs(exec, graph.col_idxs), root(exec, roots);
    const Array<I> part(exec, parts);
    Array<I> order(exec, n), parents(exec, n), level_ptrs(exec, n + 2);
    Array<std::byte> memory(exec, breadth_first_workspace_bytes);
    const SearchView<I> view{
        {n, n, col_idxs.size(), row_ptrs.data(), col_idxs.data()}, order.data(), level_ptrs.data(), parents.data()};
    breadth_first_start<I>(exec, root.size(), root.data(), parts.empty() ? nullptr : part.data(), view);
    Found<I> found;
    if (num_levels < 0) {
        Array<SearchCounts> counts(exec, 1);
        breadth_first_search<I>(exec, view, limits, counts.data(), {memory.data(), memory.size()});
        found.counts = counts.to_host().front();
    } else {
        for (size_type level = 0; level < num_levels; ++level) {
            breadth_first_level<I>(exec, view, level, {memory.data(), memory.size()});
        }
        found.counts = {num_levels, 0, 0};
        found.counts.num_found = level_ptrs.to_host()[num_levels];
    }
    found.order = order.to_host();
    found.order.resize(static_cast<std::size_t>(found.counts.num_found));
    found.parents = parents.to_host();
    found.level_ptrs = level_ptrs.to_host();
    found.level_ptrs.resize(static_cast<std::size_t>(found.counts.num_levels) + 1);
    return found;
}

/// Both kernels, where an executor has them, find what the reference does.
template <class I>
void expect_same_everywhere(const Graph<I>& graph, const std::vector<I>& roots, const std::vector<I>& parts = {})
{
    const auto expected = search(reference_executor(), graph, roots, parts, -1);
    on_each_executor([&](const Executor& exec) {
        const auto backend = exec.state().backend();
        if (breadth_first_search<I>.available(backend)) {
            const auto found = search(exec, graph, roots, parts, -1);
            EXPECT_EQ(found.counts.num_levels, expected.counts.num_levels);
            EXPECT_EQ(found.counts.num_found, expected.counts.num_found);
            EXPECT_EQ(found.counts.was_ended, 0);
            EXPECT_TRUE(found == expected);
        }
        if (breadth_first_level<I>.available(backend)) {
            EXPECT_TRUE(search(exec, graph, roots, parts, expected.counts.num_levels) == expected);
        }
    });
}

TYPED_TEST(BreadthFirstSearch, ByHand)
{
    using I = TypeParam;
    // 4 leads to 1 and 3; both of these to 0, and 3 to 2. Vertex 5 is alone.
    const auto graph = graph_of<I>(6, {{4, 3}, {4, 1}, {1, 0}, {3, 0}, {3, 2}, {4, 4}});
    const auto found = search(reference_executor(), graph, {4}, {}, -1);
    EXPECT_EQ(found.order, (std::vector<I>{4, 1, 3, 0, 2}));
    EXPECT_EQ(found.level_ptrs, (std::vector<I>{0, 1, 3, 5}));
    EXPECT_EQ(found.parents, (std::vector<I>{1, 0, 2, 0, search_root<I>, search_not_found<I>}));
    expect_same_everywhere<I>(graph, {4});
    expect_same_everywhere<I>(graph, {5, 2}, {1, 1, 1, 1, 1, 0});
    expect_same_everywhere<I>(graph_of<I>(1, {}), {0});
}

/// Narrow and wide levels, hubs, whose rows a block of threads takes together, and several parts.
TYPED_TEST(BreadthFirstSearch, OfManyGraphs)
{
    using I = TypeParam;
    Random random(19);
    for (const size_type n : {40, 3000, 70000}) {
        std::vector<std::pair<size_type, size_type>> edges;
        for (size_type i = 1; i < n; ++i) {
            edges.emplace_back(i, random.integer(std::max<size_type>(0, i - 500), i));
            edges.emplace_back(i, random.integer(std::max<size_type>(0, i - 500), i));
        }
        expect_same_everywhere<I>(graph_of<I>(n, edges), {static_cast<I>(n / 3)});
        for (size_type i = 0; i < n; i += 2) {
            edges.emplace_back(n / 2, i);
            edges.emplace_back(n / 5, i + i % 4);
        }
        edges.erase(std::remove_if(edges.begin(), edges.end(), [&](auto e) { return e.first >= n || e.second >= n; }),
                    edges.end());
        expect_same_everywhere<I>(graph_of<I>(n, edges), {static_cast<I>(n - 1)});
    }
    const size_type n = 5000;  // seven parts, vertices of which alternate
    std::vector<std::pair<size_type, size_type>> edges;
    std::vector<I> parts(n), roots;
    for (size_type i = 0; i < n; ++i) {
        parts[i] = static_cast<I>(i % 7);
        if (i + 7 < n) {
            edges.emplace_back(i, i + 7);
            edges.emplace_back(i, i % 7 + 7 * random.integer(0, i / 7 + 1));
        }
    }
    for (size_type part = 0; part < 7; ++part) {
        roots.push_back(static_cast<I>(part + 7 * random.integer(0, 100)));
    }
    expect_same_everywhere<I>(graph_of<I>(n, edges), roots, parts);
}

TYPED_TEST(BreadthFirstSearch, EndsAtItsLimits)
{
    using I = TypeParam;
    std::vector<std::pair<size_type, size_type>> path;
    for (size_type i = 0; i + 1 < 1000; ++i) {
        path.emplace_back(i, i + 1);
    }
    const auto graph = graph_of<I>(1000, path);
    on_each_executor([&](const Executor& exec) {
        if (breadth_first_search<I>.available(exec.state().backend())) {
            const auto ended = search(exec, graph, {I{0}}, {}, -1, {.levels = 100, .vertices_each = 2});
            EXPECT_EQ(ended.counts.was_ended, 1);
            EXPECT_EQ(ended.counts.num_levels, 100);
            EXPECT_EQ(ended.counts.num_found, 101);
            EXPECT_EQ(search(exec, graph, {I{0}}, {}, -1, {.levels = 100, .vertices_each = 1}).counts.was_ended, 0);
        }
    });
}

TYPED_TEST(BreadthFirstSearch, FarthestOfEachPart)
{
    using I = TypeParam;
    // Part 0: the path 3 - 0 - 5 from 3; part 1: 1 with 2 and 4.
    const auto graph = graph_of<I>(6, {{3, 0}, {0, 5}, {1, 2}, {1, 4}});
    on_each_executor([&](const Executor& exec) {
        const Array<I> row_ptrs(exec, graph.row_ptrs), col_idxs(exec, graph.col_idxs);
        Array<I> order(exec, std::vector<I>{3, 1, 0, 2, 4, 5}), level_ptrs(exec, std::vector<I>{0, 2, 5, 6, 6, 6, 6});
        const Array<I> part_ptrs(exec, std::vector<I>{0, 3, 6}), places(exec, std::vector<I>{0, 2, 5, 1, 3, 4});
        Array<I> found(exec, 4), parents(exec, 6);
        const SearchView<I> view{
            {6, 6, 8, row_ptrs.data(), col_idxs.data()}, order.data(), level_ptrs.data(), parents.data()};
        breadth_first_farthest<I>(exec, {2, part_ptrs.data(), places.data()}, view, 3, found.data(), found.data() + 2);
        EXPECT_EQ(found.to_host(), (std::vector<I>{3, 2, 5, 2}));
        const Array<I> one_part(exec, std::vector<I>{0, 5});  // without vertex 5: the last level has three
        breadth_first_farthest<I>(exec, {1, one_part.data(), nullptr}, view, 2, found.data(), found.data() + 1);
        const auto whole = found.to_host();
        EXPECT_EQ(whole[0], 2);
        EXPECT_EQ(whole[1], 0);
    });
}

}  // namespace
}  // namespace linden::test
