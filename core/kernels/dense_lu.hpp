#pragma once

#include "core/kernels/ilu.hpp"

/// P A = L U of a matrix that has nearly all entries, as a dense one with partial pivoting. [GolubVanLoan13, 3.4]
namespace linden {

/// Columns that are eliminated together.
inline constexpr size_type dense_lu_block = 128;

/// A dense n x n matrix by columns, whose first values are `stride` apart, at least n.
template <class V>
struct DenseLu {
    size_type n = 0, stride = 0;
    V* values = nullptr;
};

/// f := R A C, 0 where A has no entry; norms[i] := the 2-norm of its row i.
/// a: n x n; row_factors, column_factors: the diagonals R and C; norms: n values. Deterministic.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, const real_t<V>* row_factors, const real_t<V>* column_factors,
                             DenseLu<V> f, real_t<V>* norms)>
    dense_lu_load{"dense_lu::load", types_of<V, I>};

/// The rows that were exchanged, and for each thread two blocks of columns in another order.
template <class V>
constexpr size_type dense_lu_workspace_bytes(size_type n, size_type threads)
{
    constexpr size_type most = dense_lu_block + 8;
    return (n + 8) * 8 + threads * 2 * most * most * static_cast<size_type>(sizeof(V));
}

/// f := L (strictly lower, its unit diagonal is not stored) and U with L U = P A, where f holds A. The pivot of each
/// column is its largest magnitude on and below the diagonal, the first of several, NaN none. Row i of P A is row
/// rows[i] of A. limits.norms: of A's rows; pivots up to limits.least of that are bad, and replaced as by
/// ilu_factorize; limits.small does not count. report: bad pivots, by rows of P A. 2/3 n^3 operations. Deterministic:
/// the same bits with any number of threads.
/// rows: n; workspace: dense_lu_workspace_bytes(n, threads of the executor); the reference needs none.
template <class V, class I>
inline constinit kernel<void(DenseLu<V> f, PivotLimits<real_t<V>> limits, I* rows, PivotReport* report,
                             WorkspaceView workspace)>
    dense_lu_factorize{"dense_lu::factorize", types_of<V, I>, {.eps = 256}};

/// x := U^-1 L^-1 x.  f: as dense_lu_factorize leaves it; x: n x k. Reads the factors once for each column.
/// Deterministic.
template <class V>
inline constinit kernel<void(DenseLu<const V> f, DenseView<V> x)> dense_lu_solve{"dense_lu::solve", types_of<V>};

}  // namespace linden
