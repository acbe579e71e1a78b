#pragma once

#include <cmath>

#include "core/kernels/lsqr.hpp"
#include "core/portable/golub_kahan.hpp"

namespace linden {

template <class R>
struct LsqrStart {
    LsqrScalars<R> s;
    StopView<R> stop;

    LINDEN_HOST_DEVICE size_type size() const { return stop.cols; }
    LINDEN_HOST_DEVICE void operator()(size_type col) const
    {
        const R alpha = s.lengths.alpha[col];
        mark_at_start<R>(s.lengths, stop, col);
        s.lengths.square[col] = alpha * alpha;
        s.rho_bar[col] = alpha;
        s.phi_bar[col] = s.lengths.beta[col];
        s.tau[col] = R{};
        s.weights[col] = alpha == R{} ? R{} : R{1} / alpha;
        s.weights[stop.cols + col] = R{};
    }
};

template <class R>
struct LsqrRotate {
    LsqrScalars<R> s;
    double tolerance;
    R* norms;
    StopView<R> stop;

    LINDEN_HOST_DEVICE size_type size() const { return stop.cols; }
    LINDEN_HOST_DEVICE void operator()(size_type col) const
    {
        using std::sqrt;
        s.tau[col] = R{};
        if (!stop.is_running(col)) {
            return;
        }
        const R alpha = s.lengths.alpha[col], beta = s.lengths.beta[col], phi_bar = s.phi_bar[col];
        const R rho = sqrt(s.rho_bar[col] * s.rho_bar[col] + beta * beta);
        if (!is_finite(rho) || !is_finite(alpha) || !is_finite(phi_bar)) {
            stop.status[col] = SolveStatus::not_a_number;
            return;
        }
        if (rho == R{}) {
            stop.status[col] = SolveStatus::breakdown;
            return;
        }
        const R cosine = s.rho_bar[col] / rho, sine = beta / rho;
        s.tau[col] = s.lengths.scale * (cosine * phi_bar / rho);
        s.weights[col] = alpha == R{} ? R{} : R{1} / alpha;
        s.weights[stop.cols + col] = sine * alpha / rho;
        s.rho_bar[col] = -cosine * alpha;
        s.phi_bar[col] = sine * phi_bar;
        s.lengths.square[col] += alpha * alpha + beta * beta;
        norms[col] = s.phi_bar[col];
        // [PaigeSaunders82, 5.1]
        end_if_least_squares<R>(s.lengths, stop, col, tolerance, magnitude(s.rho_bar[col]) * s.phi_bar[col],
                                s.phi_bar[col]);
    }
};

template <class V>
struct LsqrCorrect {
    const real_t<V>* tau;
    const real_t<V>* weights;
    DenseView<const V> v;
    DenseView<V> w, x;
    StopView<real_t<V>> stop;

    LINDEN_HOST_DEVICE size_type size() const { return x.rows; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        for (size_type col = 0; col < x.cols; ++col) {
            if (tau[col] != real_t<V>{}) {
                x(row, col) = x(row, col) + tau[col] * w(row, col);
            }
            if (stop.is_running(col)) {
                w(row, col) = weights[col] * v(row, col) - weights[x.cols + col] * w(row, col);
            }
        }
    }
};

template <class F>
void for_each_portable_lsqr(const F& f)
{
    for_each_value([&]<class V>() { f(lsqr_correct<V>, BodyOf<LsqrCorrect<V>>()); });
    for_each_real([&]<class R>() {
        f(lsqr_start<R>, BodyOf<LsqrStart<R>>());
        f(lsqr_rotate<R>, BodyOf<LsqrRotate<R>>());
    });
}

}  // namespace linden
