#include "core/kernels/cg.hpp"

#include "core/base/host_clock.hpp"
#include "core/base/math.hpp"
#include "reference/row_sums.hpp"

namespace linden::reference {
namespace {

/// ||r|| of a column, and rho := r^H r unless rho is null.
template <class V>
void finish_residual(RowSums<real_t<V>>& sums, size_type col, V* rho, StopView<real_t<V>> stop)
{
    sums.finish(Later{[=](const real_t<V>* total) {
        stop.residual[col] = std::sqrt(*total);
        if (rho != nullptr) {
            rho[col] = *total;
        }
    }});
}

/// The stopping rule, when the sums of all columns are there.
template <class R>
void end_after(WorkspaceView workspace, StopView<R> stop)
{
    after_sums(workspace,
               [stop] { end_iteration(stop, host_clock_ns(stop), [&](size_type col) { return stop.residual[col]; }); });
}

template <class V>
void update_residual(const Executor&, DenseView<const V> q, DenseView<V> r, CgScalars<V> s, bool identity,
                     StopView<real_t<V>> stop, WorkspaceView workspace)
{
    for (size_type col = 0; col < r.cols; ++col) {
        s.alpha[col] = V{};
        if (!stop.is_running(col) || !cg_step_length(s.rho[col], s.pq[col], stop.status[col], s.alpha[col])) {
            continue;
        }
        s.rho_old[col] = s.rho[col];
        RowSums<real_t<V>> sums(workspace);
        for (size_type row = 0; row < r.rows; ++row) {
            r(row, col) -= s.alpha[col] * q(row, col);
            *sums.at(row) += abs2(r(row, col));
        }
        finish_residual(sums, col, identity ? s.rho : nullptr, stop);
    }
    end_after(workspace, stop);
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

/// beta, and alpha unless the method breaks down or the column does not run; both are remembered for the next step.
template <class V>
bool single_reduction_factors(const CgSingleScalars<V>& c, size_type col, const StopView<real_t<V>>& stop, V& alpha,
                              V& beta)
{
    if (!stop.is_running(col)) {
        return false;
    }
    beta = c.gamma_old[col] == V{} ? V{} : c.gamma[col] / c.gamma_old[col];
    const V correction = beta == V{} ? V{} : beta * c.gamma[col] / c.alpha[col];
    if (!cg_step_length(c.gamma[col], c.delta[col] - correction, stop.status[col], alpha)) {
        return false;
    }
    c.alpha[col] = alpha;
    c.gamma_old[col] = c.gamma[col];
    return true;
}

/// y := next + beta y, where y may hold anything if beta = 0
template <class V>
void advance(const DenseView<V>& y, V next, V beta, size_type row, size_type col)
{
    y(row, col) = next + (beta == V{} ? V{} : beta * y(row, col));
}

template <class V>
void single_reduction_step(const Executor&, CgSingleVectors<V> vectors, CgSingleScalars<V> c, bool identity,
                           StopView<real_t<V>> stop, WorkspaceView workspace)
{
    const auto& [z, w, p, s, x, r] = vectors;
    for (size_type col = 0; col < x.cols; ++col) {
        V alpha{}, beta{};
        if (!single_reduction_factors(c, col, stop, alpha, beta)) {
            continue;
        }
        RowSums<real_t<V>> sums(workspace);
        for (size_type row = 0; row < x.rows; ++row) {
            advance(p, z(row, col), beta, row, col);
            advance(s, w(row, col), beta, row, col);
            x(row, col) += alpha * p(row, col);
            r(row, col) -= alpha * s(row, col);
            *sums.at(row) += abs2(r(row, col));
        }
        finish_residual(sums, col, identity ? c.gamma : nullptr, stop);
    }
    end_after(workspace, stop);
}

template <class V>
void pipelined_step(const Executor&, CgPipelinedVectors<V> vectors, CgSingleScalars<V> c, bool identity,
                    StopView<real_t<V>> stop, WorkspaceView workspace)
{
    const auto& [m, n, p, s, q, z, x, r, u, w] = vectors;
    for (size_type col = 0; col < x.cols; ++col) {
        V alpha{}, beta{};
        if (!single_reduction_factors(c, col, stop, alpha, beta)) {
            continue;
        }
        RowSums<V> sums(workspace, 3);  // r^H u, u^H w, r^H r
        for (size_type row = 0; row < x.rows; ++row) {
            advance(p, V{u(row, col)}, beta, row, col);
            advance(s, V{w(row, col)}, beta, row, col);
            advance(z, V{n(row, col)}, beta, row, col);
            if (!identity) {
                advance(q, V{m(row, col)}, beta, row, col);
                u(row, col) -= alpha * q(row, col);
            }
            x(row, col) += alpha * p(row, col);
            r(row, col) -= alpha * s(row, col);
            w(row, col) -= alpha * z(row, col);
            V* const sum = sums.at(row);
            sum[0] += conj(r(row, col)) * u(row, col);
            sum[1] += conj(u(row, col)) * w(row, col);
            sum[2] += abs2(r(row, col));
        }
        sums.finish(Later{[=](const V* totals) {
            c.gamma[col] = totals[0];
            c.delta[col] = totals[1];
            stop.residual[col] = std::sqrt(real(totals[2]));
        }});
    }
    end_after(workspace, stop);
}

}  // namespace

void register_cg()
{
    for_each_value([]<class V>() {
        cg_update_residual<V>.bind(Backend::reference, update_residual<V>);
        cg_update_direction<V>.bind(Backend::reference, update_direction<V>);
        cg_single_reduction_step<V>.bind(Backend::reference, single_reduction_step<V>);
        cg_pipelined_step<V>.bind(Backend::reference, pipelined_step<V>);
    });
}

}  // namespace linden::reference
