#pragma once

#include "core/kernels/sweep.hpp"

/// Sweeps over many small colours of a triangle in one launch: rows wait for the values that they need, not for the
/// colours before theirs.
namespace linden {

/// Calls `f.operator()<V, S, I>()` for all value types, their storage types and the indices that these have.
template <class F>
void for_each_chain_type(F&& f)
{
    for_each_value([&]<class V>() {
        for_each_index([&]<class I>() { f.template operator()<V, V, I>(); });
        for_each_lower_storage<V>([&]<class S>() { f.template operator()<V, S, std::int32_t>(); });
    });
}

/// A device has a subgroup for each row, however long rows are. Rows with at least so many entries on average are not
/// for it, and sweeps sum them in another order.
inline constexpr size_type chain_row_length = 256;

/// Of one of the two parts of the workspace, for the way forward and the way backward.
template <class V>
constexpr size_type level_chain_part_bytes(size_type num_rows)
{
    return (num_rows * static_cast<size_type>(sizeof(V)) + 31) / 16 * 16;
}

template <class V>
constexpr size_type level_chain_workspace_bytes(size_type num_rows)
{
    return 2 * level_chain_part_bytes<V>(num_rows);
}

/// sweep_forward, without targets, for successive colours at a time:  from the first of `rows` to the last,
///     w(p) := scale[p] b(sources[p]) - sum over k in row p of values[k] w(cols[k]),
/// and the last of these also to `last`, contiguous, as many as it has rows.  rows: slices of one row and their
/// pointers, block_rows 1; columns are before the row's position. b, w: n x 1, contiguous, b is not w. A result with
/// all bits set (a NaN that arithmetic does not give) counts as another NaN. Deterministic; on devices the sums of
/// sweep_forward for rows of less than chain_row_length entries on average. Bytes: entries (S + I), per row 5 V + 2 I.
/// Workspace: level_chain_workspace_bytes<V>(rows.num_rows()), any contents; is left for one level_chain_backward with
/// as many rows.
template <class V, class S, class I>
inline constinit kernel<void(ColourView<S, I> rows, const V* scale, DenseView<const V> b, const I* sources,
                             DenseView<V> w, DenseView<V> last, WorkspaceView workspace)>
    level_chain_forward{"level_chain::forward", types_of<V, S, I>, {.scratch = arguments(6)}};

/// sweep_backward for successive colours at a time:  from the last of `rows` to the first,
///     w(p) := w(p) - sum over k in row p of values[k] w(cols[k]),   x(targets[p]) := w(p).
/// Columns are behind the row's position. x: n x 1, contiguous, not w. Workspace: as level_chain_forward has left it.
/// Otherwise as that.
template <class V, class S, class I>
inline constinit kernel<void(ColourView<S, I> rows, DenseView<V> w, DenseView<V> x, const I* targets,
                             WorkspaceView workspace)>
    level_chain_backward{"level_chain::backward", types_of<V, S, I>, {.scratch = arguments(4)}};

}  // namespace linden
