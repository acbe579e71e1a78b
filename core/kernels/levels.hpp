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
inline constinit LINDEN_EXPORT kernel<void(PatternView<I>, Side, I*, size_type*)> levels_find{"levels::find",
                                                                                              types_of<I>};

/// What `levels_order` needs for n rows.
template <class I>
constexpr size_type levels_order_workspace_bytes(size_type n)
{
    constexpr size_type max_parts = 1024, digits = 256;
    return (2 * n + max_parts * digits + 64) * static_cast<size_type>(sizeof(I)) + 64 * 1024;
}

/// The rows by levels, those of one level in increasing order:  order: n values;  position: its inverse, n values;
/// level_ptrs[l] := number of rows in levels before l, l <= num_levels.  levels: n values, each < num_levels, is kept.
/// Arguments: n, num_levels, levels, order, position, level_ptrs, workspace of levels_order_workspace_bytes<I>(n).
/// Deterministic.
template <class I>
inline constinit LINDEN_EXPORT kernel<void(size_type, size_type, const I*, I*, I*, I*, WorkspaceView)> levels_order{
    "levels::order", types_of<I>};

}  // namespace linden
