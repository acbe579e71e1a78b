#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/factorization/elimination_tree.hpp"

namespace linden::detail {

/// place[order[i]] = i
template <class I>
std::vector<I> inverse_of(const std::vector<I>& order)
{
    std::vector<I> place(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        place[order[i]] = static_cast<I>(i);
    }
    return place;
}

/// The pattern with rows and columns `order`.
template <class I>
HostPattern<I> permuted(const HostPattern<I>& a, const std::vector<I>& order)
{
    const auto place = inverse_of(order);
    HostPattern<I> p;
    p.row_ptrs.reserve(order.size() + 1);
    p.col_idxs.reserve(a.col_idxs.size());
    for (const I row : order) {
        const auto first = static_cast<std::ptrdiff_t>(p.col_idxs.size());
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            p.col_idxs.push_back(place[a.col_idxs[k]]);
        }
        std::sort(p.col_idxs.begin() + first, p.col_idxs.end());
        p.row_ptrs.push_back(static_cast<I>(p.col_idxs.size()));
    }
    return p;
}

/// An order with its tree in postorder, and the factor's columns.
template <class I>
struct OrderedGraph {
    OrderedGraph(const HostPattern<I>& a, std::vector<I> first_order) : order(std::move(first_order))
    {
        const auto post = postorder(elimination_tree(permuted(a, order)));
        std::vector<I> in_post;
        for (const I k : post) {
            in_post.push_back(order[k]);
        }
        order = std::move(in_post);
        graph = permuted(a, order);
        parent = elimination_tree(graph);
        counts = column_counts(graph, parent);
    }
    size_type fill() const { return std::accumulate(counts.begin(), counts.end(), size_type{0}); }

    std::vector<I> order;
    HostPattern<I> graph;
    std::vector<I> parent;
    std::vector<size_type> counts;
};

}  // namespace linden::detail
