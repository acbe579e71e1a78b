#pragma once

#include <linden/views.hpp>

#include "core/base/kernel.hpp"
#include "core/base/peer_group.hpp"
#include "core/base/type_lists.hpp"

/// Products of rows that need values of other ranks: on devices, and with reproducible sums everywhere.
namespace linden {

/// The rows at the rim, m x n. A column c >= 0 is the own row c of b, one below 0 the ghost -1 - c.
template <class V, class I>
struct RimView {
    size_type num_rows = 0;
    const I* rows = nullptr;      ///< m: their places in x
    const I* row_ptrs = nullptr;  ///< m + 1
    const I* cols = nullptr;
    const V* values = nullptr;
    bool in_order = false;  ///< whether entries of a row are added one after the other, as csr_spmv_in_order does
};

/// The values of the ghosts.
template <class V>
struct GhostView {
    DenseView<const V> values;  ///< g x k, contiguous; without pointer where neighbours write them
    PeerHalo halo;              ///< these neighbours; its group is empty where the ghosts are there already
};

/// The sums of a product, of k values each.
template <class V>
struct RimSums {
    const V* inner = nullptr;  ///< 2 k: w^H x and x^H x over the other rows of this rank
    V* wx = nullptr;           ///< w^H x over the rows of all ranks
    V* xx = nullptr;           ///< x^H x, if not null
};

/// Own rows in one piece: those of `inner` (n x n, empty at the rim) and those at the rim (m x n), in places `rim_rows`
/// that ascend. The rim's columns are those of RimView.  row_ptrs: n + 1.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> inner, CsrView<V, I> rim, const I* rim_rows, I* row_ptrs)>
    exchange_join_pointers{"exchange::join_pointers", types_of<V, I>};
/// Columns become positions among what is seen: ghosts below `num_lower`, own ones, the other ghosts.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> inner, CsrView<V, I> rim, const I* rim_rows, size_type num_lower,
                             const I* row_ptrs, I* cols, V* values)>
    exchange_join_rows{"exchange::join_rows", types_of<V, I>};

/// What a rank sees of all rows, in their order: some of lower ranks, its own, some of higher ranks. A position is a
/// place among these, a number one among all rows.
struct SeenRows {
    std::int64_t first = 0;  ///< the number of the first own row
    size_type num_own = 0;
    size_type num_lower = 0;  ///< of the ghosts, those below
    size_type num_ghosts = 0;
    const std::int64_t* ghosts = nullptr;  ///< their numbers, in ascending order
};

/// lengths[i] := number of entries in row rows[i].  rows, lengths: n.
template <class I>
inline constinit kernel<void(size_type n, const I* rows, const I* row_ptrs, I* lengths)> exchange_row_lengths{
    "exchange::row_lengths", types_of<I>};
/// Rows rows[i] of `a` one after the other, for other ranks: the numbers of their columns, which are positions in
/// `seen`, and which entries they are.  rows: n; sent_ptrs: n + 1, where the rows begin; numbers, entries:
/// sent_ptrs[n].
template <class I>
inline constinit kernel<void(SeenRows seen, PatternView<I> a, size_type n, const I* rows, const I* sent_ptrs,
                             std::int64_t* numbers, I* entries)>
    exchange_pack_rows{"exchange::pack_rows", types_of<I>};
/// positions[k] := the position of numbers[k], -1 for one that is not seen.  n values.
template <class I>
inline constinit kernel<void(SeenRows seen, size_type n, const std::int64_t* numbers, I* positions)> exchange_find{
    "exchange::find", types_of<I>};
/// marks[numbers[k] - first] := 1, for numbers from `first` on, of which there are `count`; others are none.  n values.
template <class I>
inline constinit kernel<void(size_type n, const std::int64_t* numbers, std::int64_t first, size_type count, I* marks)>
    exchange_mark{"exchange::mark", types_of<I>};
/// The numbers first + i that have marks, in ascending order.  ends: count + 1, the prefix sums of their marks.
template <class I>
inline constinit kernel<void(size_type count, std::int64_t first, const I* ends, std::int64_t* numbers)> exchange_list{
    "exchange::list", types_of<I>};

/// Pieces of rows: piece i is a part of row rows[i], of row i if that is null, and has entries row_ptrs[i] to
/// row_ptrs[i + 1]. No row has two.
template <class I>
struct RowPieces {
    size_type count = 0;
    const I* rows = nullptr;
    const I* row_ptrs = nullptr;
    const I* cols = nullptr;
};
/// lengths[row] += the length of the piece of that row.
template <class I>
inline constinit kernel<void(RowPieces<I> pieces, I* lengths)> exchange_add_lengths{"exchange::add_lengths",
                                                                                    types_of<I>};
/// Appends the pieces to their rows: at ends[row], which moves behind them. Column c becomes c + shift, or map[c] where
/// `map` is not null; an entry's place among the pieces, counted from `source` on, goes to `sources`.
template <class I>
inline constinit kernel<void(RowPieces<I> pieces, const I* map, I shift, I source, I* ends, I* cols, I* sources)>
    exchange_append{"exchange::append", types_of<I>};

/// The ranks of a group meet: what kernels of any of them have written to others' memory before is there for what
/// follows on all. One word to each, in the order of the group's sums.
inline constinit kernel<void(PeerGroup group)> exchange_meet{"exchange::meet", "any"};

/// Writes the rows of b (n x k) that neighbours need into their windows. `rows`: the own rows to send, by
/// receiver. If a neighbour has not read what came two products before, waits for it. num_sends words.
template <class V, class I>
inline constinit kernel<void(const I* rows, DenseView<const V> b, PeerHalo halo)> exchange_send{"exchange::send",
                                                                                                types_of<V, I>};

/// Puts the ghosts (g x k) into a vector of all rows that a rank sees: the first `num_lower` into its first rows, the
/// others behind the `num_own` rows that follow. Waits for them, if neighbours write them.
template <class V>
inline constinit kernel<void(GhostView<V> ghosts, size_type num_lower, size_type num_own, DenseView<V> x)>
    exchange_receive{"exchange::receive", types_of<V>};

/// x := x + alpha A b in the rows at the rim, behind the other rows' product, which has made them beta x.  b, x: n x k,
/// ghosts: g x k. Waits for the ghosts, if neighbours write them. A row is summed in the order of its entries, by
/// lanes. Deterministic.
template <class V, class I>
inline constinit kernel<void(RimView<V, I> rim, GhostView<V> ghosts, Scalar<V> alpha, DenseView<const V> b,
                             DenseView<V> x)>
    exchange_rim_spmv{"exchange::rim_spmv", types_of<V, I>};

/// x := A b in the rows at the rim, and wx := w^H x, xx := x^H x over all rows of all ranks of the workspace, from the
/// sums of the other rows.  b, x, w: n x k, ghosts: g x k. x is neither b nor w. Deterministic.
/// Workspace: reduction_workspace_bytes<V>(2 k).
template <class V, class I>
inline constinit kernel<void(RimView<V, I> rim, GhostView<V> ghosts, DenseView<const V> b, DenseView<V> x,
                             DenseView<const V> w, RimSums<V> sums, WorkspaceView workspace)>
    exchange_rim_spmv_dot{"exchange::rim_spmv_dot", types_of<V, I>};

/// The rows of a rank: the inner ones (n x n, empty at the rim) and those at the rim.
template <class V, class I>
struct RankRows {
    CsrView<V, I> inner;
    RimView<V, I> rim;
    const I* send_rows = nullptr;  ///< as exchange_send has them
    GhostView<V> ghosts;
};

/// The first half of a product of one column with its sums: x := A b in the inner rows, 0 at the rim, and partial sums
/// in the workspace for exchange_rim_dot, which is to follow. Sends the rows of b that neighbours need, as
/// exchange_send does, if they write the ghosts.  b, x, w: n x 1, contiguous. x is neither b nor w. Deterministic.
/// Workspace: reduction_workspace_bytes<V>(2).
template <class V, class I>
inline constinit kernel<void(RankRows<V, I> a, DenseView<const V> b, DenseView<V> x, DenseView<const V> w,
                             WorkspaceView workspace)>
    exchange_inner_dot{"exchange::inner_dot", types_of<V, I>};
/// The second half: x := A b at the rim, and wx := w^H x and, unless xx is null, xx := x^H x over all rows of all ranks
/// of the workspace. Waits for the ghosts, if neighbours write them.
template <class V, class I>
inline constinit kernel<void(RankRows<V, I> a, DenseView<const V> b, DenseView<V> x, DenseView<const V> w, V* wx,
                             V* xx, WorkspaceView workspace)>
    exchange_rim_dot{"exchange::rim_dot", types_of<V, I>};

/// Reproducible sums of a product are formed of parts, those over rows [32 i, 32 i + 32) of a rank: w^H x at 2 i and
/// x^H x at 2 i + 1. They have the same bits whichever kernel forms them.
inline constexpr size_type sum_part_rows = 32;
constexpr size_type num_sum_parts(size_type rows) { return (rows + sum_part_rows - 1) / sum_part_rows; }

/// x := A b in the order of entries, as csr_spmv_in_order, and all parts.  b: n x 1, x and w: m x 1, all contiguous;
/// parts: 2 num_sum_parts(m). Deterministic.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, DenseView<const V> b, DenseView<V> x, DenseView<const V> w, V* parts)>
    exchange_spmv_parts{"exchange::spmv_parts", types_of<V, I>};
/// The parts which[0 ... count - 1].  x and w: m x 1, contiguous.
template <class V, class I>
inline constinit kernel<void(size_type count, const I* which, DenseView<const V> x, DenseView<const V> w, V* parts)>
    exchange_form_parts{"exchange::form_parts", types_of<V, I>};
/// wx := w^H x and xx := x^H x unless xx is null, over the rows of all ranks, from the parts of this one, which has
/// `rows` rows. In the order of the tree of reproducible sums (core/base/block_sums.hpp), whose blocks of 128 rows are
/// four parts. Workspace: reduction_workspace_bytes<V>(2).
template <class V>
inline constinit kernel<void(size_type rows, const V* parts, V* wx, V* xx, WorkspaceView workspace)> exchange_sum_parts{
    "exchange::sum_parts", types_of<V>};

}  // namespace linden
