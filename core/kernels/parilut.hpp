#pragma once

#include <linden/views.hpp>

#include "core/kernels/ilu.hpp"
#include "core/kernels/ilut.hpp"

/// Incomplete factors by fixed-point iterations, on a pattern that follows the values. [ChowPatel15], [AnztEtAl19b]
///
/// S (n x n) holds both factors: U in its upper triangle with the diagonal, and L D in its strictly lower triangle, D =
/// diag(S). Rows are sorted; columns are unique and include the diagonal. An iteration makes W from S,
///     w_ij = a_ij - sum over k < min(i, j) of (s_ik s_kj) / s_kk,
/// If L U = A on the pattern of S, then W = S there: the factors are a fixed point. In other places w_ij is the
/// residual (A - L U)_ij. If A is Hermitian, so is W.
///
/// Products are subtracted in the order of k, and each step is rounded, so that every backend has the same bits.
/// The relative magnitude of s_ij is |s_ij| / sqrt(|s_ii s_jj|), which does not depend on how A is scaled.
namespace linden {

/// Rows of S so long that devices find their products by columns of U, a wave to columns_of_wave columns.
template <class I>
struct LongRows {
    size_type count = 0;
    const I* rows = nullptr;    ///< ascending
    PatternView<I> columns{};   ///< the pattern of S^T, rows sorted
    const I* source = nullptr;  ///< the entry of S that each of its entries is
    I* offsets = nullptr;  ///< (count) x (waves): parilut_count leaves for parilut_form where entries of a wave begin
};

/// A row of S is long if so many entries are left of its diagonal. A lone row of a million entries took seconds by the
/// way of short ones, which searches all its rows of U for each column.
inline constexpr size_type least_long_row = 512;
inline constexpr size_type columns_of_wave = 512;
constexpr size_type waves_of_row(size_type n) { return (n + columns_of_wave - 1) / columns_of_wave; }

/// S, and what follows from its diagonal.
template <class V, class I>
struct FixedPointView {
    CsrView<V, I> s;
    const I* diagonal = nullptr;        ///< n: index of entry (i, i)
    const V* inverses = nullptr;        ///< n: 1 / s_ii
    const real_t<V>* scales = nullptr;  ///< n: 1 / sqrt(|s_ii|)
    LongRows<I> long_rows{};            ///< all of them, or none; hosts do not look
};

/// What parilut_check_pivots writes.
template <class V>
struct PivotInverses {
    V* inverses = nullptr;          ///< n: 1 / s_ii
    real_t<V>* scales = nullptr;    ///< n: 1 / sqrt(|s_ii|)
    PivotReport* report = nullptr;  ///< overwritten
};

/// Checks the pivots, the diagonal of S. An entry is bad unless |s_ii| > eps norms[i], or for Hermitian A unless Re
/// s_ii > eps norms[i]. A bad entry becomes norms[i], or 1 where that is 0 or not finite. Of a Hermitian matrix only
/// the real part is kept. diagonal, norms: n values, ||a_i||_2.
template <class V, class I>
inline constinit kernel<void(size_type n, const I* diagonal, const real_t<V>* norms, bool is_hermitian, V* values,
                             PivotInverses<V> pivots)>
    parilut_check_pivots{"parilut::check_pivots", types_of<V, I>};

/// The rows of W that are formed: rows[0], ..., rows[count - 1], or all where `rows` is null and count = n.
template <class I>
struct RowSelection {
    size_type count = 0;
    const I* rows = nullptr;

    constexpr size_type operator[](size_type i) const { return rows == nullptr ? i : rows[i]; }
};

/// Room for `parts` rows to be formed at a time on hosts; devices need none.
template <class V, class I>
constexpr size_type parilut_workspace_bytes(size_type n, size_type parts)
{
    return parts * ilut_part_bytes<V, I>(n);
}

/// counts[i] := number of entries that are kept of the i-th selected row of W, which is formed for A's pattern, the
/// diagonal, and that of L U: the diagonal, and finite entries of a relative magnitude (by f.scales) above *threshold.
/// a: sorted rows, the diagonal may be absent. Reads S once for each of its entries, stores no product.
/// Workspace: parilut_workspace_bytes<V, I>(n, at least 1), in any state; more parts for more threads.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, FixedPointView<V, I> f, RowSelection<I> selection,
                             const real_t<V>* threshold, I* counts, WorkspaceView workspace)>
    parilut_count{"parilut::count", types_of<V, I>};

/// A matrix that is written, for given row pointers.
template <class V, class I>
struct FormedRows {
    const I* row_ptrs = nullptr;
    I* col_idxs = nullptr;
    V* values = nullptr;
};

/// The same entries, by columns, for the row pointers that the counts add up to. The last call of parilut_count had the
/// same arguments.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> a, FixedPointView<V, I> f, RowSelection<I> selection,
                             const real_t<V>* threshold, FormedRows<V, I> formed, WorkspaceView workspace)>
    parilut_form{"parilut::form", types_of<V, I>};

/// values := W on the pattern of S.  a: the entries of A there, 0 where A has none; values: not those of S.
template <class V, class I>
inline constinit kernel<void(FixedPointView<V, I> f, const V* a, V* values)> parilut_sweep{"parilut::sweep",
                                                                                           types_of<V, I>};

/// By what a sweep in place judges the pivots that it has found itself, as parilut_check_pivots does.
template <class R>
struct PivotRule {
    const R* norms = nullptr;  ///< n: ||a_i||_2
    bool is_hermitian = false;
};

/// values := W on the pattern of S, in place within blocks of block_rows rows, of which the last may have fewer.
/// Entries are found row by row, in the order of their columns. An entry of the same block that comes earlier is read
/// as it was just found, s_kk as judged by `rule`; all others are read from S. So a single block has the values of
/// elimination on the pattern. Blocks do not read each other's new values: no executor and no number of threads changes
/// a bit. a, values: as for parilut_sweep. block_rows: at least 1.
template <class V, class I>
inline constinit kernel<void(FixedPointView<V, I> f, const V* a, PivotRule<real_t<V>> rule, size_type block_rows,
                             V* values)>
    parilut_sweep_in_place{"parilut::sweep_in_place", types_of<V, I>, {.eps = 0}};

/// magnitudes[k] := the relative magnitude of entry k of the selected rows, infinity on the diagonal, -1 where it is
/// not finite.  w: the selected rows, w.rows of them.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> w, RowSelection<I> selection, const real_t<V>* scales,
                             real_t<V>* magnitudes)>
    parilut_measure{"parilut::measure", types_of<V, I>};

/// counts[i] := number of entries of row i of W that are kept, as parilut_count says.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> w, const real_t<V>* scales, const real_t<V>* threshold, I* counts)>
    parilut_count_large{"parilut::count_large", types_of<V, I>};

/// kept := these entries, for the row pointers that the counts add up to.
template <class V, class I>
inline constinit kernel<void(CsrView<V, I> w, const real_t<V>* scales, const real_t<V>* threshold,
                             FormedRows<V, I> kept)>
    parilut_take_large{"parilut::take_large", types_of<V, I>};

/// The values of factors from those of S, in place: strictly lower s_ij := s_ij inverses[j], the unit diagonal of L is
/// not stored; for Cholesky factors, where s is the lower triangle, s_ij := s_ij scales[j] and s_ii := sqrt(s_ii).
template <class V, class I>
inline constinit kernel<void(PatternView<I> s, bool is_cholesky, const V* inverses, const real_t<V>* scales, V* values)>
    parilut_scale{"parilut::scale", types_of<V, I>};

}  // namespace linden
