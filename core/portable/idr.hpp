#pragma once

#include <cmath>

#include "core/base/mix.hpp"
#include "core/kernels/idr.hpp"
#include "core/portable/body.hpp"

namespace linden {

template <class V>
struct IdrShadow {
    BasisView<V> p;
    std::int64_t seed;

    LINDEN_HOST_DEVICE size_type size() const { return p.rows; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        for (size_type i = 0; i < p.count; ++i) {
            const auto counter = static_cast<std::uint64_t>(row * p.count + i) * 2;
            V value{};
            if constexpr (is_complex<V>) {
                value = V(number(counter), number(counter + 1));
            } else {
                value = number(counter);
            }
            for (size_type col = 0; col < p.cols; ++col) {
                p(i, row, col) = value;
            }
        }
    }
    /// 24 bits, which every type has.
    LINDEN_HOST_DEVICE real_t<V> number(std::uint64_t counter) const
    {
        const auto bits =
            mixed((counter + 1) * mix_step + static_cast<std::uint64_t>(seed) * std::uint64_t{0xD1B54A32D192ED03u});
        return static_cast<real_t<V>>(bits >> 40) / real_t<V>{8388608} - real_t<V>{1};
    }
};

template <class V>
struct IdrStart {
    IdrScalars<V> a;
    StopView<real_t<V>> stop;

    LINDEN_HOST_DEVICE size_type size() const { return stop.cols; }
    LINDEN_HOST_DEVICE void operator()(size_type col) const
    {
        if (stop.is_running(col)) {
            a.omega[col] = V{real_t<V>{1}};
            a.fresh[col] = 1;
        }
    }
};

template <class V>
struct IdrBegin {
    IdrScalars<V> a;
    StopView<real_t<V>> stop;

    LINDEN_HOST_DEVICE size_type size() const { return stop.cols; }
    LINDEN_HOST_DEVICE void operator()(size_type col) const
    {
        if (stop.is_running(col) && !idr_solve(a, 0, col, stop.cols)) {
            stop.status[col] = SolveStatus::not_a_number;
        }
    }
};

/// sum of c_i v_i(row, col), begin <= i < end
template <class V, class Element>
LINDEN_HOST_DEVICE inline V idr_sum(const BasisView<Element>& v, const V* c, size_type begin, size_type end,
                                    size_type row, size_type col)
{
    V sum{};
    for (size_type i = begin; i < end; ++i) {
        const V factor = c[i * v.cols + col];
        if (factor != V{}) {
            sum = sum + factor * v(i, row, col);
        }
    }
    return sum;
}

template <class V>
struct IdrProject {
    BasisView<const V> g;
    size_type k;
    DenseView<const V> r;
    DenseView<V> v;
    IdrScalars<V> a;
    StopView<real_t<V>> stop;

    LINDEN_HOST_DEVICE size_type size() const { return v.rows; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        for (size_type col = 0; col < v.cols; ++col) {
            v(row, col) = stop.is_running(col) ? r(row, col) - idr_sum(g, a.c, k, a.s, row, col) : V{};
        }
    }
};

template <class V>
struct IdrDirection {
    BasisView<V> u;
    BasisView<const V> g;
    size_type k;
    DenseView<const V> v;
    IdrScalars<V> a;
    StopView<real_t<V>> stop;

    LINDEN_HOST_DEVICE size_type size() const { return u.rows; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        for (size_type col = 0; col < u.cols; ++col) {
            V value{};
            if (stop.is_running(col)) {
                value = v(row, col);
                if (g.count > 0) {
                    value = value - idr_sum(g, a.c, k, a.s, row, col);
                }
                value = a.omega[col] * value + idr_sum(u, a.c, k, a.s, row, col);
            }
            u(k, row, col) = value;
        }
    }
};

template <class V>
struct IdrCoefficients {
    IdrScalars<V> a;
    size_type k;
    StopView<real_t<V>> stop;

    LINDEN_HOST_DEVICE size_type size() const { return stop.cols; }
    LINDEN_HOST_DEVICE void operator()(size_type col) const
    {
        if (!stop.is_running(col)) {
            return;
        }
        const size_type cols = stop.cols;
        const V pivot = idr_new_column(a, k, col, cols);
        const V beta = a.f[k * cols + col] / pivot;
        if (pivot == V{}) {
            stop.status[col] = SolveStatus::breakdown;
            return;
        }
        a.beta[col] = beta;
        for (size_type i = k + 1; i < a.s; ++i) {
            a.f[i * cols + col] = a.f[i * cols + col] - beta * a.m[(k * a.s + i) * cols + col];
        }
        if (!is_finite(beta) || !idr_solve(a, k + 1, col, cols)) {
            stop.status[col] = SolveStatus::not_a_number;
        }
    }
};

template <class V>
struct IdrUpdate {
    IdrVectors<V> y;
    size_type k;
    IdrScalars<V> a;
    StopView<real_t<V>> stop;

    LINDEN_HOST_DEVICE size_type size() const { return y.x.rows; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        for (size_type col = 0; col < y.x.cols; ++col) {
            if (!stop.is_running(col)) {
                continue;
            }
            const V g = y.g(k, row, col) - idr_sum(y.g, a.q, 0, k, row, col);
            const V u = y.u(k, row, col) - idr_sum(y.u, a.q, 0, k, row, col);
            y.g(k, row, col) = g;
            y.u(k, row, col) = u;
            y.x(row, col) = y.x(row, col) + a.beta[col] * u;
            y.r(row, col) = y.r(row, col) - a.beta[col] * g;
        }
    }
};

template <class V>
struct IdrOmega {
    double kappa;
    IdrScalars<V> a;
    StopView<real_t<V>> stop;

    LINDEN_HOST_DEVICE size_type size() const { return stop.cols; }
    LINDEN_HOST_DEVICE void operator()(size_type col) const
    {
        using R = real_t<V>;
        using std::sqrt;
        if (!stop.is_running(col)) {
            return;
        }
        a.fresh[col] = 0;
        const R r_norm = stop.residual[col];
        const R t_norm = sqrt(magnitude(a.tt[col]));
        const R product = magnitude(a.rt[col]);
        const R cosine = product / (r_norm * t_norm);
        const V phase = product == R{} ? V{R{1}} : conj(a.rt[col]) / V{product};
        const R least = static_cast<R>(kappa);
        const R used = cosine < least ? least : cosine;
        const V omega = phase * V{used * (r_norm / t_norm)};
        if (t_norm == R{} || used <= unit_roundoff<V> / 1000) {
            stop.status[col] = SolveStatus::breakdown;
        } else if (!is_finite(omega)) {
            stop.status[col] = SolveStatus::not_a_number;
        } else {
            a.omega[col] = omega;
        }
    }
};

template <class V>
struct IdrMinimise {
    DenseView<const V> t, v;
    DenseView<V> x, r;
    IdrScalars<V> a;
    StopView<real_t<V>> stop;

    LINDEN_HOST_DEVICE size_type size() const { return x.rows; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        for (size_type col = 0; col < x.cols; ++col) {
            if (stop.is_running(col)) {
                x(row, col) = x(row, col) + a.omega[col] * v(row, col);
                r(row, col) = r(row, col) - a.omega[col] * t(row, col);
            }
        }
    }
};

template <class F>
void for_each_portable_idr(const F& f)
{
    for_each_value([&]<class V>() {
        f(idr_shadow<V>, BodyOf<IdrShadow<V>>());
        f(idr_start<V>, BodyOf<IdrStart<V>>());
        f(idr_begin<V>, BodyOf<IdrBegin<V>>());
        f(idr_project<V>, BodyOf<IdrProject<V>>());
        f(idr_direction<V>, BodyOf<IdrDirection<V>>());
        f(idr_coefficients<V>, BodyOf<IdrCoefficients<V>>());
        f(idr_update<V>, BodyOf<IdrUpdate<V>>());
        f(idr_omega<V>, BodyOf<IdrOmega<V>>());
        f(idr_minimise<V>, BodyOf<IdrMinimise<V>>());
    });
}

}  // namespace linden
