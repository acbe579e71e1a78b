#pragma once

#include <linden/reorder/matching.hpp>

#include <vector>

#include "core/factorization/elimination_tree.hpp"

/// 2 x 2 pivots that are chosen before the numeric phase: pairs of rows whose coupling is large. [DuffPralet05]
namespace linden::detail {

/// partner[i]: the row that makes a pivot with row i, i itself where it is one alone. Cycles of the matching are cut
/// into pairs of neighbours; in cycles of odd length the row with the largest diagonal entry stays alone.
/// diagonal: magnitudes of the scaled diagonal.
template <class I>
std::vector<I> pivot_pairs(const Matching& matching, const std::vector<double>& diagonal);

/// A graph in which partners are one vertex.
template <class I>
struct PairedGraph {
    /// graph: symmetric, with the diagonal.
    PairedGraph(const HostPattern<I>& graph, const std::vector<I>& partner);

    /// The rows in an order of the vertices.
    std::vector<I> rows_of(const std::vector<I>& order) const;
    /// The graph of rows in which partners have the same neighbours: whatever is done to the rows of a pivot, no entry
    /// lacks.
    HostPattern<I> rows_together() const;

    HostPattern<I> vertices;
    std::vector<I> first, second;  ///< rows of each vertex, -1: there is no second
    std::vector<I> vertex_of;      ///< of each row
};

}  // namespace linden::detail
