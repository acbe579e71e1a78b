#include "core/kernels/eisenstat.hpp"

#include <array>

#include "core/base/host_clock.hpp"
#include "omp/colours.hpp"
#include "omp/columns.hpp"
#include "omp/parallel.hpp"
#include "omp/tiles.hpp"

namespace linden::omp {
namespace {

/// sum of d |r|^2 over a tile, lane by lane.
template <class V, class L, class DTile, class RTile>
std::array<real_t<V>, L::width> weighted_squares(L, size_type rows, DTile d, RTile r)
{
    std::array<real_t<V>, L::width> sum{};
    for (size_type row = 0; row < rows; ++row) {
        for (int lane = 0; lane < L::width; ++lane) {
            sum[lane] += d(row, lane) * abs2(V(r(row, lane)));
        }
    }
    return sum;
}

template <class V>
void start(const Executor& exec, const real_t<V>* d, DenseView<const V> r, EisenstatScalars<V> s,
           StopView<real_t<V>> stop, WorkspaceView workspace)
{
    using R = real_t<V>;
    const auto body = [&](size_type begin, size_type end, R* sums) {
        for_each_tile(
            begin, end, r.cols,
            [&](auto lanes, size_type rows, auto d_tile, auto r_tile) {
                lanes.add(weighted_squares<V>(lanes, rows, d_tile, r_tile), sums);
            },
            PerRowView<const R>{d, 1}, r);
    };
    reduce_rows<R, 1>(exec, r.rows, r.cols, workspace, body, [&](const R* sums) {
        for (size_type col = 0; col < r.cols; ++col) {
            s.rho[col] = sums[col];
            s.rho_old[col] = V{};
            s.ratio[col] = sums[col] == R{} ? R{1} : stop.residual[col] / std::sqrt(sums[col]);
            s.is_due[col] = 0;
        }
    });
}

template <class V, class S, class J>
void backward(const Executor& exec, ColourView<S, J> colour, DenseView<const V> r, DenseView<V> p, DenseView<V> t,
              EisenstatScalars<V> s, StopView<real_t<V>> stop)
{
    const auto step = [&](size_type first, size_type count, size_type col, const V* sums) {
        if (!stop.is_running(col)) {
            return;
        }
        const V beta = s.rho_old[col] == V{} ? V{} : s.rho[col] / s.rho_old[col];
        V direction[sell_lanes];
        for (size_type i = 0; i < count; ++i) {
            direction[i] = r(first + i, col);
        }
        for (size_type i = 0; i < count && beta != V{}; ++i) {
            direction[i] += multiply(beta, p(first + i, col));
        }
        for (size_type i = 0; i < count; ++i) {
            p(first + i, col) = direction[i];
            t(first + i, col) = direction[i] - sums[i];
        }
    };
    if (any_running(stop)) {
        parallel_parts(exec, BlockPartition<S, J>{colour, t.cols}, [&](size_type begin, size_type end) {
            for_each_sum<SweepOrder::backward, V>(colour, begin, end, t, step);
        });
    }
}

template <class V, class S, class J>
void forward(const Executor& exec, ColourView<S, J> colour, EisenstatForwardStep<V> step, EisenstatScalars<V> s,
             StopView<real_t<V>> stop, WorkspaceView workspace)
{
    const auto finish = [&](size_type first, size_type count, size_type col, V* sums, V* total) {
        if (!stop.is_running(col)) {
            return;
        }
        V product{};
        for (size_type i = 0; i < count; ++i) {
            const V direction = step.p(first + i, col);
            const V half = step.t(first + i, col);
            sums[i] = direction - (2 - step.omega) * half - sums[i];
            product += step.d[first + i] * multiply(conj(direction), half + sums[i]);
        }
        for (size_type i = 0; i < count; ++i) {
            step.w(first + i, col) = sums[i];
        }
        total[col] += product;
    };
    const auto body = [&](size_type begin, size_type end, V* total) {
        for_each_sum<SweepOrder::forward, V>(
            colour, begin, end, step.w,
            [&](size_type first, size_type count, size_type col, V* sums) { finish(first, count, col, sums, total); });
    };
    if (any_running(stop)) {
        const size_type cols = step.w.cols;
        reduce_parts<V, 1>(exec, BlockPartition<S, J>{colour, cols}, cols, workspace, body, [&](const V* sums) {
            for (size_type col = 0; col < cols; ++col) {
                if (stop.is_running(col)) {
                    s.pv[col] = step.is_first ? sums[col] : s.pv[col] + sums[col];
                }
            }
        });
    }
}

/// Ends the iteration of the columns that have moved, unless a true residual norm is due.
template <class V>
void end_update(const real_t<V>* squares, std::int64_t period, const EisenstatScalars<V>& s,
                const StopView<real_t<V>>& stop)
{
    std::int32_t running = 0;
    for (size_type col = 0; col < stop.cols; ++col) {
        s.is_due[col] = 0;
        if (!stop.is_running(col)) {
            continue;
        }
        s.rho_old[col] = s.rho[col];
        s.rho[col] = squares[col];
        const auto estimate = s.ratio[col] * std::sqrt(squares[col]);
        s.is_due[col] = eisenstat_is_due(estimate, stop.tolerance[col], stop.iterations[col] + 1, period);
        running += s.is_due[col] != 0 || check_column(stop, col, estimate, host_clock_ns(stop));
    }
    stop.header->running = running;
}

template <class V>
void update(const Executor& exec, EisenstatUpdateStep<V> step, EisenstatScalars<V> s, StopView<real_t<V>> stop,
            WorkspaceView workspace)
{
    using R = real_t<V>;
    const auto runs = [&](size_type col) { return stop.is_running(col); };
    for (size_type col = 0; col < step.x.cols; ++col) {
        V alpha{};
        if (runs(col)) {
            cg_step_length(s.rho[col], s.pv[col], stop.status[col], alpha);
        }
    }
    const auto tile = [&](auto lanes, size_type rows, R* sums, auto d_tile, auto t_tile, auto w_tile, auto x_tile,
                          auto r_tile) {
        const auto alpha = lanes.gather([&](size_type col) { return runs(col) ? s.rho[col] / s.pv[col] : V{}; });
        for_chosen_lanes(lanes, runs, [&](auto all, const auto& chosen) {
            std::array<R, lanes.width> sum{};
            for (size_type row = 0; row < rows; ++row) {
                for (int lane = 0; lane < lanes.width; ++lane) {
                    // x := x + alpha t, r := r - alpha (t + w), <r, r>_D
                    const V direction = t_tile(row, lane);
                    const V old_x = x_tile(row, lane);
                    const V old_r = r_tile(row, lane);
                    const V residual = old_r - multiply(alpha[lane], direction + w_tile(row, lane));
                    x_tile(row, lane) = all || chosen[lane] ? old_x + multiply(alpha[lane], direction) : old_x;
                    r_tile(row, lane) = all || chosen[lane] ? residual : old_r;
                    sum[lane] += d_tile(row, lane) * abs2(residual);
                }
            }
            lanes.add(sum, sums);
        });
    };
    const auto body = [&](size_type begin, size_type end, R* sums) {
        for_each_tile(
            begin, end, step.x.cols,
            [&](auto lanes, size_type rows, auto... tiles) { tile(lanes, rows, sums, tiles...); },
            PerRowView<const R>{step.d, 1}, step.t, step.w, step.x, step.r);
    };
    if (any_running(stop)) {
        reduce_rows<R, 1>(exec, step.x.rows, step.x.cols, workspace, body,
                          [&](const R* squares) { end_update(squares, step.period, s, stop); });
    } else {
        stop.header->running = 0;
        std::fill_n(s.is_due, step.x.cols, 0);
    }
}

/// Ends the iteration of the columns whose squares are complete.
template <class V>
void end_residual_norm(real_t<V> omega, const EisenstatScalars<V>& s, const StopView<real_t<V>>& stop)
{
    std::int32_t running = 0;
    for (size_type col = 0; col < stop.cols; ++col) {
        if (s.is_due[col] != 0) {
            const auto norm = std::sqrt(s.square[col]) / omega;
            if (s.rho[col] != V{}) {
                s.ratio[col] = norm / std::sqrt(real(s.rho[col]));
            }
            s.is_due[col] = 0;
            check_column(stop, col, norm, host_clock_ns(stop));
        }
        running += stop.is_running(col);
    }
    stop.header->running = running;
}

template <class V, class S, class J>
void residual_norm(const Executor& exec, ColourView<S, J> colour, EisenstatNormStep<V> step, EisenstatScalars<V> s,
                   StopView<real_t<V>> stop, WorkspaceView workspace)
{
    using R = real_t<V>;
    const size_type cols = step.r.cols;
    if (std::all_of(s.is_due, s.is_due + cols, [](std::int32_t is_due) { return is_due == 0; })) {
        return;
    }
    const auto body = [&](size_type begin, size_type end, R* squares) {
        for_each_sum<SweepOrder::forward, V>(
            colour, begin, end, step.r, [&](size_type first, size_type count, size_type col, const V* sums) {
                R square{};
                for (size_type i = 0; i < count && s.is_due[col] != 0; ++i) {
                    square += abs2(V(step.d[first + i] * (step.r(first + i, col) + sums[i])));
                }
                squares[col] += square;
            });
    };
    reduce_parts<R, 1>(exec, BlockPartition<S, J>{colour, cols}, cols, workspace, body, [&](const R* squares) {
        for (size_type col = 0; col < cols; ++col) {
            if (s.is_due[col] != 0) {
                s.square[col] = step.is_first ? squares[col] : s.square[col] + squares[col];
            }
        }
        if (step.is_last) {
            end_residual_norm(step.omega, s, stop);
        }
    });
}

}  // namespace

void register_eisenstat()
{
    for_each_value([]<class V>() {
        eisenstat_start<V>.bind(Backend::omp, start<V>);
        eisenstat_update<V>.bind(Backend::omp, update<V>);
    });
    for_each_sell_type([]<class V, class S, class J>() {
        eisenstat_backward<V, S, J>.bind(Backend::omp, backward<V, S, J>);
        eisenstat_forward<V, S, J>.bind(Backend::omp, forward<V, S, J>);
        eisenstat_residual_norm<V, S, J>.bind(Backend::omp, residual_norm<V, S, J>);
    });
}

}  // namespace linden::omp
