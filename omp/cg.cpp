#include "core/kernels/cg.hpp"

#include <cmath>
#include <tuple>
#include <vector>

#include "core/base/host_clock.hpp"
#include "core/base/math.hpp"
#include "omp/columns.hpp"
#include "omp/parallel.hpp"
#include "omp/tiles.hpp"

namespace linden::omp {
namespace {

/// Runs body(begin, end, sums), which forms N sums per column, over all rows unless no column runs, then take(sums,
/// col) for those that ran, which sets ||r||, and ends the iteration.
template <class T, int N, class R, class Body, class Take>
void step_and_take(const Executor& exec, size_type rows, const StopView<R>& stop, WorkspaceView workspace,
                   const Body& body, const Take& take)
{
    const auto end = [stop] {
        end_iteration(stop, host_clock_ns(stop), [&](size_type col) { return stop.residual[col]; });
    };
    if (!any_running(stop)) {
        end();
        return;
    }
    const Later finish{[stop, take, end](const T* sums) {
        for (size_type col = 0; col < stop.cols; ++col) {
            if (stop.is_running(col)) {
                take(sums, col);
            }
        }
        end();
    }};
    reduce_rows<T, N>(exec, rows, stop.cols, workspace, body, finish);
}

/// The same for a body that forms r^H r. rho := r^H r of the columns that ran, unless rho is null.
template <class V, class Body>
void step_and_check(const Executor& exec, size_type rows, V* rho, const StopView<real_t<V>>& stop,
                    WorkspaceView workspace, const Body& body)
{
    using R = real_t<V>;
    step_and_take<R, 1>(exec, rows, stop, workspace, body, [stop, rho](const R* sums, size_type col) {
        stop.residual[col] = std::sqrt(sums[col]);
        if (rho != nullptr) {
            rho[col] = sums[col];
        }
    });
}

template <class V>
void update_residual(const Executor& exec, DenseView<const V> q, DenseView<V> r, CgScalars<V> s, bool identity,
                     StopView<real_t<V>> stop, WorkspaceView workspace)
{
    using R = real_t<V>;
    for (size_type col = 0; col < r.cols; ++col) {
        s.alpha[col] = V{};
        if (stop.is_running(col) && cg_step_length(s.rho[col], s.pq[col], stop.status[col], s.alpha[col])) {
            s.rho_old[col] = s.rho[col];
        }
    }
    const auto tile = [&](auto lanes, size_type rows, R* sums, auto q_tile, auto r_tile) {
        const auto alpha = lanes.gather([&](size_type col) { return s.alpha[col]; });
        const auto runs = [&](size_type col) { return stop.is_running(col); };
        for_chosen_lanes(lanes, runs, [&](auto all, const auto& chosen) {
            std::array<R, lanes.width> sum{};
            for (size_type row = 0; row < rows; ++row) {
                for (int lane = 0; lane < lanes.width; ++lane) {
                    // r := r - alpha q, r^H r
                    const V old = r_tile(row, lane);
                    const V value = old - multiply(alpha[lane], q_tile(row, lane));
                    r_tile(row, lane) = all || chosen[lane] ? value : old;
                    sum[lane] += abs2(value);
                }
            }
            lanes.add(sum, sums);
        });
    };
    const auto body = [&](size_type begin, size_type end, R* sums) {
        for_each_tile(
            begin, end, r.cols, [&](auto lanes, size_type rows, auto... tiles) { tile(lanes, rows, sums, tiles...); },
            q, r);
    };
    step_and_check(exec, r.rows, identity ? s.rho : nullptr, stop, workspace, body);
}

template <class V>
void update_direction(const Executor& exec, DenseView<const V> z, DenseView<V> p, DenseView<V> x, CgScalars<V> s,
                      StopView<real_t<V>> stop)
{
    const auto moved = [&](size_type col) { return s.alpha[col] != V{}; };
    const auto runs = [&](size_type col) { return stop.is_running(col); };
    const auto tile = [&](auto lanes, size_type rows, auto z_tile, auto p_tile, auto x_tile) {
        const auto alpha = lanes.gather([&](size_type col) { return s.alpha[col]; });
        const auto beta = lanes.gather([&](size_type col) { return runs(col) ? s.rho[col] / s.rho_old[col] : V{}; });
        const auto moving = lanes.gather(moved);
        const auto running = lanes.gather(runs);
        const auto loop = [&](auto all) {
            for (size_type row = 0; row < rows; ++row) {
                for (int lane = 0; lane < lanes.width; ++lane) {
                    // x := x + alpha p, p := z + beta p
                    const V direction = p_tile(row, lane);
                    const V old = x_tile(row, lane);
                    const V next = z_tile(row, lane) + multiply(beta[lane], direction);
                    x_tile(row, lane) = all || moving[lane] ? old + multiply(alpha[lane], direction) : old;
                    p_tile(row, lane) = all || running[lane] ? next : direction;
                }
            }
        };
        if (lanes.all([&](size_type col) { return moved(col) && runs(col); })) {
            loop(std::true_type{});
        } else {
            loop(std::false_type{});
        }
    };
    bool anything = false;
    for (size_type col = 0; col < x.cols; ++col) {
        anything |= moved(col) || runs(col);
    }
    if (anything) {
        parallel_rows(exec, {x.rows, x.cols},
                      [&](size_type begin, size_type end) { for_each_tile(begin, end, x.cols, tile, z, p, x); });
    }
}

/// The factors of one step, from the scalars and the stopping state; `runs` says which columns take part.
template <class V>
struct SingleReductionFactors {
    CgSingleScalars<V> c;

    /// gamma / gamma_old, 0 in the first step
    V beta(size_type col) const { return c.gamma_old[col] == V{} ? V{} : c.gamma[col] / c.gamma_old[col]; }

    V curvature(size_type col) const
    {
        const V b = beta(col);
        return b == V{} ? c.delta[col] : c.delta[col] - b * c.gamma[col] / c.alpha[col];
    }
};

/// beta of each column, and alpha among the scalars of those that take part in a step.
template <class V>
std::vector<V> begin_single_reduction(const CgSingleScalars<V>& c, const StopView<real_t<V>>& stop)
{
    const SingleReductionFactors<V> factors{c};
    std::vector<V> betas(static_cast<std::size_t>(stop.cols));
    for (size_type col = 0; col < stop.cols; ++col) {
        V alpha{};
        if (stop.is_running(col) && cg_step_length(c.gamma[col], factors.curvature(col), stop.status[col], alpha)) {
            c.alpha[col] = alpha;
            betas[static_cast<std::size_t>(col)] = factors.beta(col);
            c.gamma_old[col] = c.gamma[col];
        }
    }
    return betas;
}

template <class V>
void single_reduction_step(const Executor& exec, CgSingleVectors<V> vectors, CgSingleScalars<V> c, bool identity,
                           StopView<real_t<V>> stop, WorkspaceView workspace)
{
    using R = real_t<V>;
    const auto runs = [&](size_type col) { return stop.is_running(col); };
    const auto betas = begin_single_reduction(c, stop);
    const auto tile = [&](auto lanes, size_type rows, R* sums, auto z_tile, auto w_tile, auto p_tile, auto s_tile,
                          auto x_tile, auto r_tile) {
        const auto alpha = lanes.gather([&](size_type col) { return c.alpha[col]; });
        const auto beta = lanes.gather([&](size_type col) { return betas[static_cast<std::size_t>(col)]; });
        for_chosen_lanes(lanes, runs, [&](auto all, const auto& chosen) {
            std::array<R, lanes.width> sum{};
            for (size_type row = 0; row < rows; ++row) {
                for (int lane = 0; lane < lanes.width; ++lane) {
                    if (!all && !chosen[lane]) {
                        continue;
                    }
                    const bool first = beta[lane] == V{};
                    // p := z + beta p, s := w + beta s
                    V& direction = p_tile(row, lane);
                    V& image = s_tile(row, lane);
                    direction = first ? z_tile(row, lane) : z_tile(row, lane) + multiply(beta[lane], direction);
                    image = first ? w_tile(row, lane) : w_tile(row, lane) + multiply(beta[lane], image);
                    // x := x + alpha p, r := r - alpha s, r^H r
                    x_tile(row, lane) += multiply(alpha[lane], direction);
                    const V residual = r_tile(row, lane) - multiply(alpha[lane], image);
                    r_tile(row, lane) = residual;
                    sum[lane] += abs2(residual);
                }
            }
            lanes.add(sum, sums);
        });
    };
    const auto body = [&](size_type begin, size_type end, R* sums) {
        const auto with_sums = [&](auto lanes, size_type rows, auto... tiles) { tile(lanes, rows, sums, tiles...); };
        for_each_tile(begin, end, vectors.x.cols, with_sums, vectors.z, vectors.w, vectors.p, vectors.s, vectors.x,
                      vectors.r);
    };
    step_and_check(exec, vectors.x.rows, identity ? c.gamma : nullptr, stop, workspace, body);
}

/// The rows of a tile in a step of pipelined CG. With `Identity` q and u are s and r.
template <class V, bool Identity>
struct PipelinedTile {
    const CgSingleScalars<V>& c;
    const std::vector<V>& betas;
    const StopView<real_t<V>>& stop;

    template <class L, class... Tiles>
    void operator()(L lanes, size_type rows, V* sums, const std::tuple<Tiles...>& tiles) const
    {
        const auto& [m, n, p, s, q, z, x, r, u, w] = tiles;
        const auto alpha = lanes.gather([&](size_type col) { return c.alpha[col]; });
        const auto beta = lanes.gather([&](size_type col) { return betas[static_cast<std::size_t>(col)]; });
        const auto runs = [&](size_type col) { return stop.is_running(col); };
        const auto advanced = [](V next, V factor, V old) {
            return factor == V{} ? next : next + multiply(factor, old);
        };
        for_chosen_lanes(lanes, runs, [&](auto all, const auto& chosen) {
            std::array<V, L::width> ru{}, uw{}, rr{};
            for (size_type row = 0; row < rows; ++row) {
                for (int lane = 0; lane < L::width; ++lane) {
                    if (!all && !chosen[lane]) {
                        continue;
                    }
                    const V direction = p(row, lane) = advanced(u(row, lane), beta[lane], p(row, lane));
                    const V image = s(row, lane) = advanced(w(row, lane), beta[lane], s(row, lane));
                    const V second = z(row, lane) = advanced(n(row, lane), beta[lane], z(row, lane));
                    x(row, lane) += multiply(alpha[lane], direction);
                    const V residual = r(row, lane) - multiply(alpha[lane], image);
                    V preconditioned = residual;
                    if constexpr (!Identity) {
                        const V solved = q(row, lane) = advanced(m(row, lane), beta[lane], q(row, lane));
                        preconditioned = u(row, lane) - multiply(alpha[lane], solved);
                        u(row, lane) = preconditioned;
                    }
                    r(row, lane) = residual;
                    const V product = w(row, lane) - multiply(alpha[lane], second);
                    w(row, lane) = product;
                    ru[lane] += multiply(conj(residual), preconditioned);
                    uw[lane] += multiply(conj(preconditioned), product);
                    rr[lane] += abs2(residual);
                }
            }
            lanes.add(ru, sums);
            lanes.add(uw, sums + stop.cols);
            lanes.add(rr, sums + 2 * stop.cols);
        });
    }
};

template <class V>
void pipelined_step(const Executor& exec, CgPipelinedVectors<V> vectors, CgSingleScalars<V> c, bool identity,
                    StopView<real_t<V>> stop, WorkspaceView workspace)
{
    const auto betas = begin_single_reduction(c, stop);
    const auto cols = vectors.x.cols, rows = vectors.x.rows;
    const auto step = [&](const auto& tile) {
        const auto body = [&](size_type begin, size_type end, V* sums) {
            const auto with_sums = [&](auto lanes, size_type num_rows, auto... tiles) {
                tile(lanes, num_rows, sums, std::tuple(tiles...));
            };
            for_each_tile(begin, end, cols, with_sums, vectors.m, vectors.n, vectors.p, vectors.s, vectors.q, vectors.z,
                          vectors.x, vectors.r, vectors.u, vectors.w);
        };
        step_and_take<V, 3>(exec, rows, stop, workspace, body, [c, stop](const V* sums, size_type col) {
            c.gamma[col] = sums[col];
            c.delta[col] = sums[stop.cols + col];
            stop.residual[col] = std::sqrt(real(sums[2 * stop.cols + col]));
        });
    };
    if (identity) {
        step(PipelinedTile<V, true>{c, betas, stop});
    } else {
        step(PipelinedTile<V, false>{c, betas, stop});
    }
}

}  // namespace

void register_cg()
{
    for_each_value([]<class V>() {
        cg_update_residual<V>.bind(Backend::omp, update_residual<V>);
        cg_update_direction<V>.bind(Backend::omp, update_direction<V>);
        cg_single_reduction_step<V>.bind(Backend::omp, single_reduction_step<V>);
        cg_pipelined_step<V>.bind(Backend::omp, pipelined_step<V>);
    });
}

}  // namespace linden::omp
