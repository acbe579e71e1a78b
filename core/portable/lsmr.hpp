#pragma once

#include <cmath>

#include "core/kernels/lsmr.hpp"
#include "core/portable/golub_kahan.hpp"

namespace linden {

/// The scalars of one column by their names.
template <class R>
struct LsmrColumn {
    using Own = typename LsmrScalars<R>::Own;

    R* own;
    size_type cols, col;

    LINDEN_HOST_DEVICE R& operator[](Own name) const { return own[name * cols + col]; }
};

template <class R>
struct LsmrStart {
    LsmrScalars<R> s;
    StopView<R> stop;

    LINDEN_HOST_DEVICE size_type size() const { return stop.cols; }
    LINDEN_HOST_DEVICE void operator()(size_type col) const
    {
        using S = LsmrScalars<R>;
        const LsmrColumn<R> own{s.own, stop.cols, col};
        const R alpha = s.lengths.alpha[col], beta = s.lengths.beta[col];
        mark_at_start<R>(s.lengths, stop, col);
        s.lengths.square[col] = alpha * alpha;
        for (int name = 0; name < S::num_own; ++name) {
            own[static_cast<typename S::Own>(name)] = R{};
        }
        own[S::scale] = alpha == R{} ? R{} : R{1} / alpha;
        own[S::alpha_bar] = alpha;
        own[S::zeta_bar] = alpha * beta;
        own[S::rho] = own[S::rho_bar] = own[S::c_bar] = own[S::rho_dot] = R{1};
        own[S::beta_dots] = beta;
    }
};

/// A plane rotation that takes (a, b) to (r, 0).
template <class R>
struct PlaneRotation {
    R c, s, r;
};

template <class R>
LINDEN_HOST_DEVICE PlaneRotation<R> plane_rotation(R a, R b)
{
    using std::sqrt;
    const R r = sqrt(a * a + b * b);
    return r == R{} ? PlaneRotation<R>{R{1}, R{}, R{}} : PlaneRotation<R>{a / r, b / r, r};
}

template <class R>
struct LsmrRotate {
    LsmrScalars<R> s;
    double tolerance;
    R* norms;
    StopView<R> stop;

    LINDEN_HOST_DEVICE size_type size() const { return stop.cols; }
    LINDEN_HOST_DEVICE void operator()(size_type col) const
    {
        using S = LsmrScalars<R>;
        const LsmrColumn<R> own{s.own, stop.cols, col};
        own[S::tau] = R{};
        if (!stop.is_running(col)) {
            return;
        }
        const R alpha = s.lengths.alpha[col], beta = s.lengths.beta[col];
        // Of the bidiagonal matrix, [FongSaunders11, section 2]
        const auto first = plane_rotation<R>(own[S::alpha_bar], beta);
        const R theta = first.s * alpha;
        // Of its triangular factor, transposed
        const R theta_bar = own[S::s_bar] * first.r;
        const auto second = plane_rotation<R>(own[S::c_bar] * first.r, theta);
        if (!is_finite(first.r) || !is_finite(second.r) || !is_finite(own[S::zeta_bar])) {
            stop.status[col] = SolveStatus::not_a_number;
            return;
        }
        if (first.r == R{} || second.r == R{}) {
            stop.status[col] = SolveStatus::breakdown;
            return;
        }
        const R zeta_before = own[S::zeta], zeta = second.c * own[S::zeta_bar];
        own[S::sigma] = theta_bar * first.r / (own[S::rho] * own[S::rho_bar]);
        own[S::tau] = s.lengths.scale * (zeta / (first.r * second.r));
        own[S::scale] = alpha == R{} ? R{} : R{1} / alpha;
        own[S::theta] = theta / first.r;
        own[S::alpha_bar] = first.c * alpha;
        own[S::zeta_bar] = -second.s * own[S::zeta_bar];
        own[S::rho] = first.r;
        own[S::rho_bar] = second.r;
        own[S::c_bar] = second.c;
        own[S::s_bar] = second.s;
        own[S::zeta] = zeta;
        s.lengths.square[col] += alpha * alpha + beta * beta;
        norms[col] = residual_norm(own, first, theta_bar, zeta_before);
        end_if_least_squares<R>(s.lengths, stop, col, tolerance, magnitude(own[S::zeta_bar]), norms[col]);
    }

private:
    /// ||b - A x||, [FongSaunders11, section 3]
    LINDEN_HOST_DEVICE R residual_norm(const LsmrColumn<R>& own, const PlaneRotation<R>& first, R theta_bar,
                                       R zeta_before) const
    {
        using std::sqrt;
        using S = LsmrScalars<R>;
        const R beta_hat = first.c * own[S::beta_dots];
        own[S::beta_dots] = -first.s * own[S::beta_dots];
        const R theta_before = own[S::theta_tilde];
        const auto third = plane_rotation<R>(own[S::rho_dot], theta_bar);
        own[S::theta_tilde] = third.s * own[S::rho_bar];
        own[S::rho_dot] = third.c * own[S::rho_bar];
        own[S::beta_dot] = third.c * beta_hat - third.s * own[S::beta_dot];
        own[S::tau_tilde] = (zeta_before - theta_before * own[S::tau_tilde]) / third.r;
        const R tau_dot = (own[S::zeta] - own[S::theta_tilde] * own[S::tau_tilde]) / own[S::rho_dot];
        const R rest = own[S::beta_dot] - tau_dot;
        return sqrt(rest * rest + own[S::beta_dots] * own[S::beta_dots]);
    }
};

template <class V>
struct LsmrCorrect {
    const real_t<V>* weights;
    DenseView<const V> v;
    DenseView<V> h, g, x;
    StopView<real_t<V>> stop;

    LINDEN_HOST_DEVICE size_type size() const { return x.rows; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        using S = LsmrScalars<real_t<V>>;
        for (size_type col = 0; col < x.cols; ++col) {
            const auto weight = [&](typename S::Own name) { return weights[name * x.cols + col]; };
            const bool is_running = stop.is_running(col);
            if (is_running || weight(S::tau) != real_t<V>{}) {
                const V step = h(row, col) - weight(S::sigma) * g(row, col);
                g(row, col) = step;
                x(row, col) = x(row, col) + weight(S::tau) * step;
            }
            if (is_running) {
                h(row, col) = weight(S::scale) * v(row, col) - weight(S::theta) * h(row, col);
            }
        }
    }
};

template <class F>
void for_each_portable_lsmr(const F& f)
{
    for_each_value([&]<class V>() { f(lsmr_correct<V>, BodyOf<LsmrCorrect<V>>()); });
    for_each_real([&]<class R>() {
        f(lsmr_start<R>, BodyOf<LsmrStart<R>>());
        f(lsmr_rotate<R>, BodyOf<LsmrRotate<R>>());
    });
}

}  // namespace linden
