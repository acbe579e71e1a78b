#include "core/kernels/eisenstat.hpp"

#include "core/base/host_clock.hpp"
#include "core/base/math.hpp"
#include "reference/sell_rows.hpp"

namespace linden::reference {
namespace {

template <class V>
V weighted_square(const real_t<V>* d, DenseView<const V> r, size_type col)
{
    real_t<V> sum{};
    for (size_type i = 0; i < r.rows; ++i) {
        sum += d[i] * abs2(r(i, col));
    }
    return sum;
}

template <class V>
void start(const Executor&, const real_t<V>* d, DenseView<const V> r, EisenstatScalars<V> s, StopView<real_t<V>> stop,
           WorkspaceView)
{
    for (size_type col = 0; col < r.cols; ++col) {
        s.rho[col] = weighted_square(d, r, col);
        s.rho_old[col] = V{};
        s.ratio[col] = s.rho[col] == V{} ? 1 : stop.residual[col] / std::sqrt(real(s.rho[col]));
        s.is_due[col] = 0;
    }
}

template <class V, class S, class J>
void backward(const Executor&, ColourView<S, J> colour, DenseView<const V> r, DenseView<V> p, DenseView<V> t,
              EisenstatScalars<V> s, StopView<real_t<V>> stop)
{
    for_each_row_backward(colour, [&](size_type row, size_type i) {
        for (size_type col = 0; col < t.cols; ++col) {
            if (stop.is_running(col)) {
                p(i, col) = s.rho_old[col] == V{} ? r(i, col) : r(i, col) + s.rho[col] / s.rho_old[col] * p(i, col);
                t(i, col) = p(i, col) - row_product<V>(colour.entries, row, t, col);
            }
        }
    });
}

template <class V, class S, class J>
void forward(const Executor&, ColourView<S, J> colour, EisenstatForwardStep<V> step, EisenstatScalars<V> s,
             StopView<real_t<V>> stop, WorkspaceView)
{
    for (size_type col = 0; col < step.w.cols && step.is_first; ++col) {
        s.pv[col] = stop.is_running(col) ? V{} : s.pv[col];
    }
    for_each_row_forward(colour, [&](size_type row, size_type i) {
        for (size_type col = 0; col < step.w.cols; ++col) {
            if (stop.is_running(col)) {
                step.w(i, col) = step.p(i, col) - (2 - step.omega) * step.t(i, col) -
                                 row_product<V>(colour.entries, row, step.w, col);
                s.pv[col] += step.d[i] * conj(step.p(i, col)) * (step.t(i, col) + step.w(i, col));
            }
        }
    });
}

template <class V>
void update(const Executor&, EisenstatUpdateStep<V> step, EisenstatScalars<V> s, StopView<real_t<V>> stop,
            WorkspaceView)
{
    const auto& [d, t, w, x, r, period] = step;
    std::int32_t running = 0;
    for (size_type col = 0; col < x.cols; ++col) {
        s.is_due[col] = 0;
        V alpha{};
        if (!stop.is_running(col) || !cg_step_length(s.rho[col], s.pv[col], stop.status[col], alpha)) {
            continue;
        }
        for (size_type i = 0; i < x.rows; ++i) {
            x(i, col) += alpha * t(i, col);
            r(i, col) -= alpha * (t(i, col) + w(i, col));
        }
        s.rho_old[col] = s.rho[col];
        s.rho[col] = weighted_square<V>(d, r, col);
        const auto estimate = s.ratio[col] * std::sqrt(real(s.rho[col]));
        s.is_due[col] = eisenstat_is_due(estimate, stop.tolerance[col], stop.iterations[col] + 1, period);
        running += s.is_due[col] != 0 || check_column(stop, col, estimate, host_clock_ns(stop));
    }
    stop.header->running = running;
}

template <class V, class S, class J>
void residual_norm(const Executor&, ColourView<S, J> colour, EisenstatNormStep<V> step, EisenstatScalars<V> s,
                   StopView<real_t<V>> stop, WorkspaceView)
{
    bool any_due = false;
    for (size_type col = 0; col < step.r.cols; ++col) {
        if (s.is_due[col] == 0) {
            continue;
        }
        any_due = true;
        real_t<V> sum{};
        for_each_row_forward(colour, [&](size_type row, size_type i) {
            sum += abs2(step.d[i] * (step.r(i, col) + row_product<V>(colour.entries, row, step.r, col)));
        });
        s.square[col] = step.is_first ? sum : s.square[col] + sum;
        if (step.is_last) {
            const auto norm = std::sqrt(s.square[col]) / step.omega;
            if (s.rho[col] != V{}) {
                s.ratio[col] = norm / std::sqrt(real(s.rho[col]));
            }
            s.is_due[col] = 0;
            check_column(stop, col, norm, host_clock_ns(stop));
        }
    }
    if (any_due && step.is_last) {
        stop.header->running = 0;
        for (size_type col = 0; col < step.r.cols; ++col) {
            stop.header->running += stop.is_running(col);
        }
    }
}

}  // namespace

void register_eisenstat()
{
    for_each_value([]<class V>() {
        eisenstat_start<V>.bind(Backend::reference, start<V>);
        eisenstat_update<V>.bind(Backend::reference, update<V>);
    });
    for_each_sell_type([]<class V, class S, class J>() {
        eisenstat_backward<V, S, J>.bind(Backend::reference, backward<V, S, J>);
        eisenstat_forward<V, S, J>.bind(Backend::reference, forward<V, S, J>);
        eisenstat_residual_norm<V, S, J>.bind(Backend::reference, residual_norm<V, S, J>);
    });
}

}  // namespace linden::reference
