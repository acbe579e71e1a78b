#pragma once

#include <linden/side.hpp>
#include <linden/views.hpp>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

/// Levels of a triangle: rows of one level do not need each other, and every row needs rows of earlier levels only.
/// [AndersonSaad89], [Naumov11, 3]
namespace linden {

/// levels[i] := 0 if row i has no entry strictly on `side`, else 1 + the highest level of those entries' columns;
/// *num_levels := 1 + the highest level, 0 for an empty matrix.  a: n x n, rows in any order; entries on the other side
/// and on the diagonal are passed over; levels: n values.  Deterministic.
template <class I>
inline constinit kernel<void(PatternView<I> a, Side side, I* levels, size_type* num_levels)> levels_find{"levels::find",
                                                                                                         types_of<I>};

/// The same for runs in place of rows: successive rows in the order of substitution (increasing for lower triangles,
/// decreasing for upper ones), of which each but the first needs the one before it. A run begins where a row does not
/// need the one before, or that one's run has max_run >= 1 rows. levels[i] := 0 if the run of row i needs no other run,
/// else 1 + the highest level of those;  *num_levels as above. So max_run = 1 gives the levels of rows. Rows of a run
/// lie next to each other in memory, which those of a level do not; one thread finds them one after the other.
/// Deterministic.
template <class I>
inline constinit kernel<void(PatternView<I> a, Side side, size_type max_run, I* levels, size_type* num_levels)>
    levels_find_runs{"levels::find_runs", types_of<I>};

/// What `levels_order` needs for n rows.
template <class I>
constexpr size_type levels_order_workspace_bytes(size_type n)
{
    constexpr size_type max_parts = 1024, digits = 256;
    return (2 * n + max_parts * digits + 64) * static_cast<size_type>(sizeof(I)) + 64 * 1024;
}

/// The levels of a triangle's rows, as `levels_find` or `levels_find_runs` gives them.
template <class I>
struct LevelsView {
    size_type num_rows = 0;
    size_type num_levels = 0;
    const I* levels = nullptr;  ///< num_rows, each < num_levels
    Side side = Side::lower;    ///< of the triangle
};

/// The rows by levels, those of one level in the order of substitution for the triangle, so that runs stay together:
/// order: n values;  position: its inverse, n values;  level_ptrs[l] := number of rows in levels before l,
/// l <= num_levels. Workspace: levels_order_workspace_bytes<I>(n). Deterministic.
template <class I>
inline constinit kernel<void(LevelsView<I> levels, I* order, I* position, I* level_ptrs, WorkspaceView workspace)>
    levels_order{"levels::order", types_of<I>};

}  // namespace linden
