#include "core/kernels/gmres.hpp"

#include "core/base/host_clock.hpp"
#include "core/base/math.hpp"
#include "core/kernels/reduction.hpp"

namespace linden::reference {
namespace {

template <class R>
std::int32_t num_running(const StopView<R>& stop)
{
    std::int32_t running = 0;
    for (size_type col = 0; col < stop.cols; ++col) {
        running += stop.is_running(col);
    }
    return running;
}

template <class V>
void start(const Executor&, DenseView<const V> r, DenseView<V> v, GmresScalars<V> s, StopView<real_t<V>> stop)
{
    for (size_type col = 0; col < v.cols; ++col) {
        s.used[col] = 0;
        s.g[col] = stop.residual[col];
        for (size_type row = 0; row < v.rows; ++row) {
            v(row, col) = stop.is_running(col) ? r(row, col) / stop.residual[col] : V{};
        }
    }
}

/// v_i(:, col)^H w(:, col)
template <class V>
V basis_dot(BasisView<const V> basis, size_type i, DenseView<const V> w, size_type col)
{
    V sum{};
    for (size_type row = 0; row < w.rows; ++row) {
        sum += conj(basis(i, row, col)) * w(row, col);
    }
    return sum;
}

/// w := w - V h, one column
template <class V>
void subtract(BasisView<const V> basis, const V* h, DenseView<V> w, size_type col)
{
    for (size_type i = 0; i < basis.count; ++i) {
        for (size_type row = 0; row < w.rows; ++row) {
            w(row, col) -= h[i * w.cols + col] * basis(i, row, col);
        }
    }
}

template <class V>
void multi_dot(const Executor&, BasisView<const V> basis, DenseView<const V> w, V* h, StopView<real_t<V>> stop,
               WorkspaceView workspace)
{
    for (size_type col = 0; col < w.cols; ++col) {
        if (!stop.is_running(col)) {
            continue;
        }
        for (size_type i = 0; i < basis.count; ++i) {
            h[i * w.cols + col] = basis_dot(basis, i, w, col);
        }
        sum_over_ranks(workspace, h + col, basis.count, w.cols);
    }
}

template <class V>
void multi_subtract(const Executor&, BasisView<const V> basis, DenseView<V> w, GmresScalars<V> s,
                    StopView<real_t<V>> stop, WorkspaceView workspace)
{
    for (size_type col = 0; col < w.cols; ++col) {
        if (!stop.is_running(col)) {
            continue;
        }
        subtract(basis, s.h, w, col);
        for (size_type i = 0; i < basis.count; ++i) {
            s.c[i * w.cols + col] = basis_dot<V>(basis, i, w, col);
        }
        s.ww[col] = 0;
        for (size_type row = 0; row < w.rows; ++row) {
            s.ww[col] += abs2(w(row, col));
        }
        sum_over_ranks(workspace, s.c + col, basis.count, w.cols);
        sum_over_ranks(workspace, s.ww + col);
    }
}

template <class V>
void rotate(const Executor&, GmresScalars<V> s, size_type j, StopView<real_t<V>> stop)
{
    for (size_type col = 0; col < stop.cols; ++col) {
        if (stop.is_running(col)) {
            gmres_rotate_column(s, j, col, stop);
        }
    }
    end_iteration(stop, host_clock_ns(stop), [&](size_type col) { return stop.residual[col]; });
}

template <class V>
void normalize(const Executor&, BasisView<const V> basis, DenseView<V> w, GmresScalars<V> s, StopView<real_t<V>> stop)
{
    for (size_type col = 0; col < w.cols; ++col) {
        if (stop.is_running(col) && s.again[col] != 0) {
            subtract(basis, s.c, w, col);
        }
        for (size_type row = 0; row < w.rows; ++row) {
            w(row, col) = stop.is_running(col) ? s.scale[col] * w(row, col) : V{};
        }
    }
}

template <class V>
void solve(const Executor&, GmresScalars<V> s, size_type cols)
{
    for (size_type col = 0; col < cols; ++col) {
        gmres_solve_column(s, col, cols);
    }
}

template <class V>
void combine(const Executor&, BasisView<const V> basis, const V* y, const std::int32_t* used, bool overwrite,
             DenseView<V> x)
{
    for (size_type col = 0; col < x.cols; ++col) {
        for (size_type row = 0; row < x.rows; ++row) {
            V sum{};
            for (size_type i = 0; i < basis.count && i < used[col]; ++i) {
                sum += y[i * x.cols + col] * basis(i, row, col);
            }
            if (overwrite || used[col] > 0) {
                x(row, col) = overwrite ? sum : x(row, col) + sum;
            }
        }
    }
}

template <class V>
void residual(const Executor&, DenseView<const V> b, DenseView<V> v, StopView<real_t<V>> stop, WorkspaceView workspace)
{
    if (stop.header->running == 0) {
        return;
    }
    for (size_type col = 0; col < v.cols; ++col) {
        real_t<V> sum{};
        for (size_type row = 0; row < v.rows; ++row) {
            v(row, col) = b(row, col) - v(row, col);
            sum += abs2(v(row, col));
        }
        sum_over_ranks(workspace, &sum);
        if (stop.is_running(col)) {
            gmres_check_restart(stop, col, std::sqrt(sum));
        }
    }
    stop.header->running = num_running(stop);
}

}  // namespace

void register_gmres()
{
    for_each_value([]<class V>() {
        gmres_start<V>.bind(Backend::reference, start<V>);
        gmres_multi_dot<V>.bind(Backend::reference, multi_dot<V>);
        gmres_multi_subtract<V>.bind(Backend::reference, multi_subtract<V>);
        gmres_rotate<V>.bind(Backend::reference, rotate<V>);
        gmres_normalize<V>.bind(Backend::reference, normalize<V>);
        gmres_solve<V>.bind(Backend::reference, solve<V>);
        gmres_combine<V>.bind(Backend::reference, combine<V>);
        gmres_residual<V>.bind(Backend::reference, residual<V>);
    });
}

}  // namespace linden::reference
