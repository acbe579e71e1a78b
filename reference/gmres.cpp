#include "core/kernels/gmres.hpp"

#include "core/base/host_clock.hpp"
#include "core/base/math.hpp"
#include "core/portable/stored_basis.hpp"
#include "reference/row_sums.hpp"

namespace linden::reference {
namespace {

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

/// sums[i] := sums[i] + the term of `row` in v_i(:, col)^H w(:, col)
template <class V>
void add_products(BasisView<const V> basis, DenseView<const V> w, size_type row, size_type col, V* sums)
{
    for (size_type i = 0; i < basis.count; ++i) {
        sums[i] += conj(basis(i, row, col)) * w(row, col);
    }
}

/// target[i * stride] := values[i]
template <class V>
void put_column(const V* values, size_type count, V* target, size_type stride)
{
    for (size_type i = 0; i < count; ++i) {
        target[i * stride] = values[i];
    }
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
        RowSums<V> sums(workspace, basis.count);
        for (size_type row = 0; row < w.rows; ++row) {
            add_products(basis, w, row, col, sums.at(row));
        }
        sums.finish([&](const V* totals) { put_column(totals, basis.count, h + col, w.cols); });
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
        RowSums<V> sums(workspace, basis.count + 1);
        for (size_type row = 0; row < w.rows; ++row) {
            V* const sum = sums.at(row);
            add_products<V>(basis, w, row, col, sum);
            sum[basis.count] += abs2(w(row, col));
        }
        sums.finish([&](const V* totals) {
            put_column(totals, basis.count, s.c + col, w.cols);
            s.ww[col] = real(totals[basis.count]);
        });
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

template <class V, class S>
void combine(const Executor&, BasisView<const S> basis, const V* y, const std::int32_t* used, bool overwrite,
             DenseView<V> x)
{
    for (size_type col = 0; col < x.cols; ++col) {
        for (size_type row = 0; row < x.rows; ++row) {
            V sum{};
            for (size_type i = 0; i < basis.count && i < used[col]; ++i) {
                sum += y[i * x.cols + col] * basis_value<V>(basis, i, row, col);
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
        RowSums<real_t<V>> sums(workspace);
        for (size_type row = 0; row < v.rows; ++row) {
            v(row, col) = b(row, col) - v(row, col);
            *sums.at(row) += abs2(v(row, col));
        }
        const auto sum = sums.total();
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
        gmres_residual<V>.bind(Backend::reference, residual<V>);
    });
    for_each_basis_storage([]<class V, class S>() { gmres_combine<V, S>.bind(Backend::reference, combine<V, S>); });
}

}  // namespace linden::reference
