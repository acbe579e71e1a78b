#pragma once

#include <cmath>

#include "core/base/math.hpp"
#include "core/kernels/lsqr.hpp"
#include "core/portable/body.hpp"

namespace linden {

template <class V>
struct LsqrAdvance {
    DenseView<const V> b;
    const real_t<V>* s;
    const real_t<V>* t;
    DenseView<V> x;
    StopView<real_t<V>> stop;

    LINDEN_HOST_DEVICE size_type size() const { return x.rows; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        using R = real_t<V>;
        for (size_type col = 0; col < x.cols; ++col) {
            const R length = s[col];
            if (stop.is_running(col)) {
                x(row, col) = length == R{} ? V{} : (R{1} / length) * b(row, col) - (length / t[col]) * x(row, col);
            }
        }
    }
};

template <class R>
struct LsqrStart {
    LsqrScalars<R> s;
    StopView<R> stop;

    LINDEN_HOST_DEVICE size_type size() const { return stop.cols; }
    LINDEN_HOST_DEVICE void operator()(size_type col) const
    {
        const R alpha = s.alpha[col];
        const bool is_solved = stop.is_running(col) && alpha == R{};
        if (is_solved) {
            stop.status[col] = SolveStatus::stagnated;
        }
        // A column that stopped with a mark in an earlier part of the solve keeps it.
        s.marks[col] = is_solved || (stop.status[col] == SolveStatus::stagnated && s.marks[col] != 0) ? 1 : 0;
        s.square[col] = alpha * alpha;
        s.rho_bar[col] = alpha;
        s.phi_bar[col] = s.beta[col];
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
        const R alpha = s.alpha[col], beta = s.beta[col], phi_bar = s.phi_bar[col];
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
        s.tau[col] = cosine * phi_bar / rho;
        s.weights[col] = alpha == R{} ? R{} : R{1} / alpha;
        s.weights[stop.cols + col] = sine * alpha / rho;
        s.rho_bar[col] = -cosine * alpha;
        s.phi_bar[col] = sine * phi_bar;
        s.square[col] += alpha * alpha + beta * beta;
        norms[col] = s.phi_bar[col];
        // ||A^H r|| = |phi_bar rho_bar| [PaigeSaunders82, 5.1]
        constexpr R eps = unit_roundoff<R>;
        const R limit = R(tolerance) < eps ? eps : R(tolerance);
        if (magnitude(s.rho_bar[col]) <= limit * sqrt(s.square[col]) && s.phi_bar[col] > stop.tolerance[col]) {
            end(col);
        }
    }

private:
    /// Ends a column whose residual is as small as it becomes.
    LINDEN_HOST_DEVICE void end(size_type col) const
    {
        const auto iteration = stop.iterations[col] + 1;
        stop.iterations[col] = iteration;
        stop.residual[col] = s.phi_bar[col];
        if (iteration < stop.header->history_capacity) {
            stop.history[iteration * stop.cols + col] = s.phi_bar[col];
        }
        stop.status[col] = SolveStatus::stagnated;
        s.marks[col] = 1;
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
    for_each_value([&]<class V>() {
        f(lsqr_advance<V>, BodyOf<LsqrAdvance<V>>());
        f(lsqr_correct<V>, BodyOf<LsqrCorrect<V>>());
    });
    for_each_real([&]<class R>() {
        f(lsqr_start<R>, BodyOf<LsqrStart<R>>());
        f(lsqr_rotate<R>, BodyOf<LsqrRotate<R>>());
    });
}

}  // namespace linden
