#pragma once

#include <linden/views.hpp>

#include <vector>

#include "core/factorization/elimination_tree.hpp"

namespace linden::detail {

/// The graph that is eliminated where entry (i, columns[i]) of A is the pivot of row i: the pattern of B + B^T + I, B
/// with column i that column of A. Rows sorted.
/// a: n x n, in host memory, rows sorted; columns: a permutation.
/// @throws InvalidParameter if I cannot count its entries
template <class I>
HostPattern<I> matched_graph(PatternView<I> a, const std::vector<I>& columns);

}  // namespace linden::detail
