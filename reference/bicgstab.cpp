#include "core/kernels/bicgstab.hpp"

#include "core/base/host_clock.hpp"
#include "core/base/math.hpp"
#include "reference/row_sums.hpp"

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
                WorkspaceView workspace)
{
    for (size_type col = 0; col < r.cols; ++col) {
        if (!stop.is_running(col) || !bicgstab_alpha(s, col, stop)) {
            s.alpha[col] = V{};
            continue;
        }
        RowSums<real_t<V>> sums(workspace);
        for (size_type row = 0; row < r.rows; ++row) {
            r(row, col) -= s.alpha[col] * v(row, col);
            *sums.at(row) += abs2(r(row, col));
        }
        sums.finish(Later{[=](const real_t<V>* total) {
            bicgstab_check_halfway(s, col, std::sqrt(*total), stop, host_clock_ns(stop));
        }});
    }
    after_sums(workspace, [stop] { stop.header->running = num_running(stop); });
}

template <class V>
void second_half(const Executor&, BiCgStabVectors<V> vectors, BiCgStabScalars<V> s, StopView<real_t<V>> stop,
                 WorkspaceView workspace)
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
        RowSums<V> sums(workspace, 2);  // shadow^H r, r^H r
        for (size_type row = 0; row < x.rows; ++row) {
            x(row, col) += s.alpha[col] * p_hat(row, col) + s.omega[col] * s_hat(row, col);
            r(row, col) -= s.omega[col] * t(row, col);
            V* const sum = sums.at(row);
            sum[0] += conj(shadow(row, col)) * r(row, col);
            sum[1] += abs2(r(row, col));
        }
        s.rho_old[col] = s.rho[col];
        sums.finish([&](const V* totals) {
            s.rho[col] = totals[0];
            stop.residual[col] = std::sqrt(real(totals[1]));
        });
    }
    end_iteration(stop, host_clock_ns(stop), [&](size_type col) { return stop.residual[col]; });
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
}

}  // namespace linden::reference
