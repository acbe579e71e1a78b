#include "core/portable/dense_inverse.hpp"

#include "core/base/math.hpp"

namespace linden::reference {
namespace {

template <class V>
void pivot_rows(const Executor&, GalerkinView<V> e, std::int32_t* order, size_type first, WorkspaceView workspace)
{
    pivot_rows_on_host(e, order, first, workspace);
}

template <class V, class S>
void apply(const Executor&, DenseView<const S> w, DenseView<const V> b, DenseView<V> x)
{
    for (size_type i = 0; i < x.rows; ++i) {
        for (size_type col = 0; col < x.cols; ++col) {
            V sum{};
            for (size_type j = 0; j < w.cols; ++j) {
                sum += multiply(static_cast<V>(w(i, j)), b(j, col));
            }
            x(i, col) = sum;
        }
    }
}

}  // namespace

void register_dense_inverse()
{
    for_each_value([]<class V>() { dense_inverse_pivot_rows<V>.bind(Backend::reference, pivot_rows<V>); });
    for_each_inverse_type([]<class V, class S>() { dense_inverse_apply<V, S>.bind(Backend::reference, apply<V, S>); });
}

}  // namespace linden::reference
