#pragma once

#include <linden/views.hpp>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

/// Coarsening of systems of equations in algebraic multigrid: nodes of several rows, near-null spaces on aggregates.
/// [VanekMandelBrezina96]
///
/// All kernels are deterministic.
namespace linden {

/// values := the Frobenius norms of the blocks of A, negative off the diagonal, as entries of an M-matrix.
/// a: n x n, sorted rows; block_rows: rows of a node; nodes: the pattern of its blocks; values: as many as nodes has.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, size_type block_rows, PatternView<I> nodes, V* values)>
    coarsening_block_norms{"coarsening::block_norms", types_of<V, I>};

/// sizes[i] := |a_ii|, 0 where there is none.  a: n x n, sorted rows; sizes: n.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, real_t<V>* sizes)> coarsening_diagonal_sizes{"coarsening::diagonal_sizes",
                                                                                           types_of<V, I>};

/// marks[i] := 1 where row i has an aggregate, else 0.  aggregates: n numbers, -1 for none; marks: n values.
template <class I>
inline constinit kernel<void(size_type n, const I* aggregates, I* marks)> coarsening_mark_members{
    "coarsening::mark_members", types_of<I>};

/// col_idxs[row_ptrs[i]] := aggregates[i] where that is not negative.  row_ptrs: n + 1, the prefix sums of the marks.
template <class I>
inline constinit kernel<void(size_type n, const I* aggregates, const I* row_ptrs, I* col_idxs)> coarsening_take_members{
    "coarsening::take_members", types_of<I>};

/// How many rows a node has, and how many columns its aggregate.
struct NodeShape {
    size_type block_rows = 1;
    size_type vectors = 1;
};

/// The pattern of a tentative prolongator: the rows of a node have the columns of its aggregate, those of a node
/// without aggregate none.  aggregates: nodes x aggregates, at most one entry in a row; row_ptrs: rows + 1; col_idxs:
/// shape.block_rows * shape.vectors for each entry of `aggregates`.
template <class I>
inline constinit kernel<void(PatternView<I> aggregates, NodeShape shape, I* row_ptrs, I* col_idxs)> coarsening_expand{
    "coarsening::expand", types_of<I>};

/// T's values and B_c with T B_c = B on rows with an aggregate, T^H T = I, by Gram-Schmidt with reorthogonalisation in
/// each aggregate. A vector that depends on the ones before it there, up to 10 eps^(2/3) of its length, gets a column
/// of zeros in T and a row of zeros in B_c.  members: aggregates x nodes; b: n x shape.vectors; row_ptrs: those of T;
/// values: T's; coarse: shape.vectors rows for each aggregate, as many columns as b.
template <class V, class I>
inline constinit kernel<void(PatternView<I> members, NodeShape shape, DenseView<const V> b, const I* row_ptrs,
                             V* values, DenseView<V> coarse)>
    coarsening_orthonormalize{"coarsening::orthonormalize", types_of<V, I>, {.eps = 1e4}};

}  // namespace linden
