#include "core/kernels/gmres.hpp"

#include <cmath>
#include <utility>

#include "core/base/host_clock.hpp"
#include "core/base/math.hpp"
#include "omp/columns.hpp"
#include "omp/parallel.hpp"
#include "omp/tiles.hpp"

/// Rows are taken in chunks whose part of the basis fits the second-level cache, so that a pass that subtracts and one
/// that forms products read the basis from memory once; within a chunk basis vectors are taken four at a time, so that
/// w, which stays in the first-level cache, is loaded and stored a quarter as often.
namespace linden::omp {
namespace {

constexpr size_type chunk_bytes = size_type{1} << 18;

/// Calls body(begin, end) on pieces of [begin, end) whose rows of `count` basis vectors make up `chunk_bytes`.
template <class V, class Body>
void for_each_chunk(const BasisView<const V>& basis, size_type begin, size_type end, const Body& body)
{
    constexpr size_type granule = 64;
    const size_type row_bytes = std::max(basis.count * basis.cols, size_type{1}) * static_cast<size_type>(sizeof(V));
    const size_type rows = std::clamp(chunk_bytes / row_bytes / granule, size_type{1}, size_type{32}) * granule;
    for (size_type row = begin; row < end; row += rows) {
        body(row, std::min(row + rows, end));
    }
}

/// Calls body(i, v_i, v_{i+1}, ...) for the first `count` basis vectors, four at a time, then one at a time.
template <class V, class Body>
void for_each_vectors(const BasisView<const V>& basis, size_type count, const Body& body)
{
    const auto vector = [&](size_type i) {
        return DenseView<const V>{basis.rows, basis.cols, basis.cols, basis.values + i * basis.stride};
    };
    size_type i = 0;
    for (; i + 4 <= count; i += 4) {
        body(i, vector(i), vector(i + 1), vector(i + 2), vector(i + 3));
    }
    for (; i < count; ++i) {
        body(i, vector(i));
    }
}

/// The coefficients of a sum of basis vectors; one type for all sums, so that their loops are compiled once.
template <class V>
struct Weights {
    const V* values;
    real_t<V> sign;
    const std::int32_t* limit = nullptr;   ///< only vectors i < limit[col] take part
    const SolveStatus* status = nullptr;   ///< only running columns do
    const std::int32_t* wanted = nullptr;  ///< only columns with wanted[col] != 0 do

    /// 0 where a vector does not take part, whatever it holds.
    V operator()(size_type i, size_type col, size_type cols) const
    {
        const bool takes_part = (limit == nullptr || i < limit[col]) &&
                                (status == nullptr || status[col] == SolveStatus::running) &&
                                (wanted == nullptr || wanted[col] != 0);
        return takes_part ? sign * values[i * cols + col] : V{};
    }
};

/// x := x + sum of weight(i, col) v_i, i < count, over the rows [begin, end).
template <class V>
void add_vectors(const BasisView<const V>& basis, size_type count, DenseView<V> x, size_type begin, size_type end,
                 const Weights<V>& weight)
{
    for_each_vectors(basis, count, [&](size_type i, auto... vectors) {
        constexpr std::size_t n = sizeof...(vectors);
        const auto tile = [&](auto lanes, size_type rows, auto x_tile, auto... v) {
            std::array<std::array<V, decltype(lanes)::width>, n> factors;
            bool none_is_zero = true;
            for (std::size_t l = 0; l < n; ++l) {
                factors[l] =
                    lanes.gather([&](size_type col) { return weight(i + static_cast<size_type>(l), col, x.cols); });
                none_is_zero &= std::find(factors[l].begin(), factors[l].end(), V{}) == factors[l].end();
            }
            const auto loop = [&](auto all) {
                for (size_type row = 0; row < rows; ++row) {
                    for (int lane = 0; lane < lanes.width; ++lane) {
                        V value = x_tile(row, lane);
                        std::size_t l = 0;
                        const auto add = [&](V v_value) {
                            const V factor = factors[l++][lane];
                            const V next = value + multiply(factor, v_value);
                            value = all || factor != V{} ? next : value;
                        };
                        (add(v(row, lane)), ...);
                        x_tile(row, lane) = value;
                    }
                }
            };
            none_is_zero ? loop(std::true_type{}) : loop(std::false_type{});
        };
        for_each_tile(begin, end, x.cols, tile, x, vectors...);
    });
}

/// sums[i cols + col] := sums[i cols + col] + v_i(:, col)^H w(:, col) over the rows [begin, end).
template <class V>
void add_products(const BasisView<const V>& basis, DenseView<const V> w, size_type begin, size_type end, V* sums)
{
    for_each_vectors(basis, basis.count, [&](size_type i, auto... vectors) {
        constexpr std::size_t n = sizeof...(vectors);
        const auto tile = [&](auto lanes, size_type rows, auto w_tile, auto... v) {
            std::array<std::array<V, lanes.width>, n> sum{};
            for (size_type row = 0; row < rows; ++row) {
                for (int lane = 0; lane < lanes.width; ++lane) {
                    std::size_t l = 0;
                    ((sum[l++][lane] += multiply(conj(v(row, lane)), w_tile(row, lane))), ...);
                }
            }
            for (std::size_t l = 0; l < n; ++l) {
                lanes.add(sum[l], sums + (i + static_cast<size_type>(l)) * w.cols);
            }
        };
        for_each_tile(begin, end, w.cols, tile, w, vectors...);
    });
}

/// sums[col] := sums[col] + w(:, col)^H w(:, col) over the rows [begin, end).
template <class V>
void add_squares(DenseView<const V> w, size_type begin, size_type end, V* sums)
{
    const auto tile = [&](auto lanes, size_type rows, auto w_tile) {
        std::array<real_t<V>, lanes.width> sum{};
        for (size_type row = 0; row < rows; ++row) {
            for (int lane = 0; lane < lanes.width; ++lane) {
                sum[lane] += abs2(w_tile(row, lane));
            }
        }
        for (int lane = 0; lane < lanes.width; ++lane) {
            sums[lanes.column(lane)] += sum[lane];
        }
    };
    for_each_tile(begin, end, w.cols, tile, w);
}

/// x := f(parameter of the column, x) over the rows [begin, end).
template <class V, class PerColumn, class F>
void update_columns(DenseView<V> x, size_type begin, size_type end, const PerColumn& per_column, const F& f)
{
    const auto tile = [&](auto lanes, size_type rows, auto x_tile) {
        const auto parameters = lanes.gather(per_column);
        for (size_type row = 0; row < rows; ++row) {
            for (int lane = 0; lane < lanes.width; ++lane) {
                x_tile(row, lane) = f(parameters[lane], x_tile(row, lane));
            }
        }
    };
    for_each_tile(begin, end, x.cols, tile, x);
}

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

template <class V>
void combine(const Executor& exec, BasisView<const V> basis, const V* y, const std::int32_t* used, bool overwrite,
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
        gmres_combine<V>.bind(Backend::omp, combine<V>);
        gmres_residual<V>.bind(Backend::omp, residual<V>);
    });
}

}  // namespace linden::omp
