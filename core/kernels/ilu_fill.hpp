#pragma once

#include <linden/views.hpp>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

/// The pattern of ILU(k). On hosts only; devices take it. [HysomPothen02], [Saad03, 10.3.3]
namespace linden {

/// Room for `parts` parts of the rows to search in, of n vertices each.
constexpr size_type ilu_fill_workspace_bytes(size_type n, size_type parts)
{
    return parts * (2 * n * static_cast<size_type>(sizeof(std::int64_t)) + 64);
}

/// The upper triangle of ILU(k)'s pattern: the diagonal, and entry (i, j), j > i, if A's graph has a path from i to j
/// of at most k + 1 edges whose inner vertices are all less than i. (The lower triangle is that of A^T, transposed.)
/// Each row by a breadth-first search of its own.
/// counts[i] := number of entries of row i. Deterministic.
/// Arguments: a (n x n, rows in any order), k, counts, workspace of ilu_fill_workspace_bytes(n, at least 1); more parts
/// for more threads.
template <class I>
inline constinit kernel<void(PatternView<I>, size_type, I*, WorkspaceView)> ilu_fill_count{"ilu::fill_count",
                                                                                           types_of<I>};

/// The sorted columns of these rows; row_ptrs are the prefix sums of the counts.
/// Arguments: a, k, row_ptrs, col_idxs, workspace as above.
template <class I>
inline constinit kernel<void(PatternView<I>, size_type, const I*, I*, WorkspaceView)> ilu_fill{"ilu::fill",
                                                                                               types_of<I>};

}  // namespace linden
