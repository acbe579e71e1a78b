#include "core/kernels/stencil.hpp"

#include "reference/column_dots.hpp"
#include "reference/stencil_rows.hpp"

namespace linden::reference {
namespace {

template <class V, class I>
void spmv(const Executor&, StencilView<V, I> a, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta, DenseView<V> x)
{
    for (size_type row = 0; row < a.rows; ++row) {
        for (size_type col = 0; col < x.cols; ++col) {
            const V product = alpha[col] * stencil_product(a, a.values, row, [&](size_type j) { return b(j, col); });
            x(row, col) = beta[col] == V{} ? product : product + beta[col] * x(row, col);
        }
    }
}

template <class V, class I>
void spmv_dot(const Executor& exec, StencilView<V, I> a, DenseView<const V> b, DenseView<V> x, DenseView<const V> w,
              V* wx, V* xx, WorkspaceView workspace)
{
    spmv<V>(exec, a, Scalar<V>(V{1}), b, Scalar<V>(V{0}), x);
    column_dots(w, x, wx, xx, workspace);
}

}  // namespace

void register_stencil()
{
    for_each_value_index([]<class V, class I>() {
        stencil_spmv<V, I>.bind(Backend::reference, spmv<V, I>);
        stencil_spmv_dot<V, I>.bind(Backend::reference, spmv_dot<V, I>);
    });
}

}  // namespace linden::reference
