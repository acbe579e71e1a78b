#include "core/kernels/bicgstab.hpp"

#include <cmath>

#include "core/base/host_clock.hpp"
#include "core/base/math.hpp"
#include "omp/columns.hpp"
#include "omp/parallel.hpp"
#include "omp/tiles.hpp"

namespace linden::omp {
namespace {

template <class V>
void start(const Executor& exec, DenseView<const V> r, DenseView<V> shadow, BiCgStabScalars<V> s,
           StopView<real_t<V>> stop)
{
    for (size_type col = 0; col < r.cols; ++col) {
        if (stop.is_running(col)) {
            s.rho[col] = stop.residual[col] * stop.residual[col];
            s.rho_old[col] = V{};
            s.shadow_norm[col] = stop.residual[col];
            s.halfway[col] = 0;
        }
    }
    const auto runs = [&](size_type col) { return stop.is_running(col); };
    const auto tile = [&](auto lanes, size_type rows, auto r_tile, auto shadow_tile) {
        for_chosen_lanes(lanes, runs, [&](auto all, const auto& chosen) {
            for (size_type row = 0; row < rows; ++row) {
                for (int lane = 0; lane < lanes.width; ++lane) {
                    shadow_tile(row, lane) = all || chosen[lane] ? r_tile(row, lane) : shadow_tile(row, lane);
                }
            }
        });
    };
    parallel_rows(exec, {r.rows, r.cols},
                  [&](size_type begin, size_type end) { for_each_tile(begin, end, r.cols, tile, r, shadow); });
}

template <class V>
void update_direction(const Executor& exec, DenseView<const V> r, DenseView<const V> v, DenseView<V> p,
                      BiCgStabScalars<V> s, StopView<real_t<V>> stop)
{
    if (!any_running(stop)) {
        return;
    }
    for (size_type col = 0; col < r.cols; ++col) {
        if (stop.is_running(col)) {
            bicgstab_check_direction(s, col, stop);
        }
    }
    const auto runs = [&](size_type col) { return stop.is_running(col); };
    const auto tile = [&](auto lanes, size_type rows, auto r_tile, auto v_tile, auto p_tile) {
        const auto beta = lanes.gather([&](size_type col) { return bicgstab_beta(s, col); });
        const auto omega = lanes.gather([&](size_type col) { return s.omega[col]; });
        for_chosen_lanes(lanes, runs, [&](auto all, const auto& chosen) {
            for (size_type row = 0; row < rows; ++row) {
                for (int lane = 0; lane < lanes.width; ++lane) {
                    // p := r + beta (p - omega v); p and v may hold nothing yet where beta = 0
                    const V old = p_tile(row, lane);
                    const V next =
                        r_tile(row, lane) + multiply(beta[lane], old - multiply(omega[lane], v_tile(row, lane)));
                    const V value = beta[lane] == V{} ? r_tile(row, lane) : next;
                    p_tile(row, lane) = all || chosen[lane] ? value : old;
                }
            }
        });
    };
    parallel_rows(exec, {r.rows, r.cols},
                  [&](size_type begin, size_type end) { for_each_tile(begin, end, r.cols, tile, r, v, p); });
}

template <class V>
void first_half(const Executor& exec, DenseView<const V> v, DenseView<V> r, BiCgStabScalars<V> s,
                StopView<real_t<V>> stop, WorkspaceView workspace)
{
    using R = real_t<V>;
    for (size_type col = 0; col < r.cols; ++col) {
        if (!stop.is_running(col) || !bicgstab_alpha(s, col, stop)) {
            s.alpha[col] = V{};
        }
    }
    const auto runs = [&](size_type col) { return stop.is_running(col); };
    const auto tile = [&](auto lanes, size_type rows, R* sums, auto v_tile, auto r_tile) {
        const auto alpha = lanes.gather([&](size_type col) { return s.alpha[col]; });
        for_chosen_lanes(lanes, runs, [&](auto all, const auto& chosen) {
            std::array<R, lanes.width> sum{};
            for (size_type row = 0; row < rows; ++row) {
                for (int lane = 0; lane < lanes.width; ++lane) {
                    // r := r - alpha v, ||r||
                    const V old = r_tile(row, lane);
                    const V value = old - multiply(alpha[lane], v_tile(row, lane));
                    r_tile(row, lane) = all || chosen[lane] ? value : old;
                    sum[lane] += abs2(value);
                }
            }
            lanes.add(sum, sums);
        });
    };
    if (!any_running(stop)) {
        stop.header->running = 0;
        return;
    }
    const auto body = [&](size_type begin, size_type end, R* sums) {
        const auto with_sums = [&](auto lanes, size_type rows, auto... tiles) { tile(lanes, rows, sums, tiles...); };
        for_each_tile(begin, end, r.cols, with_sums, v, r);
    };
    const Later finish{[s, stop](const R* sums) {
        std::int32_t running = 0;
        for (size_type col = 0; col < stop.cols; ++col) {
            if (stop.is_running(col)) {
                bicgstab_check_halfway(s, col, std::sqrt(sums[col]), stop, host_clock_ns(stop));
                running += stop.is_running(col);
            }
        }
        stop.header->running = running;
    }};
    reduce_rows<R, 1>(exec, r.rows, r.cols, workspace, body, finish);
}

/// The rows of the second half; `s_is_r` says at compile time that shat is r, so that the compiler need not fear it.
template <class V, class SIsR>
struct SecondHalfTile {
    const BiCgStabScalars<V>& s;
    const StopView<real_t<V>>& stop;

    template <class L, class PHat, class SHat, class T, class Shadow, class X, class Residual>
    void operator()(L lanes, size_type rows, V* sums, PHat p_hat, SHat s_hat, T t, Shadow shadow, X x, Residual r) const
    {
        const auto moved = [&](size_type col) { return s.alpha[col] != V{}; };
        const auto runs = [&](size_type col) { return stop.is_running(col); };
        const auto alpha = lanes.gather([&](size_type col) { return s.alpha[col]; });
        const auto omega = lanes.gather([&](size_type col) { return s.omega[col]; });
        const auto running = lanes.gather(runs);
        const bool all_run = lanes.all(runs);
        for_chosen_lanes(lanes, moved, [&](auto all_moved, const auto& moving) {
            const auto loop = [&](auto whole) {
                std::array<V, L::width> rho{};
                std::array<real_t<V>, L::width> rr{};
                // Rows are independent. Else GCC makes a second loop for blocks that might overlap, which rounds
                // otherwise, and chooses by their addresses: two runs would differ.
#pragma GCC ivdep
                for (size_type row = 0; row < rows; ++row) {
                    for (int lane = 0; lane < L::width; ++lane) {
                        // x := x + alpha phat + omega shat, r := s - omega t, rhat^H r, r^H r
                        const V old = r(row, lane);
                        const V direction = SIsR::value ? old : s_hat(row, lane);
                        const V half = x(row, lane) + multiply(alpha[lane], p_hat(row, lane));
                        const V next = half + multiply(omega[lane], direction);
                        const V residual = old - multiply(omega[lane], t(row, lane));
                        const V moved_x = whole || running[lane] ? next : half;
                        x(row, lane) = all_moved || moving[lane] ? moved_x : x(row, lane);
                        r(row, lane) = whole || running[lane] ? residual : old;
                        rho[lane] += multiply(conj(shadow(row, lane)), residual);
                        rr[lane] += abs2(residual);
                    }
                }
                lanes.add(rho, sums);
                for (int lane = 0; lane < L::width; ++lane) {
                    sums[stop.cols + lanes.column(lane)] += rr[lane];
                }
            };
            all_moved&& all_run ? loop(std::true_type{}) : loop(std::false_type{});
        });
    }
};

template <class V>
void second_half(const Executor& exec, BiCgStabVectors<V> vectors, BiCgStabScalars<V> s, StopView<real_t<V>> stop,
                 WorkspaceView workspace)
{
    bool anything = false;
    for (size_type col = 0; col < vectors.x.cols; ++col) {
        if (s.alpha[col] != V{}) {
            anything = true;
            if (!stop.is_running(col) || !bicgstab_omega(s, col, stop)) {
                s.omega[col] = V{};
            }
        }
    }
    const auto rows_with = [&](auto s_is_r) {
        const SecondHalfTile<V, decltype(s_is_r)> tile{s, stop};
        const auto body = [&](size_type begin, size_type end, V* sums) {
            const auto with_sums = [&](auto lanes, size_type rows, auto... tiles) {
                tile(lanes, rows, sums, tiles...);
            };
            for_each_tile(begin, end, vectors.x.cols, with_sums, vectors.p_hat, vectors.s_hat, vectors.t,
                          vectors.shadow, vectors.x, vectors.r);
        };
        reduce_rows<V, 2>(exec, vectors.x.rows, vectors.x.cols, workspace, body, [&](const V* sums) {
            for (size_type col = 0; col < vectors.x.cols; ++col) {
                if (stop.is_running(col) && s.alpha[col] != V{}) {
                    s.rho_old[col] = s.rho[col];
                    s.rho[col] = sums[col];
                    stop.residual[col] = std::sqrt(real(sums[vectors.x.cols + col]));
                }
            }
        });
    };
    if (anything) {
        vectors.s_hat.values == vectors.r.values ? rows_with(std::true_type{}) : rows_with(std::false_type{});
    }
    end_iteration(stop, host_clock_ns(stop), [&](size_type col) { return stop.residual[col]; });
}

}  // namespace

void register_bicgstab()
{
    for_each_value([]<class V>() {
        bicgstab_start<V>.bind(Backend::omp, start<V>);
        bicgstab_update_direction<V>.bind(Backend::omp, update_direction<V>);
        bicgstab_first_half<V>.bind(Backend::omp, first_half<V>);
        bicgstab_second_half<V>.bind(Backend::omp, second_half<V>);
    });
}

}  // namespace linden::omp
