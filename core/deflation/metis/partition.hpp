#pragma once

#include <linden/types.hpp>

#include <vector>

namespace linden::detail {

/// An undirected graph in host memory: the neighbours of vertex i are neighbours[ptrs[i]], ..., neighbours[ptrs[i + 1]
/// - 1]. Each edge is stored for both of its ends; there are no loops.
struct Graph {
    std::vector<size_type> ptrs{0};
    std::vector<size_type> neighbours;

    size_type size() const { return static_cast<size_type>(ptrs.size()) - 1; }
};

/// The domain, 0 to count - 1, of each vertex: a partition into domains of nearly equal size with a small edge cut.
/// [KarypisKumar98]
/// @throws NotSupported if this build has no METIS, or its indices are too small
std::vector<size_type> parts_by_metis(const Graph& graph, size_type count);

}  // namespace linden::detail
