#pragma once

#include "core/kernels/gmres.hpp"

/// GMRES with one sum for a step: Gram-Schmidt whose second pass is delayed to the next step, where its products are
/// formed beside those of the first pass there. [BielichEtAl22; SwirydowiczEtAl21]
///
/// Step j has v_0 .. v_{j-1}, a v_j that was orthogonalised once, and w = A M^-1 v_j. One sum forms
///     c := V^H v_j,  h := V^H w,  w^H w     (V has v_j as its last column here)
/// and tells whether v_j needs a second pass, v_j := (v_j - V c) / alpha, which changes column j - 1 of the Hessenberg
/// matrix H; then w := w - V h, whose norm is known before: ||w - V h||^2 = w^H w - h^H h. As in gmres.hpp the second
/// pass is left out where ||c|| <= sqrt(eps), as is the normalisation it has.
///
/// The difference loses digits where h holds most of w. Where less than arnoldi_floor of w^H w is left, that much is
/// taken for it, until the next sum has the norm itself. It is no smaller than the true one up to rounding, and so is
/// the residual that follows from it: a solve does not end too early. At the end of a cycle such a column is settled by
/// a sum of its own.
namespace linden {

/// Of w^H w; less is not told from rounding errors where the basis is orthogonal up to sqrt(eps).
template <class V>
inline constexpr real_t<V> arnoldi_floor = 16 * (sizeof(real_t<V>) == 4 ? real_t<V>(0x1p-12) : real_t<V>(0x1p-26));

/// Only a basis that holds other than what the arithmetic is in is written.
template <class V, class S>
using StoredVectors = std::conditional_t<std::is_same_v<V, S>, const V, S>;

/// The scalars of a cycle, as in GmresScalars: there `c` has V^H v_j, with v_j^H v_j at j, `h` V^H w, `again` whether
/// v_j is to have its second pass in this step, and `scale` 1 / ||w - V h||.
template <class V>
struct ArnoldiScalars {
    GmresScalars<V> gmres;
    V* column;           ///< m + 1: the last column of H, without its last entry
    V* product;          ///< m + 1: H c, where it is wanted
    real_t<V>* norm;     ///< 1: the last entry of that column
    real_t<V>* correct;  ///< 1: 1 / alpha, where `again`
    std::int32_t* open;  ///< 1: whether `norm` is a bound only; from 2 on, and then ends with status `open` - 2
};

/// c := (V, v)^H v;  h := (V, v)^H w;  ww := w^H w for running columns, with j + 1 entries in c and h.  basis: V, the
/// vectors v_0 .. v_{j-1};  v: v_j.  With `settles` only where a running column is `open`, and then for all that run.
/// (j + 2) n words: everything is read once. Deterministic. S: what V is stored in.
/// Workspace: reduction_workspace_bytes<V>((2 j + 3) k).
template <class V, class S = V>
inline constinit kernel<void(BasisView<const S> basis, DenseView<const V> v, DenseView<const V> w,
                             ArnoldiScalars<V> scalars, bool settles, StopView<real_t<V>> stop,
                             WorkspaceView workspace)>
    arnoldi_project{"arnoldi::project", types_of<V, S>};

/// The scalar work of step j for running columns: `arnoldi_correct_column`, which may change column j - 1 of H, then
/// `arnoldi_append_column` for column j, and the stopping rule. `flexible`: w = A z_j for a z_j that is kept. With
/// `settles` the first of the two alone, for columns that are `open`, and no iteration is counted. No vectors.
template <class V>
inline constinit kernel<void(ArnoldiScalars<V> scalars, size_type j, bool flexible, bool settles,
                             StopView<real_t<V>> stop)>
    arnoldi_advance{"arnoldi::advance", types_of<V>};

/// v := (v - V c) / alpha for columns with `again`, whether they run or not;  w := scale (w - (V, v) h) for running
/// columns, w := 0 for others, whatever they hold.  basis and v as in arnoldi_project. `is_last`: in the last step of a
/// cycle; w is then left alone unless a running column is `open`.
/// (j + 3) n words, (j + 4) n if any column has `again`. Where S, what V is stored in, is not V, v becomes its vector j
/// in all columns, rounded; where it is, v lies there.
template <class V, class S = V>
inline constinit kernel<void(BasisView<StoredVectors<V, S>> basis, DenseView<V> v, DenseView<V> w,
                             ArnoldiScalars<V> scalars, bool is_last, StopView<real_t<V>> stop)>
    arnoldi_orthogonalize{"arnoldi::orthogonalize", types_of<V, S>};

/// Whether `arnoldi_project` and `arnoldi_advance` have something to settle.
template <class V>
LINDEN_HOST_DEVICE inline bool arnoldi_is_open(const ArnoldiScalars<V>& s, const StopView<real_t<V>>& stop)
{
    bool result = false;
    for (size_type col = 0; col < stop.cols; ++col) {
        result |= stop.is_running(col) && s.open[col] != 0;
    }
    return result;
}

/// Undoes and repeats the last rotation of column col for a last column of H that has changed to `column` and `norm`.
/// What ends then was not known a step ago: `used` and the residual are those of then.
template <class V>
LINDEN_HOST_DEVICE inline void arnoldi_repeat_rotation(const ArnoldiScalars<V>& a, size_type j, size_type col,
                                                       const StopView<real_t<V>>& stop, real_t<V> column_squared)
{
    GmresScalars<V> s = a.gmres;
    const size_type cols = stop.cols;
    const size_type last = (j - 1) * cols + col;
    s.g[last] = V{s.cosine[last]} * s.g[last] - s.sine[last] * s.g[last + cols];
    s.used[col] = static_cast<std::int32_t>(j - 1);
    s.h = a.column;
    gmres_append_column(s, j - 1, col, stop, a.norm[col], column_squared);
    if (stop.is_running(col) && stop.residual[col] <= stop.tolerance[col]) {
        stop.status[col] = SolveStatus::converged;
    }
    if (stop.iterations[col] < stop.header->history_capacity) {
        stop.history[stop.iterations[col] * cols + col] = stop.residual[col];
    }
}

/// The second pass of v_j for one running column: decides about `again`, and completes column j - 1 of H.
template <class V>
LINDEN_HOST_DEVICE inline void arnoldi_correct_column(const ArnoldiScalars<V>& a, size_type j, size_type col,
                                                      const StopView<real_t<V>>& stop)
{
    using R = real_t<V>;
    using std::sqrt;
    constexpr R eps = unit_roundoff<V>;
    const auto squared = [](V x) { return R(magnitude(x) * magnitude(x)); };
    const size_type cols = stop.cols;
    const auto& s = a.gmres;
    R cc{};
    for (size_type i = 0; i < j; ++i) {
        cc += squared(s.c[i * cols + col]);
    }
    const R vv = real(s.c[j * cols + col]);
    const R off = vv - R{1};
    s.again[col] = j > 0 && (cc > eps * vv || off * off > eps);
    a.open[col] = 0;
    if (s.again[col] == 0) {
        return;
    }
    const R old_norm = a.norm[col];
    R column_squared{};
    for (size_type i = 0; i < j; ++i) {
        V& h = a.column[i * cols + col];
        h = h + V{old_norm} * s.c[i * cols + col];
        column_squared += squared(h);
    }
    const R rest = vv - cc;
    // Where the second pass takes half away, there was nothing but rounding errors. [GiraudLangouRozloznik05]
    const bool dependent =
        is_finite(vv) && (rest <= vv / 2 || old_norm * old_norm * rest <= 64 * eps * eps * column_squared);
    const R alpha = dependent ? R{} : sqrt(rest);
    a.norm[col] = old_norm * alpha;
    a.correct[col] = R{1} / alpha;
    arnoldi_repeat_rotation(a, j, col, stop, column_squared);
    if (!stop.is_running(col)) {
        s.again[col] = 0;  // v_j is not needed
    }
}

/// product := H c with the j columns of H so far, from R and the rotations.
template <class V>
LINDEN_HOST_DEVICE inline void arnoldi_multiply(const ArnoldiScalars<V>& a, size_type j, size_type col, size_type cols)
{
    const auto& s = a.gmres;
    for (size_type i = 0; i < j; ++i) {
        V sum{};
        for (size_type l = i; l < j; ++l) {
            sum = sum + s.upper[(l * s.krylov_dim + i) * cols + col] * s.c[l * cols + col];
        }
        a.product[i * cols + col] = sum;
    }
    a.product[j * cols + col] = V{};
    for (size_type i = j; i-- > 0;) {
        V& upper = a.product[i * cols + col];
        V& lower = a.product[(i + 1) * cols + col];
        const V cosine{s.cosine[i * cols + col]};
        const V sine = s.sine[i * cols + col];
        const V old = upper;
        upper = cosine * old - sine * lower;
        lower = conj(sine) * old + cosine * lower;
    }
}

/// Column j of H for one running column that has gone through `arnoldi_correct_column`, and its rotation.
template <class V>
LINDEN_HOST_DEVICE inline void arnoldi_append_column(const ArnoldiScalars<V>& a, size_type j, bool flexible,
                                                     size_type col, const StopView<real_t<V>>& stop)
{
    using R = real_t<V>;
    using std::sqrt;
    const auto squared = [](V x) { return R(magnitude(x) * magnitude(x)); };
    const size_type cols = stop.cols;
    GmresScalars<V> s = a.gmres;
    const bool again = s.again[col] != 0;
    if (again) {  // h_j := v_j^H w for the corrected v_j
        V last = s.h[j * cols + col];
        for (size_type i = 0; i < j; ++i) {
            last = last - conj(s.c[i * cols + col]) * s.h[i * cols + col];
        }
        s.h[j * cols + col] = V{a.correct[col]} * last;
    }
    R hh{};
    for (size_type i = 0; i <= j; ++i) {
        hh += squared(s.h[i * cols + col]);
    }
    const R least = arnoldi_floor<V> * s.ww[col];
    const R rest = s.ww[col] - hh;
    const R left = sqrt(rest > least ? rest : least);  // ||w - V h||
    a.open[col] = !(rest > least);
    // w = A M^-1 v_j for the v_j before its correction, alpha v_j + V c after it; z_j is what it was.
    const bool is_mixed = again && !flexible;
    const R factor = is_mixed ? a.correct[col] : R{1};
    if (is_mixed) {
        arnoldi_multiply(a, j, col, cols);
    }
    R column_squared{};
    for (size_type i = 0; i <= j; ++i) {
        const V h = s.h[i * cols + col];
        const V entry = is_mixed ? V{factor} * (h - a.product[i * cols + col]) : h;
        a.column[i * cols + col] = entry;
        column_squared += squared(entry);
    }
    a.norm[col] = factor * left;
    s.h = a.column;
    gmres_append_column(s, j, col, stop, a.norm[col], column_squared);
    s.scale[col] = R{1} / left;
    if (!stop.is_running(col)) {
        s.again[col] = 0;  // neither v_j nor w is needed
    }
}

/// arnoldi_advance but for the stopping rule, for one column.
template <class V>
LINDEN_HOST_DEVICE inline void arnoldi_advance_column(const ArnoldiScalars<V>& a, size_type j, bool flexible,
                                                      bool settles, size_type col, const StopView<real_t<V>>& stop)
{
    if (!stop.is_running(col) || (settles && a.open[col] == 0)) {
        a.gmres.again[col] = 0;
        return;
    }
    const std::int32_t open = j > 0 ? a.open[col] : 0;
    arnoldi_correct_column(a, j, col, stop);
    if (open >= 2 && stop.is_running(col)) {
        stop.status[col] = static_cast<SolveStatus>(open - 2);
        a.gmres.again[col] = 0;
    }
    if (!settles && stop.is_running(col)) {
        arnoldi_append_column(a, j, flexible, col, stop);
    }
}

/// Ends an iteration. A limit that ends a column whose last norm is a bound does so a step later, without another
/// iteration: then its residual and the correction of x are known.
template <class V>
LINDEN_HOST_DEVICE inline void arnoldi_end_iteration(const ArnoldiScalars<V>& a, const StopView<real_t<V>>& stop,
                                                     std::int64_t now)
{
    end_iteration(stop, now, [&](size_type col) { return stop.residual[col]; });
    for (size_type col = 0; col < stop.cols; ++col) {
        const SolveStatus status = stop.status[col];
        const bool is_limit =
            status == SolveStatus::max_iterations || status == SolveStatus::time || status == SolveStatus::stagnated;
        if (is_limit && a.open[col] == 1) {
            a.open[col] = 2 + static_cast<std::int32_t>(status);
            stop.status[col] = SolveStatus::running;
            ++stop.header->running;
        }
    }
}

/// arnoldi_advance for all columns, at the time `now`.
template <class V>
void arnoldi_advance_columns(const ArnoldiScalars<V>& a, size_type j, bool flexible, bool settles,
                             const StopView<real_t<V>>& stop, std::int64_t now)
{
    for (size_type col = 0; col < stop.cols; ++col) {
        arnoldi_advance_column(a, j, flexible, settles, col, stop);
    }
    if (settles) {
        stop.header->running = num_running(stop);
    } else {
        arnoldi_end_iteration(a, stop, now);
    }
}

}  // namespace linden
