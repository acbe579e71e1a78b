#pragma once

#include <linden/views.hpp>

#include "core/kernels/column_set.hpp"
#include "core/kernels/ilu.hpp"
#include "core/kernels/prefix_sum.hpp"

/// Incomplete factorizations with thresholds. New values on the pattern that they find are for `ilu_factorize` and
/// `ic_factorize`.
namespace linden {

/// What a row keeps. (Paper's (k, tol) of a matrix: row_limit = nnz/n + k.) [Naumov11, 5]
struct ThresholdRule {
    size_type row_limit = 0;  ///< the most entries of a row of L, and of a row of U, beside the diagonal
    double tolerance = 0;     ///< entries with |l_ij| or |u_ij| < tolerance ||a_i||_2 are dropped

    /// The most entries of a row of f: of both factors, or of one.
    constexpr size_type ilut_capacity() const { return 2 * row_limit + 1; }
    constexpr size_type ict_capacity() const { return row_limit + 1; }
};

/// Room for rows of at most `capacity` entries: row i has counts[i] entries from i capacity on, sorted.
template <class V, class I>
struct LimitedRowsView {
    size_type rows = 0;
    size_type capacity = 0;
    I* counts = nullptr;
    I* cols = nullptr;
    V* values = nullptr;
};

/// An entry of a row under elimination, off the diagonal.
template <class V, class I>
struct ThresholdEntry {
    V value;
    real_t<V> magnitude;  ///< |value|; infinity if it is not a number
    I col;
};

/// What one part of the rows needs to work in: the set of a row's columns, its entries, a dense row, and magnitudes.
template <class V, class I>
constexpr size_type ilut_part_bytes(size_type n)
{
    constexpr size_type bytes_of_entry = sizeof(ThresholdEntry<V, I>) + sizeof(V) + sizeof(real_t<V>);
    return (ColumnSet::bytes(n) + n * bytes_of_entry + 63) / 64 * 64;
}
/// What `parts` parts of the rows need to work in, and what they tell each other: three words for each row.
template <class V, class I>
constexpr size_type ilut_workspace_bytes(size_type n, size_type parts)
{
    return (n + 8) * 24 + prefix_sum_workspace_bytes + parts * ilut_part_bytes<V, I>(n);
}
/// Parts for a device, which cuts them into a list of n columns and shorter ones for the rows in flight: 256 MiB, or
/// one part if that is more, and no more than lists of n columns for each row. (For 3168 rows in flight and values of 8
/// bytes lists of 7000 columns. Longer rows are found one after the other.)
template <class V, class I>
constexpr size_type ilut_device_parts(size_type n)
{
    return std::clamp((size_type{1} << 28) / ilut_part_bytes<V, I>(n), size_type{1}, std::max(n / 2, size_type{1}));
}

/// f := L (strictly lower) and U of ILUT(k, tol): row i of A is eliminated by the rows k < i that it has entries in, in
/// increasing k, with fill anywhere:  l_ik := a_ik / u_kk,  a_ij := a_ij - l_ik u_kj for j > k in row k of f. A
/// multiplier below tolerance ||a_i||_2 is dropped before it is used, other entries when the row is done; then the
/// row_limit largest in magnitude (of equal ones the first; what is not a number counts as infinite) stay on each side
/// of the diagonal, which is always there. f has rule.ilut_capacity().  ||a_i||_2 is that of A's row.  Bad pivots as in
/// ilu_factorize. A: n x n, rows in any order, the diagonal may be absent. shift: shift ||a_i||_2 is added to a_ii.
/// f and *report are overwritten. Deterministic: threads take rows in turns and wait for those they need; the result is
/// that of one thread, to the bit, on every backend, since each step is rounded as core/portable/ilut_arithmetic.hpp
/// says. Workspace: ilut_workspace_bytes<V, I>(n, at least 1), more parts for more threads. [Saad94], [Naumov11, 5]
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, ThresholdRule rule, real_t<V> shift, LimitedRowsView<V, I> f,
                             PivotReport* report, WorkspaceView workspace)>
    ilut_factorize{"ilut::factorize", types_of<V, I>};

/// f := U of the Cholesky factorization with thresholds, A ~ U^H U, with the diagonal first in each row; L = U^H.
/// Row i by the rows k < i that have an entry in column i, in increasing k, with fill anywhere:
///   a_ij := a_ij - conj(u_ki) u_kj for j >= i in row k,   u_ii := sqrt(a_ii),   u_ij := a_ij / u_ii.
/// Then entries off the diagonal are dropped below tolerance ||a_i||_2, and limited, as in ilut_factorize; f has
/// rule.ict_capacity(). What row k
/// has dropped takes no part in row i, so that f is the exact factor of a matrix U^H U near A. Bad pivots as in
/// ic_factorize: where not Re a_ii > eps ||a_i||_2, sqrt(||a_i||_2) stands in for u_ii, or 1.
/// A: Hermitian, both triangles, the pattern symmetric (but for the diagonal, which may be absent): the lower one is
/// read for its pattern, and for norms. As ilut_factorize otherwise.
/// [LinMore99], by rows that find out themselves which rows they need.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, ThresholdRule rule, real_t<V> shift, LimitedRowsView<V, I> f,
                             PivotReport* report, WorkspaceView workspace)>
    ict_factorize{"ict::factorize", types_of<V, I>};

/// Limited rows as a matrix in compressed rows; row_ptrs are the prefix sums of f.counts. Deterministic.
template <class V, class I>
inline constinit kernel<void(LimitedRowsView<V, I> f, const I* row_ptrs, I* col_idxs, V* values)> ilut_compact{
    "ilut::compact", types_of<V, I>};

}  // namespace linden
