#include "core/kernels/sell.hpp"

#include "reference/column_dots.hpp"
#include "reference/sell_rows.hpp"

namespace linden::reference {
namespace {

template <class V, class S, class J>
void spmv(const Executor&, SellView<S, J> a, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta, DenseView<V> x)
{
    for (size_type position = 0; position < a.layout.rows; ++position) {
        const size_type row = a.layout.row(position);
        for (size_type col = 0; col < x.cols; ++col) {
            const V product = alpha[col] * row_product(a, position, b, col);
            x(row, col) = beta[col] == V{} ? product : product + beta[col] * x(row, col);
        }
    }
}

template <class V, class S, class J>
void spmv_dot(const Executor& exec, SellView<S, J> a, DenseView<const V> b, DenseView<V> x, DenseView<const V> w, V* wx,
              V* xx, WorkspaceView workspace)
{
    spmv<V>(exec, a, Scalar<V>(V{1}), b, Scalar<V>(V{0}), x);
    column_dots(w, x, wx, xx, workspace);
}

}  // namespace

void register_sell()
{
    for_each_sell_type([]<class V, class S, class J>() {
        sell_spmv<V, S, J>.bind(Backend::reference, spmv<V, S, J>);
        sell_spmv_dot<V, S, J>.bind(Backend::reference, spmv_dot<V, S, J>);
    });
}

}  // namespace linden::reference
