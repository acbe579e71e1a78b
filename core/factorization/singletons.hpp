#pragma once

#include <linden/views.hpp>

#include <vector>

#include "core/factorization/elimination_tree.hpp"

namespace linden::detail {

/// Pivots (row, columns[row]) whose row or column has no other entry left when they are eliminated in this order, one
/// after the other: elimination of them fills nothing in. Those of triangular matrices are all rows. Empty where less
/// than a fiftieth of the rows are pivots of that kind: then they save less than it takes to set them apart.
/// a: n x n, in host memory; columns: a permutation. O(nnz).
template <class I>
std::vector<I> singletons(PatternView<I> a, const std::vector<I>& columns);

/// Vertices and the edges between them.
template <class I>
struct Subgraph {
    HostPattern<I> graph;
    std::vector<I> names;  ///< of its vertices in the whole graph, in increasing order
};

/// What is left of a symmetric graph without some vertices.
template <class I>
Subgraph<I> graph_without(const HostPattern<I>& graph, const std::vector<I>& vertices);

}  // namespace linden::detail
