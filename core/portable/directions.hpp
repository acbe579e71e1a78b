#pragma once

#include "core/base/math.hpp"
#include "core/kernels/directions.hpp"
#include "core/portable/body.hpp"

namespace linden {

template <class V>
struct DirectionWeights {
    const V* h;
    const V* sigma;
    size_type count;
    V* y;
    V* rho;
    StopView<real_t<V>> stop;

    LINDEN_HOST_DEVICE size_type size() const { return stop.cols; }
    LINDEN_HOST_DEVICE void operator()(size_type col) const
    {
        const bool runs = stop.is_running(col);
        for (size_type i = 0; i < count; ++i) {
            const size_type at = i * stop.cols + col;
            y[at] = runs && sigma[at] != V{} ? h[at] / sigma[at] : V{};
        }
        if (runs) {
            rho[col] = conj(rho[col]);
        }
    }
};

template <class V>
struct CombineDirections {
    DenseView<const V> z;
    const V* y;
    size_type count, slot;
    BasisView<V> p;
    StopView<real_t<V>> stop;

    LINDEN_HOST_DEVICE size_type size() const { return z.rows; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        for (size_type col = 0; col < stop.cols; ++col) {
            if (!stop.is_running(col)) {
                continue;
            }
            V direction = z(row, col);
            for (size_type i = 0; i < count; ++i) {
                const V weight = y[i * stop.cols + col];
                if (weight != V{}) {
                    direction = direction - weight * p(i, row, col);
                }
            }
            p(slot, row, col) = direction;
        }
    }
};

template <class F>
void for_each_portable_directions(const F& f)
{
    for_each_value([&]<class V>() {
        f(directions_weights<V>, BodyOf<DirectionWeights<V>>());
        f(directions_combine<V>, BodyOf<CombineDirections<V>>());
    });
}

}  // namespace linden
