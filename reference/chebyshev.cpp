#include "core/kernels/chebyshev.hpp"

namespace linden::reference {
namespace {

template <class V>
void step(const Executor&, const V* c, DenseView<const V> d, DenseView<const V> b, DenseView<const V> q,
          DenseView<const V> y, DenseView<V> x)
{
    for (size_type row = 0; row < x.rows; ++row) {
        for (size_type col = 0; col < x.cols; ++col) {
            const V residual = b(row, col) - q(row, col);
            const V correction = d.values == nullptr ? residual : d(row, 0) * residual;
            const V next = c[0] * y(row, col) + c[2] * correction;
            x(row, col) = c[1] == V{} ? next : next + c[1] * x(row, col);
        }
    }
}

}  // namespace

void register_chebyshev()
{
    for_each_value([]<class V>() { chebyshev_step<V>.bind(Backend::reference, step<V>); });
}

}  // namespace linden::reference
