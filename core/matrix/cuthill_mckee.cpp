#include <linden/reorder/cuthill_mckee.hpp>

#include <linden/error.hpp>

#include <algorithm>

#include "core/matrix/cuthill_mckee.hpp"
#include "core/matrix/pattern_arithmetic.hpp"
#include "core/matrix/pattern_operations.hpp"
#include "core/matrix/square.hpp"

// instantiate: std::vector<I> reverse_cuthill_mckee<V, I>(const Csr<V, I>&)
// instantiate: std::vector<I> detail::cuthill_mckee_order<I>(const Executor&, PatternView<I>)

namespace linden {
namespace detail {
namespace {

/// What a breadth-first search found.
struct Levels {
    size_type count = 1;
    std::size_t last = 0;  ///< where the last of them begins
};

/// A graph on the host, searched from one vertex after the other.
template <class I>
class Graph {
public:
    Graph(std::vector<I> row_ptrs, std::vector<I> col_idxs)
        : row_ptrs_(std::move(row_ptrs)),
          col_idxs_(std::move(col_idxs)),
          seen_(row_ptrs_.size() - 1, 0)
    {
    }

    I num_vertices() const { return static_cast<I>(seen_.size()); }
    I degree(I vertex) const { return row_ptrs_[vertex + 1] - row_ptrs_[vertex]; }

    /// order := the vertices that `root` reaches, breadth first, neighbours by degree.
    Levels search(I root, std::vector<I>& order)
    {
        ++round_;
        order.clear();
        Levels levels;
        std::size_t next_level = 1;
        const auto visit = [&](I vertex) {
            seen_[vertex] = round_;
            order.push_back(vertex);
        };
        visit(root);
        for (std::size_t at = 0; at < order.size(); ++at) {
            if (at == next_level) {
                ++levels.count;
                levels.last = at;
                next_level = order.size();
            }
            const auto first = order.size();
            for (I k = row_ptrs_[order[at]]; k < row_ptrs_[order[at] + 1]; ++k) {
                if (seen_[col_idxs_[k]] != round_) {
                    visit(col_idxs_[k]);
                }
            }
            std::sort(order.begin() + static_cast<std::ptrdiff_t>(first), order.end(),
                      [&](I a, I b) { return degree(a) != degree(b) ? degree(a) < degree(b) : a < b; });
        }
        return levels;
    }

    /// Of the vertices from `first` on, one of least degree.
    I least_degree(const std::vector<I>& order, std::size_t first) const
    {
        return *std::min_element(order.begin() + static_cast<std::ptrdiff_t>(first), order.end(),
                                 [&](I a, I b) { return degree(a) != degree(b) ? degree(a) < degree(b) : a < b; });
    }

private:
    std::vector<I> row_ptrs_, col_idxs_;
    std::vector<int> seen_;  ///< the last round that came to a vertex
    int round_ = 0;
};

/// A vertex far from some other: it moves to the end of its search as long as that has more levels. [GeorgeLiu81, 4.3]
template <class I>
I peripheral_vertex(Graph<I>& graph, I start, std::vector<I>& order)
{
    Levels levels = graph.search(start, order);
    for (;;) {
        const I far = graph.least_degree(order, levels.last);
        const Levels found = graph.search(far, order);
        if (found.count <= levels.count) {
            return far;
        }
        levels = found;
    }
}

}  // namespace

template <class I>
std::vector<I> cuthill_mckee_order(const Executor& exec, PatternView<I> a)
{
    const auto transposed = transposed_pattern<I>(exec, a);
    const auto both = sum_of_patterns<I>(exec, a, transposed.view(), "the graph");
    Graph<I> graph(both.row_ptrs.to_host(), both.col_idxs.to_host());
    std::vector<I> order, part;
    order.reserve(static_cast<std::size_t>(graph.num_vertices()));
    std::vector<char> is_done(static_cast<std::size_t>(graph.num_vertices()), 0);
    for (I vertex = 0; vertex < graph.num_vertices(); ++vertex) {
        if (is_done[vertex]) {
            continue;
        }
        const I root = peripheral_vertex(graph, vertex, part);
        graph.search(root, part);
        for (const I member : part) {
            is_done[member] = 1;
        }
        order.insert(order.end(), part.begin(), part.end());
    }
    std::reverse(order.begin(), order.end());
    return order;
}

}  // namespace detail

template <class V, class I>
std::vector<I> reverse_cuthill_mckee(const Csr<V, I>& a)
{
    detail::square("reverse_cuthill_mckee", a.size());
    return detail::cuthill_mckee_order<I>(a.executor(), a.view());
}

}  // namespace linden
