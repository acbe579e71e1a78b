#include "core/kernels/cg.hpp"

#include "core/base/host_clock.hpp"
#include "core/base/math.hpp"

namespace linden::reference {
namespace {

template <class V>
void update_residual(const Executor&, DenseView<const V> q, DenseView<V> r, CgScalars<V> s, bool identity,
                     StopView<real_t<V>> stop, WorkspaceView)
{
    for (size_type col = 0; col < r.cols; ++col) {
        s.alpha[col] = V{};
        if (!stop.is_running(col) || !cg_step_length(s.rho[col], s.pq[col], stop.status[col], s.alpha[col])) {
            continue;
        }
        real_t<V> sum{};
        for (size_type row = 0; row < r.rows; ++row) {
            r(row, col) -= s.alpha[col] * q(row, col);
            sum += abs2(r(row, col));
        }
        stop.residual[col] = std::sqrt(sum);
        s.rho_old[col] = s.rho[col];
        if (identity) {
            s.rho[col] = sum;
        }
    }
    end_iteration(stop, host_clock_ns(), [&](size_type col) { return stop.residual[col]; });
}

template <class V>
void update_direction(const Executor&, DenseView<const V> z, DenseView<V> p, DenseView<V> x, CgScalars<V> s,
                      StopView<real_t<V>> stop)
{
    for (size_type col = 0; col < x.cols; ++col) {
        const V beta = stop.is_running(col) ? s.rho[col] / s.rho_old[col] : V{};
        for (size_type row = 0; row < x.rows; ++row) {
            if (s.alpha[col] != V{}) {
                x(row, col) += s.alpha[col] * p(row, col);
            }
            if (stop.is_running(col)) {
                p(row, col) = z(row, col) + beta * p(row, col);
            }
        }
    }
}

template <class V>
void single_reduction_step(const Executor&, CgSingleVectors<V> vectors, CgSingleScalars<V> c, bool identity,
                           StopView<real_t<V>> stop, WorkspaceView)
{
    const auto& [z, w, p, s, x, r] = vectors;
    for (size_type col = 0; col < x.cols; ++col) {
        if (!stop.is_running(col)) {
            continue;
        }
        const V beta = c.gamma_old[col] == V{} ? V{} : c.gamma[col] / c.gamma_old[col];
        const V correction = beta == V{} ? V{} : beta * c.gamma[col] / c.alpha[col];
        V alpha{};
        if (!cg_step_length(c.gamma[col], c.delta[col] - correction, stop.status[col], alpha)) {
            continue;
        }
        real_t<V> sum{};
        for (size_type row = 0; row < x.rows; ++row) {
            p(row, col) = z(row, col) + (beta == V{} ? V{} : beta * p(row, col));
            s(row, col) = w(row, col) + (beta == V{} ? V{} : beta * s(row, col));
            x(row, col) += alpha * p(row, col);
            r(row, col) -= alpha * s(row, col);
            sum += abs2(r(row, col));
        }
        stop.residual[col] = std::sqrt(sum);
        c.alpha[col] = alpha;
        c.gamma_old[col] = c.gamma[col];
        if (identity) {
            c.gamma[col] = sum;
        }
    }
    end_iteration(stop, host_clock_ns(), [&](size_type col) { return stop.residual[col]; });
}

/// x(:, 0)^H y(:, 0)
template <class V>
V product(DenseView<V> x, DenseView<V> y)
{
    V sum{};
    for (size_type row = 0; row < x.rows; ++row) {
        sum += conj(x(row, 0)) * y(row, 0);
    }
    return sum;
}

/// z := M^-1 r; returns r^H z.
template <class V>
V precondition(const V* d, DenseView<V> r, DenseView<V> z)
{
    for (size_type row = 0; row < r.rows; ++row) {
        z(row, 0) = d == nullptr ? r(row, 0) : d[row] * r(row, 0);
    }
    return product(r, z);
}

template <class V, class I>
void run_small(const Executor&, WholeSolve<V, I> solve, DenseView<V> p, DenseView<V> q, StopView<real_t<V>> stop)
{
    const CsrView<V, I> a = solve.a;
    const V* const d = solve.d;
    const DenseView<V> r = solve.r, x = solve.x;
    std::vector<V> values(static_cast<std::size_t>(r.rows));
    const DenseView<V> z{r.rows, 1, 1, values.data()};
    V rho = precondition(d, r, z);
    for (size_type row = 0; row < r.rows; ++row) {
        p(row, 0) = z(row, 0);
    }
    while (stop.header->running != 0) {
        for (size_type row = 0; row < a.rows; ++row) {
            q(row, 0) = V{};
            for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
                q(row, 0) += a.values[k] * p(a.col_idxs[k], 0);
            }
        }
        V alpha{};
        const bool moves = cg_step_length(rho, product(p, q), stop.status[0], alpha);
        for (size_type row = 0; row < r.rows && moves; ++row) {
            x(row, 0) += alpha * p(row, 0);
            r(row, 0) -= alpha * q(row, 0);
        }
        const V rho_old = rho;
        rho = precondition(d, r, z);
        end_iteration(stop, host_clock_ns(),
                      [&](size_type) { return moves ? std::sqrt(real(product(r, r))) : stop.residual[0]; });
        for (size_type row = 0; row < r.rows; ++row) {
            p(row, 0) = z(row, 0) + rho / rho_old * p(row, 0);
        }
    }
}

/// Nothing stays anywhere on a host: the steps are those of the small system.
template <class V, class I>
void run_resident(const Executor& exec, WholeSolve<V, I> solve, DenseView<V> p, WorkspaceView, StopView<real_t<V>> stop)
{
    std::vector<V> q(static_cast<std::size_t>(p.rows));
    run_small<V, I>(exec, solve, p, {p.rows, 1, 1, q.data()}, stop);
}

}  // namespace

void register_cg()
{
    for_each_value([]<class V>() {
        cg_update_residual<V>.bind(Backend::reference, update_residual<V>);
        cg_update_direction<V>.bind(Backend::reference, update_direction<V>);
        cg_single_reduction_step<V>.bind(Backend::reference, single_reduction_step<V>);
    });
    for_each_value_index([]<class V, class I>() {
        cg_run_small<V, I>.bind(Backend::reference, run_small<V, I>);
        cg_run_resident<V, I>.bind(Backend::reference, run_resident<V, I>);
    });
}

}  // namespace linden::reference
