#pragma once

#include <cmath>

#include "core/base/math.hpp"
#include "core/kernels/minres.hpp"
#include "core/portable/body.hpp"

namespace linden {

template <class V>
struct MinresStart {
    MinresScalars<V> s;
    StopView<real_t<V>> stop;

    LINDEN_HOST_DEVICE size_type size() const { return stop.cols; }
    LINDEN_HOST_DEVICE void operator()(size_type col) const
    {
        using R = real_t<V>;
        using std::sqrt;
        const size_type old = stop.cols + col;
        const R squared = real(s.gamma_squared[col]);
        if (stop.is_running(col) && !(squared > R{})) {
            stop.status[col] = is_finite(squared) ? SolveStatus::breakdown : SolveStatus::not_a_number;
        }
        s.gamma[col] = squared > R{} ? sqrt(squared) : R{1};
        s.eta[col] = s.gamma[col];
        s.gamma[old] = s.cosine[col] = s.cosine[old] = s.length[col] = s.length[old] = R{1};
        s.sine[col] = s.sine[old] = s.square[col] = R{};
    }
};

template <class V>
struct MinresWeights {
    MinresScalars<V> s;
    StopView<real_t<V>> stop;

    LINDEN_HOST_DEVICE size_type size() const { return stop.cols; }
    LINDEN_HOST_DEVICE void operator()(size_type col) const
    {
        if (!stop.is_running(col)) {
            return;
        }
        using R = real_t<V>;
        const size_type k = stop.cols, old = k + col;
        const R gamma = s.gamma[col];
        const R delta = real(s.delta[col]) / gamma / gamma;
        // Column j of T, (gamma, delta), under the two rotations before; off: gamma after the first of them.
        const R off = s.cosine[old] * gamma;
        R* const w = s.weights + col;
        w[0] = R{1} / gamma;
        w[k] = delta / gamma;
        w[2 * k] = gamma / s.gamma[old];
        w[3 * k] = (s.sine[col] * delta + s.cosine[col] * off) / s.length[col];
        w[4 * k] = s.sine[old] * gamma / s.length[old];
        w[5 * k] = s.cosine[col] * delta - s.sine[col] * off;
    }
};

template <class V>
struct MinresAdvance {
    MinresVectors<V> vectors;
    const real_t<V>* weights;
    StopView<real_t<V>> stop;

    LINDEN_HOST_DEVICE size_type size() const { return vectors.v.rows; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        const auto& [q, z, v, v_old, d, d_old] = vectors;
        const size_type k = stop.cols;
        for (size_type col = 0; col < k; ++col) {
            if (!stop.is_running(col)) {
                continue;
            }
            const real_t<V>* const w = weights + col;
            const V direction = w[0] * z(row, col) - w[3 * k] * d(row, col) - w[4 * k] * d_old(row, col);
            const V next = w[0] * q(row, col) - w[k] * v(row, col) - w[2 * k] * v_old(row, col);
            d_old(row, col) = d(row, col);
            d(row, col) = direction;
            v_old(row, col) = v(row, col);
            v(row, col) = next;
        }
    }
};

template <class V>
struct MinresRotate {
    MinresScalars<V> s;
    real_t<V>* norms;
    StopView<real_t<V>> stop;

    LINDEN_HOST_DEVICE size_type size() const { return stop.cols; }
    LINDEN_HOST_DEVICE void operator()(size_type col) const
    {
        using R = real_t<V>;
        using std::sqrt;
        constexpr R eps = unit_roundoff<V>;
        const size_type k = stop.cols, old = k + col;
        R* const m = s.movement + col;
        m[0] = m[2 * k] = R{};
        m[k] = R{1};
        if (!stop.is_running(col)) {
            return;
        }
        const R squared = real(s.gamma_squared[col]);
        const R diagonal = s.weights[5 * k + col];
        const R gamma = squared > R{} ? sqrt(squared) : R{};
        const R delta = s.weights[k + col] * s.gamma[col];
        const R column = delta * delta + gamma * gamma;
        const R scale = s.square[col] < column ? column : s.square[col];
        const R below = s.cosine[col] * gamma;
        const R length = sqrt(diagonal * diagonal + gamma * gamma);
        if (!is_finite(squared) || !is_finite(length)) {
            stop.status[col] = SolveStatus::not_a_number;
        } else if (squared < -16 * eps * eps * scale) {
            stop.status[col] = SolveStatus::breakdown;
        } else if (diagonal * diagonal + below * below <= 16 * eps * eps * scale) {
            stop.status[col] = SolveStatus::stagnated;  // ||A r|| is that root times ||r|| [PaigeSaunders75]
        } else {
            move(col, gamma, diagonal / length, gamma / length);
            s.length[old] = s.length[col];
            s.length[col] = length;
            m[0] /= length;
            s.square[col] = scale;
            norms[col] = magnitude(s.eta[col]);
        }
    }

private:
    /// The step of a column: x := x + c eta d, and r := s^2 r + c eta' v', where eta' = -s eta and v' has length 1.
    LINDEN_HOST_DEVICE void move(size_type col, real_t<V> gamma, real_t<V> cosine, real_t<V> sine) const
    {
        using R = real_t<V>;
        const size_type k = stop.cols, old = k + col;
        R* const m = s.movement + col;
        m[0] = cosine * s.eta[col];
        s.eta[col] = -sine * s.eta[col];
        m[k] = sine * sine;
        m[2 * k] = gamma == R{} ? R{} : cosine * s.eta[col] / gamma;
        s.cosine[old] = s.cosine[col];
        s.cosine[col] = cosine;
        s.sine[old] = s.sine[col];
        s.sine[col] = sine;
        s.gamma[old] = s.gamma[col];
        s.gamma[col] = gamma;
    }
};

template <class V>
struct MinresCorrect {
    const real_t<V>* movement;
    DenseView<const V> d, v;
    DenseView<V> x, r;

    LINDEN_HOST_DEVICE size_type size() const { return x.rows; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        const size_type k = x.cols;
        for (size_type col = 0; col < k; ++col) {
            const real_t<V> step = movement[col];
            if (step == real_t<V>{}) {
                continue;
            }
            x(row, col) = x(row, col) + step * d(row, col);
            if (r.rows != 0) {
                r(row, col) = movement[k + col] * r(row, col) + movement[2 * k + col] * v(row, col);
            }
        }
    }
};

template <class F>
void for_each_portable_minres(const F& f)
{
    for_each_value([&]<class V>() {
        f(minres_start<V>, BodyOf<MinresStart<V>>());
        f(minres_weights<V>, BodyOf<MinresWeights<V>>());
        f(minres_advance<V>, BodyOf<MinresAdvance<V>>());
        f(minres_rotate<V>, BodyOf<MinresRotate<V>>());
        f(minres_correct<V>, BodyOf<MinresCorrect<V>>());
    });
}

}  // namespace linden
