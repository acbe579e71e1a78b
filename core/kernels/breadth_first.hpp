#pragma once

#include <linden/views.hpp>

#include <limits>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

/// Searches of a graph from several vertices at once, level after level, in the order of Cuthill and McKee: the
/// vertices of a level by the places of their parents, those of one parent by their numbers. A parent is the neighbour
/// in the level before that was found first. So the order is a function of the graph and of the roots, however many
/// threads search. [KarantasisEtAl14, 3.2], [AzadEtAl17, 3]
namespace linden {

/// A search.  graph: n x n, symmetric pattern, rows sorted; entries on the diagonal are passed over.
template <class I>
struct SearchView {
    PatternView<I> graph;
    I* order = nullptr;       ///< n: the vertices that were found, each level behind the one before
    I* level_ptrs = nullptr;  ///< n + 2: where in `order` each level begins, and the place behind the last one
    I* parents = nullptr;     ///< n: of each vertex the place of its parent; search_root or search_not_found
};

template <class I>
inline constexpr I search_root = -1;
template <class I>
inline constexpr I search_not_found = std::numeric_limits<I>::max();

/// A search that has found its roots, which are level 0.  roots: num_roots different vertices, roots[c] in part c of
/// the graph;  parts: n, the part of each vertex, null if all are part 0. Parts without a way to each other stay
/// contiguous in each level, in their order.
template <class I>
inline constinit kernel<void(size_type num_roots, const I* roots, const I* parts, SearchView<I> search)>
    breadth_first_start{"breadth_first::start", types_of<I>};

/// What a level needs beside the search: places of blocks of threads.
inline constexpr size_type breadth_first_workspace_bytes = 16 * 1024;

/// Finds the vertices of level + 1: neighbours of those of `level` that were not found before. search: order, parents
/// and level_ptrs[level + 2] are written. A level without vertices is followed by one without vertices. Workspace:
/// breadth_first_workspace_bytes. Deterministic: minima of integers. Reads the rows of the level's vertices three
/// times.
template <class I>
inline constinit kernel<void(SearchView<I> search, size_type level, WorkspaceView workspace)> breadth_first_level{
    "breadth_first::level", types_of<I>};

/// Parts of a searched graph, each with its vertices level after level.
template <class I>
struct SearchedParts {
    size_type num_parts = 0;
    const I* part_ptrs = nullptr;  ///< num_parts + 1
    const I* places = nullptr;     ///< of the vertices of part c in `order`: from part_ptrs[c] on; null: 0, 1, 2, ...
};

/// For each part c, which has a vertex:  depths[c] := the number of its levels;  farthest[c] := the least vertex of its
/// last level. num_levels: those of the whole search; parts as they are after it. Deterministic. Reads the last level.
template <class I>
inline constinit kernel<void(SearchedParts<I> parts, SearchView<I> search, size_type num_levels, I* depths,
                             I* farthest)>
    breadth_first_farthest{"breadth_first::farthest", types_of<I>};

/// roots[numbers[i]] := vertices[i] for each row i that is its own label, i < n: the first vertex of each part of the
/// graph.  numbers: n + 1, the prefix sums of those rows' marks; labels, vertices: n values.
template <class I>
inline constinit kernel<void(size_type n, const I* labels, const I* numbers, const I* vertices, I* roots)>
    breadth_first_roots{"breadth_first::roots", types_of<I>};

/// backwards[i] := values[order[n - 1 - i]].  n values each.
template <class I>
inline constinit kernel<void(size_type n, const I* order, const I* values, I* backwards)> breadth_first_reverse{
    "breadth_first::reverse", types_of<I>};

}  // namespace linden
