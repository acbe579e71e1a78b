#include "core/kernels/gmres.hpp"

#include <cmath>

#include "core/base/host_clock.hpp"
#include "core/base/math.hpp"
#include "omp/basis.hpp"

namespace linden::omp {
namespace {

template <class V>
void start(const Executor& exec, DenseView<const V> r, DenseView<V> v, GmresScalars<V> s, StopView<real_t<V>> stop)
{
    using R = real_t<V>;
    for (size_type col = 0; col < v.cols; ++col) {
        s.used[col] = 0;
        s.g[col] = stop.residual[col];
    }
    // v := r / ||r||; 0 where a column has stopped
    const auto norm = [&](size_type col) { return stop.is_running(col) ? stop.residual[col] : R{}; };
    const auto divided = [](R by, V value) { return by == R{} ? V{} : value / by; };
    parallel_rows(exec, {v.rows, v.cols}, [&](size_type begin, size_type end) {
        if (r.values == v.values) {
            update_columns(v, begin, end, norm, divided);
            return;
        }
        const auto tile = [&](auto lanes, size_type rows, auto r_tile, auto v_tile) {
            const auto norms = lanes.gather(norm);
            for (size_type row = 0; row < rows; ++row) {
                for (int lane = 0; lane < lanes.width; ++lane) {
                    v_tile(row, lane) = divided(norms[lane], r_tile(row, lane));
                }
            }
        };
        for_each_tile(begin, end, v.cols, tile, r, v);
    });
}

template <class V>
void multi_dot(const Executor& exec, BasisView<const V> basis, DenseView<const V> w, V* h, StopView<real_t<V>> stop,
               WorkspaceView workspace)
{
    if (!any_running(stop)) {
        return;
    }
    const size_type sums_per_row = basis.count * w.cols;
    const auto body = [&](size_type begin, size_type end, V* sums) {
        for_each_chunk(basis, begin, end,
                       [&](size_type first, size_type last) { add_products(basis, w, first, last, sums); });
    };
    reduce_parts<V, 1>(exec, RowPartition{w.rows, sums_per_row}, sums_per_row, workspace, body, [&](const V* sums) {
        for (size_type i = 0; i < sums_per_row; ++i) {
            h[i] = stop.is_running(i % w.cols) ? sums[i] : h[i];
        }
    });
}

template <class V>
void multi_subtract(const Executor& exec, BasisView<const V> basis, DenseView<V> w, GmresScalars<V> s,
                    StopView<real_t<V>> stop, WorkspaceView workspace)
{
    if (!any_running(stop)) {
        return;
    }
    const size_type num_products = basis.count * w.cols;
    const size_type sums_per_row = num_products + w.cols;
    const auto runs = [&](size_type col) { return stop.is_running(col); };
    const auto body = [&](size_type begin, size_type end, V* sums) {
        for_each_chunk(basis, begin, end, [&](size_type first, size_type last) {
            // w := w - V h, V^H w, w^H w
            add_vectors<V>(basis, basis.count, w, first, last, {s.h, -1, nullptr, stop.status});
            add_products<V>(basis, w, first, last, sums);
            add_squares<V>(w, first, last, sums + num_products);
        });
    };
    reduce_parts<V, 1>(exec, RowPartition{w.rows, sums_per_row}, sums_per_row, workspace, body, [&](const V* sums) {
        for (size_type i = 0; i < num_products; ++i) {
            s.c[i] = runs(i % w.cols) ? sums[i] : s.c[i];
        }
        for (size_type col = 0; col < w.cols; ++col) {
            s.ww[col] = runs(col) ? real(sums[num_products + col]) : s.ww[col];
        }
    });
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
void normalize(const Executor& exec, BasisView<const V> basis, DenseView<V> w, GmresScalars<V> s,
               StopView<real_t<V>> stop)
{
    using R = real_t<V>;
    const auto again = [&](size_type col) { return stop.is_running(col) && s.again[col] != 0; };
    bool any_again = false;
    for (size_type col = 0; col < w.cols; ++col) {
        any_again |= again(col);
    }
    const size_type values_per_row = (any_again ? basis.count + 1 : 1) * w.cols;
    parallel_rows(exec, {w.rows, values_per_row}, [&](size_type begin, size_type end) {
        for_each_chunk(basis, begin, end, [&](size_type first, size_type last) {
            // w := w - V c where it matters, w := w / ||w||; 0 where a column has stopped
            if (any_again) {
                add_vectors<V>(basis, basis.count, w, first, last, {s.c, -1, nullptr, stop.status, s.again});
            }
            update_columns(
                w, first, last, [&](size_type col) { return stop.is_running(col) ? s.scale[col] : R{}; },
                [](R scale, V value) { return scale == R{} ? V{} : scale * value; });
        });
    });
}

template <class V>
void solve(const Executor&, GmresScalars<V> s, size_type cols)
{
    for (size_type col = 0; col < cols; ++col) {
        gmres_solve_column(s, col, cols);
    }
}

template <class V, class S>
void combine(const Executor& exec, BasisView<const S> basis, const V* y, const std::int32_t* used, bool overwrite,
             DenseView<V> x)
{
    size_type most = 0;
    for (size_type col = 0; col < x.cols; ++col) {
        most = std::max(most, std::min(basis.count, static_cast<size_type>(used[col])));
    }
    if (most == 0 && !overwrite) {
        return;
    }
    parallel_rows(exec, {x.rows, (most + 1) * x.cols}, [&](size_type begin, size_type end) {
        for_each_chunk(basis, begin, end, [&](size_type first, size_type last) {
            if (overwrite) {
                update_columns(
                    x, first, last, [](size_type) { return V{}; }, [](V zero, V) { return zero; });
            }
            // x := x + V y
            add_vectors<V>(basis, most, x, first, last, {y, 1, used});
        });
    });
}

template <class V>
void residual(const Executor& exec, DenseView<const V> b, DenseView<V> v, StopView<real_t<V>> stop,
              WorkspaceView workspace)
{
    using R = real_t<V>;
    if (stop.header->running == 0) {
        return;
    }
    const auto tile = [&](auto lanes, size_type rows, R* sums, auto b_tile, auto v_tile) {
        std::array<R, lanes.width> sum{};
        for (size_type row = 0; row < rows; ++row) {
            for (int lane = 0; lane < lanes.width; ++lane) {
                // v := b - v, ||v||
                const V value = b_tile(row, lane) - v_tile(row, lane);
                v_tile(row, lane) = value;
                sum[lane] += abs2(value);
            }
        }
        lanes.add(sum, sums);
    };
    const auto body = [&](size_type begin, size_type end, R* sums) {
        const auto with_sums = [&](auto lanes, size_type rows, auto... tiles) { tile(lanes, rows, sums, tiles...); };
        for_each_tile(begin, end, v.cols, with_sums, b, v);
    };
    reduce_rows<R, 1>(exec, v.rows, v.cols, workspace, body, [&](const R* sums) {
        std::int32_t running = 0;
        for (size_type col = 0; col < v.cols; ++col) {
            if (stop.is_running(col)) {
                gmres_check_restart(stop, col, std::sqrt(sums[col]));
                running += stop.is_running(col);
            }
        }
        stop.header->running = running;
    });
}

}  // namespace

void register_gmres()
{
    for_each_value([]<class V>() {
        gmres_start<V>.bind(Backend::omp, start<V>);
        gmres_multi_dot<V>.bind(Backend::omp, multi_dot<V>);
        gmres_multi_subtract<V>.bind(Backend::omp, multi_subtract<V>);
        gmres_rotate<V>.bind(Backend::omp, rotate<V>);
        gmres_normalize<V>.bind(Backend::omp, normalize<V>);
        gmres_solve<V>.bind(Backend::omp, solve<V>);
        gmres_residual<V>.bind(Backend::omp, residual<V>);
    });
    for_each_basis_storage([]<class V, class S>() { gmres_combine<V, S>.bind(Backend::omp, combine<V, S>); });
}

}  // namespace linden::omp
