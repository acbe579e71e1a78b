#include "core/kernels/chebyshev.hpp"

#include "gpu/vector/columns.cuh"

namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

/// x := c[0] y + c[1] x + c[2] D (b - q)
template <class V>
struct Step {
    struct Coefficients {
        V of_y, of_x, of_residual;
    };
    const V* c;
    DenseView<const V> d, b, q, y;
    DenseView<V> x;

    __device__ Coefficients prepare(size_type) const { return {c[0], c[1], c[2]}; }
    template <int N>
    __device__ void operator()(Place<N> at, const Coefficients& by) const
    {
        auto correction = by.of_residual * (at.load(b) - at.load(q));
        if (d.values != nullptr) {
            if constexpr (N > 1) {
                correction = at.load(d) * correction;
            } else {
                correction = d(at.row, 0) * correction;
            }
        }
        const auto next = by.of_y * at.load(y) + correction;
        at.store(x, by.of_x == V{} ? next : next + by.of_x * at.load(x));
    }
};

template <class V>
void step(const Executor& exec, const V* c, DenseView<const V> d, DenseView<const V> b, DenseView<const V> q,
          DenseView<const V> y, DenseView<V> x)
{
    const Step<device_type<V>> body{as_device(c), as_device(d), as_device(b), as_device(q), as_device(y), as_device(x)};
    if (d.values == nullptr) {
        map_columns(exec, body, body.x, body.b, body.q, body.y);
    } else {
        map_columns(exec, body, body.x, body.b, body.q, body.y, body.d);
    }
}

}  // namespace

void register_chebyshev()
{
    for_each_value([]<class V>() { chebyshev_step<V>.bind(this_backend, step<V>); });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
