#include "core/kernels/dia.hpp"

#include "reference/column_dots.hpp"

namespace linden::reference {
namespace {

template <class V, class I>
void spmv(const Executor&, DiaView<V, I> a, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta, DenseView<V> x)
{
    const auto& layout = a.layout;
    for (size_type row = 0; row < layout.rows; ++row) {
        for (size_type col = 0; col < x.cols; ++col) {
            V sum{};
            for (size_type d = 0; d < layout.num_diagonals; ++d) {
                const size_type at = row + layout.offsets[d];
                if (at >= 0 && at < layout.cols) {
                    sum += a.values[d * layout.stride + row] * b(at, col);
                }
            }
            const V product = alpha[col] * sum;
            x(row, col) = beta[col] == V{} ? product : product + beta[col] * x(row, col);
        }
    }
}

template <class V, class I>
void spmv_dot(const Executor& exec, DiaView<V, I> a, DenseView<const V> b, DenseView<V> x, DenseView<const V> w, V* wx,
              V* xx, WorkspaceView workspace)
{
    spmv<V>(exec, a, Scalar<V>(V{1}), b, Scalar<V>(V{0}), x);
    column_dots(w, x, wx, xx, workspace);
}

}  // namespace

void register_dia()
{
    for_each_value_index([]<class V, class I>() {
        dia_spmv<V, I>.bind(Backend::reference, spmv<V, I>);
        dia_spmv_dot<V, I>.bind(Backend::reference, spmv_dot<V, I>);
    });
}

}  // namespace linden::reference
