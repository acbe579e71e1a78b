#include "core/kernels/coo.hpp"

namespace linden::reference {
namespace {

template <class V, class I>
void spmv_add(const Executor&, CooView<V, I> a, Scalar<V> alpha, DenseView<const V> b, DenseView<V> x, WorkspaceView)
{
    for (size_type first = 0, last = 0; first < a.num_nonzeros; first = last) {
        while (last < a.num_nonzeros && a.row_idxs[last] == a.row_idxs[first]) {
            ++last;
        }
        for (size_type col = 0; col < x.cols; ++col) {
            V sum{};
            for (size_type k = first; k < last; ++k) {
                sum += a.values[k] * b(a.col_idxs[k], col);
            }
            x(a.row_idxs[first], col) += alpha[col] * sum;
        }
    }
}

}  // namespace

void register_coo()
{
    for_each_value_index([]<class V, class I>() { coo_spmv_add<V, I>.bind(Backend::reference, spmv_add<V, I>); });
}

}  // namespace linden::reference
