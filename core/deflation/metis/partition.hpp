#pragma once

#include <linden/types.hpp>

#include <vector>

namespace linden::detail {

/// An undirected graph in the host's memory: the neighbours of vertex i are neighbours[ptrs[i]], ...; each edge stands
/// with both of its ends, none leads from a vertex to itself.
struct Graph {
    std::vector<size_type> ptrs{0};
    std::vector<size_type> neighbours;

    size_type size() const { return static_cast<size_type>(ptrs.size()) - 1; }
};

/// The part, 0 to count - 1, of each vertex, so that parts have about as many vertices and few edges between them.
/// [KarypisKumar98]
/// @throws NotSupported if this build has no METIS, or its indices are too small
std::vector<size_type> parts_by_metis(const Graph& graph, size_type count);

}  // namespace linden::detail
