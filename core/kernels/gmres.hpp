#pragma once

#include <linden/views.hpp>

#include "core/base/math.hpp"
#include "core/kernels/stop.hpp"
#include "core/kernels/stored_types.hpp"

/// The fused work of restarted GMRES, for k right-hand sides that share their steps. Step j of a cycle turns
/// w = A M^-1 v_j into v_{j+1}: two kernels orthogonalise w against the basis, one works on scalars and applies the
/// stopping rule, one completes the vector. [SaadSchultz86; Saad93 for the flexible variant]
///
/// Orthogonalisation is classical Gram-Schmidt, done twice where once is not enough. [GiraudLangouRozloznik05] The
/// second pass is formed together with the first update, so it costs no reading of the basis to know whether it
/// matters:
///     h := V^H w;  w := w - V h;  c := V^H w;  and only where ||c|| > sqrt(eps) ||w||  also  w := w - V c, h := h + c.
/// A basis orthogonal up to sqrt(eps) changes the residual's minimum by as little, and the Arnoldi relation
/// A V = V H holds to rounding in any case. [Simon84]
namespace linden {

/// `count` blocks of n x k values, row-major without padding, `stride` values from block to block.
template <class V>
struct BasisView {
    size_type count = 0;
    size_type rows = 0;
    size_type cols = 0;
    size_type stride = 0;
    V* values = nullptr;
    double unit = 1;  ///< of values in half precision, a power of two: those of the vectors over it are in range

    constexpr V& operator()(size_type i, size_type row, size_type col) const
    {
        return values[i * stride + row * cols + col];
    }
    /// The first `n` blocks.
    constexpr BasisView<const V> first(size_type n) const { return {n, rows, cols, stride, values, unit}; }
};

/// The scalars of a cycle of at most m steps, k of each in the executor's memory: entry i of column col of the
/// right-hand sides is at [i k + col].
template <class V>
struct GmresScalars {
    size_type krylov_dim;  ///< m
    V* h;                  ///< m + 1: V^H w
    V* c;                  ///< m + 1: V^H w after the first subtraction; of a second one, where `again`
    real_t<V>* ww;         ///< 1: w^H w after the first subtraction
    V* upper;              ///< m x m: column j of the triangle R at [(j m + i) k + col], i <= j
    real_t<V>* cosine;     ///< m: of the rotations
    V* sine;               ///< m
    V* g;                  ///< m + 1: ||r|| e_1, rotated
    V* y;                  ///< m: coefficients of the correction
    real_t<V>* scale;      ///< 1: 1 / ||w||
    std::int32_t* again;   ///< 1: whether w has to be orthogonalised again
    std::int32_t* used;    ///< 1: steps of this cycle that count
};

/// Starts a cycle from residuals r, whose norms are in the stopping state: v := r / ||r||, 0 for columns that have
/// stopped;  g_0 := ||r||;  used := 0 for all columns.  r may be v. 2 n words.
template <class V>
inline constinit kernel<void(DenseView<const V> r, DenseView<V> v, GmresScalars<V> scalars, StopView<real_t<V>> stop)>
    gmres_start{"gmres::start", types_of<V>};

/// h[i k + col] := v_i(:, col)^H w(:, col) for running columns.  basis: v_0 .. v_j.
/// (j + 2) n words: w is read once, each basis vector once. Deterministic.
/// Workspace: reduction_workspace_bytes<V>((j + 1) k).
template <class V>
inline constinit kernel<void(BasisView<const V> basis, DenseView<const V> w, V* h, StopView<real_t<V>> stop,
                             WorkspaceView workspace)>
    gmres_multi_dot{"gmres::multi_dot", types_of<V>};

/// w := w - V h;  c := V^H w;  ww := w^H w, both of the new w, for running columns.  basis: v_0 .. v_j.
/// (j + 3) n words: a row of the basis serves the subtraction and the products. Deterministic.
/// Workspace: reduction_workspace_bytes<V>((j + 2) k).
template <class V>
inline constinit kernel<void(BasisView<const V> basis, DenseView<V> w, GmresScalars<V> scalars,
                             StopView<real_t<V>> stop, WorkspaceView workspace)>
    gmres_multi_subtract{"gmres::multi_subtract", types_of<V>};

/// The scalar work of step j for running columns: completes column j of the Hessenberg matrix, rotates it to triangular
/// form and the right-hand side along, then applies the stopping rule to ||r|| = |g_{j+1}|; `gmres_rotate_column` has
/// the formulas. No vectors.
template <class V>
inline constinit kernel<void(GmresScalars<V> scalars, size_type j, StopView<real_t<V>> stop)> gmres_rotate{
    "gmres::rotate", types_of<V>};

/// w := scale w for running columns, w := scale (w - V c) for those with `again`, w := 0 for columns that have stopped,
/// whatever they hold.  basis: v_0 .. v_j.
/// 2 n words, (j + 3) n if any running column has `again`.
template <class V>
inline constinit kernel<void(BasisView<const V> basis, DenseView<V> w, GmresScalars<V> scalars,
                             StopView<real_t<V>> stop)>
    gmres_normalize{"gmres::normalize", types_of<V>};

/// Ends a cycle of the `used` steps of each of num_cols columns: y := R^-1 g, and y_i := 0 for i >= used. No vectors.
template <class V>
inline constinit kernel<void(GmresScalars<V> scalars, size_type num_cols)> gmres_solve{"gmres::solve", types_of<V>};

/// x := x + sum of y_i v_i, i < min(used, number of basis vectors), for columns with used > 0; others stay.
/// With `overwrite` the sum alone, 0 where used = 0. S: what the basis is stored in.
/// (m + 2) n words, (m + 1) n with `overwrite`.
template <class V, class S = V>
inline constinit kernel<void(BasisView<const S> basis, const V* y, const std::int32_t* used, bool overwrite,
                             DenseView<V> x)>
    gmres_combine{"gmres::combine", types_of<V, S>};

/// v := b - v, where v = A x;  the residual of running columns := ||v||. Those at their tolerance are converged, those
/// that are not finite not_a_number; no iteration is counted. Where no column runs nothing happens.
/// 3 n words. Deterministic. Workspace: reduction_workspace_bytes<V>(k).
template <class V>
inline constinit kernel<void(DenseView<const V> b, DenseView<V> v, StopView<real_t<V>> stop, WorkspaceView workspace)>
    gmres_residual{"gmres::residual", types_of<V>};

/// Decides about the new vector of step j: sets `again` and adds c to h where it is. Returns ||w|| as it will be, which
/// is 0 where A M^-1 v_j lies in the span of the basis up to rounding: what is left then is noise.
/// `column_squared` gets the squared norm of column j of the Hessenberg matrix without its last entry.
template <class V>
LINDEN_HOST_DEVICE inline real_t<V> gmres_complete_column(const GmresScalars<V>& s, size_type j, size_type col,
                                                          size_type cols, real_t<V>& column_squared)
{
    using R = real_t<V>;
    using std::sqrt;
    constexpr R eps = unit_roundoff<V>;
    const auto squared = [](V x) { return real_t<V>(magnitude(x) * magnitude(x)); };
    R cc{};
    for (size_type i = 0; i <= j; ++i) {
        cc += squared(s.c[i * cols + col]);
    }
    const R ww = s.ww[col];
    const bool again = cc > eps * ww;
    column_squared = R{};
    for (size_type i = 0; i <= j; ++i) {
        V& h = s.h[i * cols + col];
        h = again ? h + s.c[i * cols + col] : h;
        column_squared += squared(h);
    }
    s.again[col] = again;
    // Where the second pass takes half away, there was nothing but rounding errors. [GiraudLangouRozloznik05]
    const R rest = again ? ww - cc : ww;
    const bool dependent = is_finite(ww) && (rest <= ww / 2 || rest <= 64 * eps * eps * column_squared);
    return dependent ? R{} : sqrt(rest);
}

/// Applies the rotations so far to column j of the Hessenberg matrix; its entries go to `upper`, the last is returned.
template <class V>
LINDEN_HOST_DEVICE inline V gmres_apply_rotations(const GmresScalars<V>& s, size_type j, size_type col, size_type cols)
{
    V* const upper = s.upper + j * s.krylov_dim * cols + col;
    V entry = s.h[col];
    for (size_type i = 0; i < j; ++i) {
        const V below = s.h[(i + 1) * cols + col];
        const V cosine{s.cosine[i * cols + col]};
        const V sine = s.sine[i * cols + col];
        upper[i * cols] = cosine * entry + sine * below;
        entry = cosine * below - conj(sine) * entry;
    }
    return entry;
}

/// Appends column j of the Hessenberg matrix, `h` and the last entry `norm`, to R for one running column, and sets
/// `residual` to the new norm, `used` to j + 1 and `scale`. `column_squared`: the squared norm of `h`.
/// - h_{j+1,j} = 0: the solution lies in the span, the residual becomes 0 (the lucky breakdown). [Saad03, 6.5.4]
/// - R_jj = 0 as well: A M^-1 is singular on the span; the column breaks down and keeps its j steps.
/// - not finite: not_a_number, and the column keeps its j steps.
template <class V>
LINDEN_HOST_DEVICE inline void gmres_append_column(const GmresScalars<V>& s, size_type j, size_type col,
                                                   const StopView<real_t<V>>& stop, real_t<V> norm,
                                                   real_t<V> column_squared)
{
    using R = real_t<V>;
    using std::sqrt;
    const size_type cols = stop.cols;
    const V last = gmres_apply_rotations(s, j, col, cols);
    const R last_abs = magnitude(last);
    const R length = sqrt(last_abs * last_abs + norm * norm);
    if (!is_finite(length)) {
        stop.status[col] = SolveStatus::not_a_number;
        return;
    }
    const R rounding = 4 * unit_roundoff<V> * sqrt(static_cast<R>(j + 1) * column_squared);
    if (norm == R{} && last_abs <= rounding) {
        stop.status[col] = SolveStatus::breakdown;
        return;
    }
    // [ c  s; -conj(s)  c ] (last, norm)^T = (length phase, 0)^T
    const V phase = last_abs == R{} ? V{R{1}} : last / V{last_abs};
    const R cosine = last_abs / length;
    const V sine = phase * V{norm / length};
    s.cosine[j * cols + col] = cosine;
    s.sine[j * cols + col] = sine;
    s.upper[(j * s.krylov_dim + j) * cols + col] = phase * V{length};
    const V g = s.g[j * cols + col];
    s.g[j * cols + col] = V{cosine} * g;
    s.g[(j + 1) * cols + col] = -conj(sine) * g;
    s.scale[col] = R{1} / norm;
    s.used[col] = static_cast<std::int32_t>(j + 1);
    stop.residual[col] = magnitude(s.g[(j + 1) * cols + col]);
}

/// Step j for one running column, shared by the backends: `gmres_append_column` of what `gmres_complete_column` gives.
template <class V>
LINDEN_HOST_DEVICE inline void gmres_rotate_column(const GmresScalars<V>& s, size_type j, size_type col,
                                                   const StopView<real_t<V>>& stop)
{
    real_t<V> column_squared{};
    const real_t<V> norm = gmres_complete_column(s, j, col, stop.cols, column_squared);
    gmres_append_column(s, j, col, stop, norm, column_squared);
}

/// y := R^-1 g for one column, shared by the backends.
template <class V>
LINDEN_HOST_DEVICE inline void gmres_solve_column(const GmresScalars<V>& s, size_type col, size_type cols)
{
    const size_type m = s.krylov_dim;
    for (size_type i = m; i-- > 0;) {
        V sum{};
        if (i < s.used[col]) {
            sum = s.g[i * cols + col];
            for (size_type l = i + 1; l < s.used[col]; ++l) {
                sum = sum - s.upper[(l * m + i) * cols + col] * s.y[l * cols + col];
            }
            sum = sum / s.upper[(i * m + i) * cols + col];
        }
        s.y[i * cols + col] = sum;
    }
}

/// The check of gmres_residual for one running column, shared by the backends.
template <class R>
LINDEN_HOST_DEVICE inline void gmres_check_restart(const StopView<R>& stop, size_type col, R norm)
{
    stop.residual[col] = norm;
    if (!is_finite(norm)) {
        stop.status[col] = SolveStatus::not_a_number;
    } else if (norm <= stop.tolerance[col]) {
        stop.status[col] = SolveStatus::converged;
    }
}

}  // namespace linden
