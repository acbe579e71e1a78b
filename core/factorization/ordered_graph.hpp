#pragma once

#include <linden/views.hpp>

#include <numeric>
#include <vector>

#include "core/factorization/elimination_tree.hpp"

namespace linden::detail {

template <class I>
PatternView<I> view_of(const HostPattern<I>& a)
{
    return {a.rows(), a.rows(), a.num_nonzeros(), a.row_ptrs.data(), a.col_idxs.data()};
}

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

/// Whether an odd number of swaps makes `order` of 0, 1, ...
template <class I>
bool is_odd(const std::vector<I>& order)
{
    std::vector<char> seen(order.size(), 0);
    bool odd = false;
    for (std::size_t i = 0; i < order.size(); ++i) {
        for (auto j = i; seen[j] == 0; j = static_cast<std::size_t>(order[j])) {
            seen[j] = 1;
            odd ^= static_cast<std::size_t>(order[j]) != i;
        }
    }
    return odd;
}

/// The transpose of a square pattern, rows sorted; rows of `a` need not be. name_of(j): what column j of `a` is called.
template <class I, class NameOf>
HostPattern<I> transpose_of(PatternView<I> a, const NameOf& name_of)
{
    HostPattern<I> t;
    t.row_ptrs.assign(static_cast<std::size_t>(a.rows) + 1, 0);
    t.col_idxs.resize(static_cast<std::size_t>(a.num_nonzeros));
    for (size_type k = 0; k < a.num_nonzeros; ++k) {
        ++t.row_ptrs[name_of(a.col_idxs[k]) + 1];
    }
    std::partial_sum(t.row_ptrs.begin(), t.row_ptrs.end(), t.row_ptrs.begin());
    std::vector<I> next(t.row_ptrs.begin(), t.row_ptrs.end() - 1);
    for (I i = 0; i < static_cast<I>(a.rows); ++i) {
        for (I k = a.row_ptrs[i]; k < a.row_ptrs[i + 1]; ++k) {
            t.col_idxs[next[name_of(a.col_idxs[k])]++] = i;
        }
    }
    return t;
}

/// A symmetric pattern with rows and columns `order`, rows sorted.
template <class I>
HostPattern<I> permuted(const HostPattern<I>& a, const std::vector<I>& order, const std::vector<I>& place)
{
    HostPattern<I> p;
    p.row_ptrs.reserve(order.size() + 1);
    for (const I row : order) {
        p.row_ptrs.push_back(p.row_ptrs.back() + a.row_ptrs[row + 1] - a.row_ptrs[row]);
    }
    p.col_idxs.resize(a.col_idxs.size());
    std::vector<I> next(p.row_ptrs.begin(), p.row_ptrs.end() - 1);
    for (I i = 0; i < static_cast<I>(order.size()); ++i) {  // The columns of row i are the rows with column i.
        for (I k = a.row_ptrs[order[i]]; k < a.row_ptrs[order[i] + 1]; ++k) {
            p.col_idxs[next[place[a.col_idxs[k]]]++] = i;
        }
    }
    return p;
}

/// An order with its tree in postorder, and the factor's columns.
template <class I>
struct OrderedGraph {
    /// a: a symmetric pattern.
    OrderedGraph(const HostPattern<I>& a, std::vector<I> first_order) : order(first_order.size()), parent(order.size())
    {
        const auto first_parent = elimination_tree(a, first_order, inverse_of(first_order));
        const auto post = postorder(first_parent);
        const auto new_place = inverse_of(post);
        for (std::size_t k = 0; k < post.size(); ++k) {
            const I up = first_parent[post[k]];
            order[k] = first_order[post[k]];
            parent[k] = up < 0 ? I{-1} : new_place[up];
        }
        graph = permuted(a, order, inverse_of(order));
        counts = column_counts(graph, parent);
    }
    size_type fill() const { return std::accumulate(counts.begin(), counts.end(), size_type{0}); }

    std::vector<I> order;
    HostPattern<I> graph;
    std::vector<I> parent;
    std::vector<size_type> counts;
};

}  // namespace linden::detail
