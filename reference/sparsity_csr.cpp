#include "core/kernels/sparsity_csr.hpp"

namespace linden::reference {
namespace {

template <class V, class I>
void spmv(const Executor&, PatternView<I> a, V value, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta,
          DenseView<V> x)
{
    for (size_type row = 0; row < a.rows; ++row) {
        for (size_type col = 0; col < x.cols; ++col) {
            V sum{};
            for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
                sum += b(a.col_idxs[k], col);
            }
            const V product = alpha[col] * (value * sum);
            x(row, col) = beta[col] == V{} ? product : product + beta[col] * x(row, col);
        }
    }
}

}  // namespace

void register_sparsity_csr()
{
    for_each_value_index([]<class V, class I>() { sparsity_csr_spmv<V, I>.bind(Backend::reference, spmv<V, I>); });
}

}  // namespace linden::reference
