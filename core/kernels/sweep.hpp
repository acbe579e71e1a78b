#pragma once

#include <linden/side.hpp>

#include "core/kernels/sell.hpp"

/// Sweeps over the colours of a matrix: solves with I + N for a strict triangle N whose rows stand colour after colour,
/// a colour at a time. [HeuvelineEtAl10, 2]
namespace linden {

/// The rows of one colour of N, at successive positions. Columns are positions, too.
///
/// Rows of a colour do not need each other, but for those of one block: blocks of `block_rows` neighbouring rows have a
/// colour together, and a thread finds the rows of its block one after the other. Row j of block t is the colour's row
/// number row(j, t): rows of the same j lie side by side. The last block may have fewer rows.
template <class S, class J>
struct ColourView {
    /// The colour's rows, without row_order; width 0 and no slice pointers: no entries. Slices of one row are for rows
    /// so long that many threads are worth one.
    SellView<S, J> entries;
    size_type first = 0;  ///< position of the first
    size_type block_rows = 1;

    constexpr size_type num_rows() const { return entries.layout.rows; }
    constexpr size_type num_blocks() const { return (num_rows() + block_rows - 1) / block_rows; }
    /// Rows of the last block, 0 without blocks.
    constexpr size_type last_block_rows() const { return block_rows - (num_blocks() * block_rows - num_rows()); }
    constexpr size_type rows_of(size_type block) const
    {
        return block == num_blocks() - 1 ? last_block_rows() : block_rows;
    }
    constexpr size_type row(size_type j, size_type block) const
    {
        const size_type beyond_last = j - last_block_rows();  // rows of this and earlier j that the last block has not
        return j * num_blocks() + block - (beyond_last > 0 ? beyond_last : 0);
    }
};

/// The first half for one colour, N lower: for the rows of each block in their order, at positions p,
///     w(p, :) := scale[p] b(sources[p], :) - sum over k in row p of values[k] w(cols[k], :),
/// and x(targets[p], :) := w(p, :) where targets are given. Without sources row p of b is taken.
/// b, x: n x k; w: n x k, not b; x is given only with targets, and is neither b nor w.
/// Sums run in the order of the entries; where slices have one row, or the colour has few rows of many entries, a
/// device shares a row out among threads, in an order that is fixed, too. Deterministic. Bytes: entries (S + J) with
/// padding, and per row of the colour (3 k + 1) V, I for each of sources and targets, k V for x.
template <class V, class S, class J>
inline constinit kernel<void(ColourView<S, J> colour, const V* scale, DenseView<const V> b,
                             const wide_index_t<J>* sources, DenseView<V> w, DenseView<V> x,
                             const wide_index_t<J>* targets)>
    sweep_forward{"sweep::forward", types_of<V, S, J>};

/// The second half for one colour, N upper: for the rows of each block from the last to the first, at positions p,
///     w(p, :) := w(p, :) - sum over k in row p of values[k] w(cols[k], :),
/// and x(targets[p], :) := w(p, :) where targets are given. Otherwise as sweep_forward.
template <class V, class S, class J>
inline constinit kernel<void(ColourView<S, J> colour, DenseView<V> w, DenseView<V> x, const wide_index_t<J>* targets)>
    sweep_backward{"sweep::backward", types_of<V, S, J>};

/// counts[i] := number of entries of row i strictly on `side`.  a: n x n, rows in any order.
template <class I>
inline constinit kernel<void(PatternView<I> a, Side side, I* counts)> sweep_count_triangle{"sweep::count_triangle",
                                                                                           types_of<I>};

/// The strict triangle of a matrix with the values row_factors[i] a_ij col_factors[j].
template <class V, class I>
struct ScaledTriangle {
    CsrView<V, I> a;  ///< rows in any order
    Side side = Side::lower;
    const V* row_factors = nullptr;  ///< one per row of a
    const V* col_factors = nullptr;  ///< one per column; null for ones
};

/// The entries in the rows first, first + 1, ... of the triangle, as many rows as the layout has, their values rounded
/// to S. The layout is wide enough and has no row order. col_idxs: null where they are known.
template <class V, class S, class I>
inline constinit kernel<void(ScaledTriangle<V, I> triangle, size_type first, SellLayout<I> layout, I* col_idxs,
                             S* stored)>
    sweep_fill_triangle{"sweep::fill_triangle", types_of<V, S, I>};

}  // namespace linden
