#pragma once

#include "core/kernels/triangular.hpp"

/// Triangular solves whose rows stay in runs of neighbours, the parts, so that a block keeps the values of its part in
/// fast memory of its own. A step from row to row costs there what an access to that memory costs, and only a step from
/// part to part goes through the device's memory: for matrices of many thin levels that is most of the time.
///
/// Part q of a lower triangle has the rows [q s, (q + 1) s), of an upper one those counted from the last row. So parts
/// need earlier parts only.
namespace linden {

/// halo_sizes[q] := number of entries strictly on `side`, in the rows of part q, whose column is in another part.
/// a: n x n, rows in any order; halo_sizes: one value per part.
template <class I>
inline constinit kernel<void(PatternView<I> a, Side side, size_type part_rows, I* halo_sizes)> parts_halo_sizes{
    "parts::halo_sizes", types_of<I>};

/// The rows by parts, in a part by levels, of one level in increasing order:  order: n values;  position: its inverse.
/// Part q has the positions [q s, (q + 1) s), s = part_rows. Workspace: levels_order_workspace_bytes<I>(n).
template <class I>
inline constinit kernel<void(LevelsView<I> levels, size_type part_rows, I* order, I* position, WorkspaceView workspace)>
    parts_order{"parts::order", types_of<I>};

/// Turns the columns of a factor, positions in increasing order in each row, into slots of a part's memory:
///   slot = position - first position of the part, for a column of the same part,
///   slot = part_rows + h, for one of another part, which becomes entry h of the part's halo.
/// Entries of a part's halo are in the order of its entries; halo_ptrs are the prefix sums of `parts_halo_sizes`.
template <class I>
inline constinit kernel<void(size_type n, size_type part_rows, const I* row_ptrs, I* cols, const I* halo_ptrs, I* halo)>
    parts_fill_halo{"parts::fill_halo", types_of<I>};

/// How a factor is cut into parts.
template <class I>
struct PartsView {
    size_type part_rows = 0;
    size_type max_slots = 0;       ///< the most rows and halo entries that a part has together
    const I* halo_ptrs = nullptr;  ///< number of parts + 1
    const I* halo = nullptr;       ///< positions
};

/// T x = b as triangular_solve_syncfree, where the columns of the factor are slots, level_ptrs is not used, and each
/// part has one block with its values in shared memory.
template <class V, class S, class I>
inline constinit kernel<void(LevelFactorView<V, S, I> f, PartsView<I> parts, DenseView<const V> b, DenseView<V> x,
                             SyncFreeState<V> state)>
    triangular_solve_parts{"triangular::solve_parts", types_of<V, S, I>};

}  // namespace linden
