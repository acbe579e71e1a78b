#pragma once

#include <linden/views.hpp>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"
#include "core/kernels/nnz_split.hpp"

/// Kernels on compressed sparse rows. A: m x n, columns of a row sorted and unique unless said otherwise.
namespace linden {

/// How long rows are.
struct RowLengths {
    std::int64_t longest;
    std::int64_t sum_of_squares;
};

/// x := alpha A b + beta x.  b: n x k, x: m x k.  With beta = 0 the old x is not read. A is read once for all k
/// columns. Deterministic. Minimum bytes: nnz (V + I) + (m + 1) I + (n + m) k V.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta, DenseView<V> x)>
    csr_spmv{"csr::spmv", types_of<V, I>};

/// csr_spmv whose rows do not know of each other: a row's entries are added one after the other on devices, and as
/// csr_spmv adds them on hosts, so that its bits are the same in any matrix that has the row. For reproducible sums.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta, DenseView<V> x)>
    csr_spmv_in_order{"csr::spmv_in_order", types_of<V, I>};

/// x := A b;  wx[col] := w(:, col)^H x(:, col);  xx[col] := x(:, col)^H x(:, col) unless xx is null.
/// b: n x k, x and w: m x k; w may be b.  Deterministic. Workspace: reduction_workspace_bytes<V>(2 k).
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, DenseView<const V> b, DenseView<V> x, DenseView<const V> w, V* wx, V* xx,
                             WorkspaceView workspace)>
    csr_spmv_dot{"csr::spmv_dot", types_of<V, I>};

/// split_rows[c] := the row of nonzero c * split_nonzeros, for each of A's num_splits(nnz) splits.
template <class I>
inline constinit kernel<void(PatternView<I> a, I* split_rows)> csr_find_split_rows{"csr::find_split_rows", types_of<I>};

/// csr_spmv for rows of very uneven lengths, by nnz split. split_rows: as csr_find_split_rows leaves it.
/// Workspace: split_workspace_bytes<V>(nnz, k), in any state. Minimum bytes: those of csr_spmv and 2 m k V.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, const I* split_rows, Scalar<V> alpha, DenseView<const V> b,
                             Scalar<V> beta, DenseView<V> x, WorkspaceView workspace)>
    csr_spmv_nnz_split{"csr::spmv_nnz_split", types_of<V, I>, {.eps = 16}};

/// lengths->longest := the most nonzeros of a row; lengths->sum_of_squares := the sum of the squares of all rows'
/// numbers of nonzeros. Deterministic. Reads the row pointers once.
template <class I>
inline constinit kernel<void(PatternView<I> a, RowLengths* lengths)> csr_row_lengths{"csr::row_lengths", types_of<I>};

/// d := diag(A).  d: min(m, n) x 1, overwritten; 0 where A has no entry.  Deterministic. [Saad03, 3.4]
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, DenseView<V> d)> csr_extract_diagonal{"csr::extract_diagonal",
                                                                                    types_of<V, I>};

}  // namespace linden
