#pragma once

#include "core/kernels/triangular.hpp"

/// Triangular solves whose rows stay in runs of neighbours, the segments, so that a block keeps the values of its
/// segment in fast memory of its own. A step from row to row costs there what an access to that memory costs, and only
/// a step from segment to segment goes through the device's memory: for matrices of many thin levels that is most of
/// the time.
///
/// Segment q of a lower triangle has the rows [q s, (q + 1) s), of an upper one those counted from the last row. So
/// segments need earlier segments only.
namespace linden {

/// halo_sizes[q] := number of entries strictly on `side`, in the rows of segment q, whose column is in another segment.
/// a: n x n, rows in any order; halo_sizes: one value per segment.
template <class I>
inline constinit kernel<void(PatternView<I> a, Side side, size_type segment_rows, I* halo_sizes)> segments_halo_sizes{
    "segments::halo_sizes", types_of<I>};

/// The rows by segments, in a segment by levels, of one level in increasing order:  order: n values;  position: its
/// inverse. Segment q has the positions [q s, (q + 1) s), s = segment_rows. Workspace:
/// levels_order_workspace_bytes<I>(n).
template <class I>
inline constinit kernel<void(LevelsView<I> levels, size_type segment_rows, I* order, I* position,
                             WorkspaceView workspace)>
    segments_order{"segments::order", types_of<I>};

/// Turns the columns of a factor, positions in increasing order in each row, into slots of a segment's memory:
///   slot = position - first position of the segment, for a column of the same segment,
///   slot = segment_rows + h, for one of another segment, which becomes entry h of the segment's halo.
/// Entries of a segment's halo are in the order of its entries; halo_ptrs are the prefix sums of `segments_halo_sizes`.
template <class I>
inline constinit kernel<void(size_type n, size_type segment_rows, const I* row_ptrs, I* cols, const I* halo_ptrs,
                             I* halo)>
    segments_fill_halo{"segments::fill_halo", types_of<I>};

/// How a factor is cut into segments.
template <class I>
struct SegmentsView {
    size_type segment_rows = 0;
    size_type max_slots = 0;       ///< the most rows and halo entries that a segment has together
    const I* halo_ptrs = nullptr;  ///< number of segments + 1
    const I* halo = nullptr;       ///< positions
};

/// T x = b as triangular_solve_syncfree, where the columns of the factor are slots, level_ptrs is not used, and each
/// segment has one block with its values in shared memory.
template <class V, class S, class I>
inline constinit kernel<void(LevelFactorView<V, S, I> f, SegmentsView<I> segments, DenseView<const V> b, DenseView<V> x,
                             SyncFreeState<V> state)>
    triangular_solve_segments{"triangular::solve_segments", types_of<V, S, I>, {.scratch = arguments(4)}};

}  // namespace linden
