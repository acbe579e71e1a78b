#pragma once

#include <linden/views.hpp>

#include "core/kernels/ilu.hpp"

/// Incomplete factorizations with thresholds. On hosts only; devices take the factors, and new values on their pattern
/// by `ilu_factorize` and `ic_factorize`.
namespace linden {

/// What a row keeps.
struct ThresholdRule {
    size_type row_limit = 0;  ///< the most entries of a row, with the diagonal, which stays; at least 1
    double tolerance = 0;     ///< entries with |l_ij| or |u_ij| < tolerance ||a_i||_2 are dropped
};

/// Room for rows of at most `row_limit` entries: row i has counts[i] entries from i row_limit on, sorted.
template <class V, class I>
struct LimitedRowsView {
    size_type rows = 0;
    size_type row_limit = 0;
    I* counts = nullptr;
    I* cols = nullptr;
    V* values = nullptr;
};

/// What `parts` parts of the rows need to work in.
template <class V>
constexpr size_type ilut_workspace_bytes(size_type n, size_type parts)
{
    return n * 16 + parts * (n * static_cast<size_type>(sizeof(V) + 24) + 256);
}

/// f := L (strictly lower) and U of ILUT(k, tol): row i of A is eliminated by the rows k < i that it has entries in, in
/// increasing k, with fill anywhere; a multiplier l_ik below tolerance ||a_i||_2 is dropped before it is used, other
/// entries when the row is done; then the row_limit - 1 largest in magnitude (of equal ones the first) stay beside the
/// diagonal.  ||a_i||_2 is that of A's row.  Bad pivots as in ilu_factorize.  A: sorted rows, the diagonal may be
/// absent. shift: added to the diagonal as ilu_prepare_rows does. Threads take rows in turns and wait for those they
/// need; the result is that of one thread. Arguments: A, rule, shift, f, report, workspace of
/// ilut_workspace_bytes<V>(n, at least 1). [Saad94], [Naumov11, 5]
template <class V, class I>
inline constinit LINDEN_EXPORT
    kernel<void(CsrView<V, I>, ThresholdRule, real_t<V>, LimitedRowsView<V, I>, PivotReport*, WorkspaceView)>
        ilut_factorize{"ilut::factorize", types_of<V, I>};

/// f := L of the Cholesky factorization with thresholds, with the diagonal last in each row. By rows, of A's lower
/// triangle alone: l_ik from left to right with fill, dropped below tolerance ||a_i||_2 (of A's lower row, both
/// triangles counted), then the row_limit - 1 largest beside the diagonal. Bad pivots as in ic_factorize. As
/// ilut_factorize otherwise.
template <class V, class I>
inline constinit LINDEN_EXPORT
    kernel<void(CsrView<V, I>, ThresholdRule, real_t<V>, LimitedRowsView<V, I>, PivotReport*, WorkspaceView)>
        ict_factorize{"ict::factorize", types_of<V, I>};

/// Limited rows as a matrix in compressed rows; row_ptrs are the prefix sums of f.counts.
/// Arguments: f, row_ptrs, col_idxs, values.
template <class V, class I>
inline constinit LINDEN_EXPORT kernel<void(LimitedRowsView<V, I>, const I*, I*, V*)> ilut_compact{"ilut::compact",
                                                                                                  types_of<V, I>};

}  // namespace linden
