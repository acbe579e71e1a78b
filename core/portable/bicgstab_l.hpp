#pragma once

#include <cmath>

#include "core/kernels/bicgstab_l.hpp"
#include "core/portable/body.hpp"

namespace linden {

template <class V>
struct BiCgStabLStart {
    DenseView<const V> residual;
    BasisView<V> basis;
    DenseView<V> shadow;
    BiCgStabLScalars<V> a;
    StopView<real_t<V>> stop;

    LINDEN_HOST_DEVICE size_type size() const { return residual.rows; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        for (size_type col = 0; col < residual.cols; ++col) {
            const bool runs = stop.is_running(col);
            const V value = runs ? residual(row, col) : V{};
            basis(0, row, col) = value;
            shadow(row, col) = value;
            if (row == 0 && runs) {
                start_scalars(col);
            }
        }
    }
    LINDEN_HOST_DEVICE void start_scalars(size_type col) const
    {
        const real_t<V> norm = stop.residual[col];
        a.rho[col] = V{norm * norm};
        a.rho_old[col] = V{};
        a.alpha[col] = V{};
        a.omega[col] = V{real_t<V>{1}};
        a.shadow_norm[col] = norm;
        a.broken[col] = 0;
    }
};

/// Ends the cycle of a column in step j: in step 0 nothing has been reached yet.
template <class V>
LINDEN_HOST_DEVICE inline void bicgstab_l_break(const BiCgStabLScalars<V>& a, size_type j, size_type col,
                                                SolveStatus status, const StopView<real_t<V>>& stop)
{
    if (j == 0) {
        stop.status[col] = status;
    }
    a.broken[col] = static_cast<std::int32_t>(j) + 1;
}

template <class V>
struct BiCgStabLBeta {
    BiCgStabLScalars<V> a;
    size_type j;
    StopView<real_t<V>> stop;

    LINDEN_HOST_DEVICE size_type size() const { return stop.cols; }
    LINDEN_HOST_DEVICE void operator()(size_type col) const
    {
        using std::sqrt;
        if (!stop.is_running(col) || a.broken[col] != 0) {
            return;
        }
        const V rho = a.rho[col];
        const V old = j == 0 ? -a.omega[col] * a.rho_old[col] : a.rho_old[col];
        const real_t<V> norm = j == 0 ? stop.residual[col] : sqrt(magnitude(a.square[col]));
        V beta{};
        SolveStatus status = SolveStatus::running;
        // Within a cycle r_0 carries the rounding errors of the residual that the cycle began with.
        const bool is_noise = j > 0 && magnitude(rho) <= unit_roundoff<V> * a.shadow_norm[col] * stop.residual[col];
        const bool is_zero = is_noise || vanishes(rho, a.shadow_norm[col] * norm);
        const bool divides = old == V{} ? !is_zero : bicgstab_quotient(a.alpha[col] * rho, old, is_zero, status, beta);
        if (!divides || !is_finite(rho)) {
            status = is_finite(rho) && status != SolveStatus::not_a_number ? SolveStatus::breakdown
                                                                           : SolveStatus::not_a_number;
            bicgstab_l_break(a, j, col, status, stop);
        }
        a.beta[col] = beta;
        a.rho_old[col] = rho;
    }
};

template <class V>
struct BiCgStabLDirections {
    BiCgStabLVectors<V> y;
    size_type j;
    BiCgStabLScalars<V> a;
    StopView<real_t<V>> stop;

    LINDEN_HOST_DEVICE size_type size() const { return y.x.rows; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        for (size_type col = 0; col < y.x.cols; ++col) {
            if (!stop.is_running(col)) {
                y.u(j, row, col) = V{};
            } else if (a.broken[col] == 0) {
                const V beta = a.beta[col];
                for (size_type i = 0; i <= j; ++i) {
                    const V r = y.r(i, row, col);
                    y.u(i, row, col) = beta == V{} ? r : r - beta * y.u(i, row, col);
                }
            }
        }
    }
};

template <class V>
struct BiCgStabLAlpha {
    BiCgStabLScalars<V> a;
    size_type j;
    StopView<real_t<V>> stop;

    LINDEN_HOST_DEVICE size_type size() const { return stop.cols; }
    LINDEN_HOST_DEVICE void operator()(size_type col) const
    {
        using std::sqrt;
        if (!stop.is_running(col) || a.broken[col] != 0) {
            return;
        }
        const real_t<V> norm = sqrt(magnitude(a.square[col]));
        SolveStatus status = SolveStatus::running;
        if (!bicgstab_quotient(a.rho[col], a.sigma[col], vanishes(a.sigma[col], a.shadow_norm[col] * norm), status,
                               a.alpha[col])) {
            bicgstab_l_break(a, j, col, status, stop);
        }
    }
};

template <class V>
struct BiCgStabLStep {
    BiCgStabLVectors<V> y;
    size_type j;
    bool overwrite;
    BiCgStabLScalars<V> a;
    StopView<real_t<V>> stop;

    LINDEN_HOST_DEVICE size_type size() const { return y.x.rows; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        for (size_type col = 0; col < y.x.cols; ++col) {
            const bool runs = stop.is_running(col);
            if (!runs) {
                y.r(j, row, col) = V{};
            }
            if (overwrite) {
                y.x(row, col) = V{};
            }
            if (runs && a.broken[col] == 0) {
                const V alpha = a.alpha[col];
                y.x(row, col) = y.x(row, col) + alpha * y.u(0, row, col);
                for (size_type i = 0; i <= j; ++i) {
                    y.r(i, row, col) = y.r(i, row, col) - alpha * y.u(i + 1, row, col);
                }
            }
        }
    }
};

template <class V>
struct BiCgStabLGamma {
    BiCgStabLScalars<V> a;
    StopView<real_t<V>> stop;

    LINDEN_HOST_DEVICE size_type size() const { return stop.cols; }
    LINDEN_HOST_DEVICE void operator()(size_type col) const
    {
        if (!stop.is_running(col)) {
            return;
        }
        const size_type independent = bicgstab_l_factorize(a, col, stop.cols);
        const size_type formed = a.broken[col] != 0 ? a.broken[col] - 1 : a.l;
        bicgstab_l_solve(a, independent < formed ? independent : formed, col, stop.cols);
        const V omega = a.gamma[(a.l - 1) * stop.cols + col];
        a.omega[col] = omega;
        if (a.broken[col] == 0 && (omega == V{} || !is_finite(omega))) {
            a.broken[col] = static_cast<std::int32_t>(a.l) + 1;
        }
    }
};

template <class V>
struct BiCgStabLMinimise {
    BiCgStabLVectors<V> y;
    BiCgStabLScalars<V> a;
    StopView<real_t<V>> stop;

    LINDEN_HOST_DEVICE size_type size() const { return y.x.rows; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        for (size_type col = 0; col < y.x.cols; ++col) {
            if (!stop.is_running(col)) {
                continue;
            }
            V x = y.x(row, col), u = y.u(0, row, col), r = y.r(0, row, col);
            V last = r;
            for (size_type i = 1; i <= a.l; ++i) {
                const V gamma = a.gamma[(i - 1) * y.x.cols + col];
                if (gamma != V{}) {
                    const V next = y.r(i, row, col);
                    x = x + gamma * last;
                    r = r - gamma * next;
                    u = u - gamma * y.u(i, row, col);
                    last = next;
                }
            }
            y.x(row, col) = x;
            y.u(0, row, col) = u;
            y.r(0, row, col) = r;
        }
    }
};

/// One item: the columns are counted.
template <class V>
struct BiCgStabLFinish {
    BiCgStabLScalars<V> a;
    StopView<real_t<V>> stop;

    LINDEN_HOST_DEVICE size_type size() const { return 1; }
    LINDEN_HOST_DEVICE void operator()(size_type) const
    {
        std::int32_t running = 0;
        for (size_type col = 0; col < stop.cols; ++col) {
            if (stop.is_running(col) && a.broken[col] != 0) {
                stop.status[col] = SolveStatus::breakdown;
            }
            running += stop.is_running(col) ? 1 : 0;
        }
        stop.header->running = running;
    }
};

template <class F>
void for_each_portable_bicgstab_l(const F& f)
{
    for_each_value([&]<class V>() {
        f(bicgstab_l_start<V>, BodyOf<BiCgStabLStart<V>>());
        f(bicgstab_l_beta<V>, BodyOf<BiCgStabLBeta<V>>());
        f(bicgstab_l_directions<V>, BodyOf<BiCgStabLDirections<V>>());
        f(bicgstab_l_alpha<V>, BodyOf<BiCgStabLAlpha<V>>());
        f(bicgstab_l_step<V>, BodyOf<BiCgStabLStep<V>>());
        f(bicgstab_l_gamma<V>, BodyOf<BiCgStabLGamma<V>>());
        f(bicgstab_l_minimise<V>, BodyOf<BiCgStabLMinimise<V>>());
        f(bicgstab_l_finish<V>, BodyOf<BiCgStabLFinish<V>>());
    });
}

}  // namespace linden
