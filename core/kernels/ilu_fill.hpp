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
/// counts[i] := number of entries of row i.  a: n x n, rows in any order. Deterministic. Workspace:
/// ilu_fill_workspace_bytes(n, at least 1); more parts for more threads.
template <class I>
inline constinit kernel<void(PatternView<I> a, size_type k, I* counts, WorkspaceView workspace)> ilu_fill_count{
    "ilu::fill_count", types_of<I>};

/// The sorted columns of these rows; row_ptrs are the prefix sums of the counts. Otherwise as ilu_fill_count.
template <class I>
inline constinit kernel<void(PatternView<I> a, size_type k, const I* row_ptrs, I* col_idxs, WorkspaceView workspace)>
    ilu_fill{"ilu::fill", types_of<I>};

}  // namespace linden
