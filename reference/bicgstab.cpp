#include "core/kernels/bicgstab.hpp"

#include <vector>

#include "core/base/host_clock.hpp"
#include "core/base/math.hpp"

namespace linden::reference {
namespace {

template <class V>
void start(const Executor&, DenseView<const V> r, DenseView<V> shadow, BiCgStabScalars<V> s, StopView<real_t<V>> stop)
{
    for (size_type col = 0; col < r.cols; ++col) {
        if (!stop.is_running(col)) {
            continue;
        }
        for (size_type row = 0; row < r.rows; ++row) {
            shadow(row, col) = r(row, col);
        }
        s.rho[col] = stop.residual[col] * stop.residual[col];
        s.rho_old[col] = V{};
        s.shadow_norm[col] = stop.residual[col];
        s.halfway[col] = 0;
    }
}

template <class V>
void update_direction(const Executor&, DenseView<const V> r, DenseView<const V> v, DenseView<V> p, BiCgStabScalars<V> s,
                      StopView<real_t<V>> stop)
{
    for (size_type col = 0; col < r.cols; ++col) {
        if (!stop.is_running(col) || !bicgstab_check_direction(s, col, stop)) {
            continue;
        }
        const V beta = bicgstab_beta(s, col);
        for (size_type row = 0; row < r.rows; ++row) {
            p(row, col) = r(row, col) + (beta == V{} ? V{} : beta * (p(row, col) - s.omega[col] * v(row, col)));
        }
    }
}

template <class V>
void first_half(const Executor&, DenseView<const V> v, DenseView<V> r, BiCgStabScalars<V> s, StopView<real_t<V>> stop,
                WorkspaceView)
{
    std::int32_t running = 0;
    for (size_type col = 0; col < r.cols; ++col) {
        if (!stop.is_running(col) || !bicgstab_alpha(s, col, stop)) {
            s.alpha[col] = V{};
            continue;
        }
        real_t<V> sum{};
        for (size_type row = 0; row < r.rows; ++row) {
            r(row, col) -= s.alpha[col] * v(row, col);
            sum += abs2(r(row, col));
        }
        bicgstab_check_halfway(s, col, std::sqrt(sum), stop, host_clock_ns());
        running += stop.is_running(col);
    }
    stop.header->running = running;
}

template <class V>
void second_half(const Executor&, BiCgStabVectors<V> vectors, BiCgStabScalars<V> s, StopView<real_t<V>> stop,
                 WorkspaceView)
{
    const auto& [p_hat, s_hat, t, shadow, x, r] = vectors;
    for (size_type col = 0; col < x.cols; ++col) {
        if (s.alpha[col] == V{}) {
            continue;
        }
        const bool whole = stop.is_running(col) && bicgstab_omega(s, col, stop);
        if (!whole) {
            s.omega[col] = V{};
            for (size_type row = 0; row < x.rows; ++row) {
                x(row, col) += s.alpha[col] * p_hat(row, col);
            }
            continue;
        }
        V rho{};
        real_t<V> sum{};
        for (size_type row = 0; row < x.rows; ++row) {
            x(row, col) += s.alpha[col] * p_hat(row, col) + s.omega[col] * s_hat(row, col);
            r(row, col) -= s.omega[col] * t(row, col);
            rho += conj(shadow(row, col)) * r(row, col);
            sum += abs2(r(row, col));
        }
        s.rho_old[col] = s.rho[col];
        s.rho[col] = rho;
        stop.residual[col] = std::sqrt(sum);
    }
    end_iteration(stop, host_clock_ns(), [&](size_type col) { return stop.residual[col]; });
}

template <class V, class I>
void multiply(const CsrView<V, I>& a, DenseView<const V> b, DenseView<V> x, DenseView<const V> w, V& wx, V& xx)
{
    wx = xx = V{};
    for (size_type row = 0; row < a.rows; ++row) {
        x(row, 0) = V{};
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            x(row, 0) += a.values[k] * b(a.col_idxs[k], 0);
        }
        wx += conj(w(row, 0)) * x(row, 0);
        xx += V{abs2(x(row, 0))};
    }
}

/// M^-1 b in `result`, or b itself without M.
template <class V>
DenseView<V> preconditioned(const V* d, DenseView<V> b, DenseView<V> result)
{
    if (d == nullptr) {
        return b;
    }
    for (size_type row = 0; row < b.rows; ++row) {
        result(row, 0) = d[row] * b(row, 0);
    }
    return result;
}

/// Nothing stays anywhere on a host: the steps of above, one after another.
template <class V, class I>
void run_resident(const Executor& exec, WholeSolve<V, I> solve, BiCgStabScratch<V> scratch, std::int32_t* halfway,
                  WorkspaceView, StopView<real_t<V>> stop)
{
    const auto& [a, d, partition, r, x] = solve;
    const auto& [shadow, p, p_hat, s_hat] = scratch;
    std::vector<V> products(2 * static_cast<std::size_t>(r.rows));
    const DenseView<V> v{r.rows, 1, 1, products.data()};
    const DenseView<V> t{r.rows, 1, 1, products.data() + r.rows};
    V values[8]{};
    real_t<V> shadow_norm{};
    const BiCgStabScalars<V> c{values,     values + 1, values + 2, values + 3,   values + 4,
                               values + 5, values + 6, values + 7, &shadow_norm, halfway};
    start<V>(exec, r, shadow, c, stop);
    while (stop.header->running != 0) {
        update_direction<V>(exec, r, v, p, c, stop);
        const auto p_moved = preconditioned(d, p, p_hat);
        multiply<V, I>(a, p_moved, v, shadow, *c.sigma, *c.vv);
        first_half<V>(exec, v, r, c, stop, {});
        const auto s_moved = preconditioned(d, r, s_hat);
        multiply<V, I>(a, s_moved, t, r, *c.st, *c.tt);
        second_half<V>(exec, {p_moved, s_moved, t, shadow, x, r}, c, stop, {});
    }
}

}  // namespace

void register_bicgstab()
{
    for_each_value([]<class V>() {
        bicgstab_start<V>.bind(Backend::reference, start<V>);
        bicgstab_update_direction<V>.bind(Backend::reference, update_direction<V>);
        bicgstab_first_half<V>.bind(Backend::reference, first_half<V>);
        bicgstab_second_half<V>.bind(Backend::reference, second_half<V>);
    });
    for_each_value_index(
        []<class V, class I>() { bicgstab_run_resident<V, I>.bind(Backend::reference, run_resident<V, I>); });
}

}  // namespace linden::reference
