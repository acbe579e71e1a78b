#pragma once

#include <linden/views.hpp>

#include <optional>
#include <vector>

#include "core/factorization/elimination_tree.hpp"

namespace linden::detail {

/// The pattern of L + U for the matrix whose entry (i, j) is entry (rows[i], columns[j]) of A, with pivots on its
/// diagonal: a part of what fills A + A^T, and a small one where A is far from symmetric. Rows sorted.
/// Row by row: what entries reach through rows of U, of which those that a later row has as well are left out.
/// [EisenstatLiu92]
/// None if that is more than `most` entries.
/// a: n x n, in host memory; rows, columns: permutations. @throws InvalidParameter if I cannot count the entries
template <class I>
std::optional<HostPattern<I>> closed_pattern(PatternView<I> a, const std::vector<I>& rows,
                                             const std::vector<I>& columns, double most);

/// Multiplications and additions of an elimination in a pattern of L + U.
template <class I>
double operations_of(PatternView<I> f);

}  // namespace linden::detail
