#include "core/kernels/bsr.hpp"

namespace linden::reference {
namespace {

template <class V, class I>
V row_product(const BsrView<V, I>& a, size_type row, DenseView<const V> b, size_type col)
{
    const auto& layout = a.layout;
    const size_type s = layout.block_size;
    V sum{};
    for (I block = layout.row_ptrs[row / s]; block < layout.row_ptrs[row / s + 1]; ++block) {
        for (size_type c = 0; c < s; ++c) {
            const size_type at = layout.col_idxs[block] * s + c;
            if (at < layout.cols) {
                sum += a.values[(block * s + c) * s + row % s] * b(at, col);
            }
        }
    }
    return sum;
}

template <class V, class I>
void spmv(const Executor&, BsrView<V, I> a, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta, DenseView<V> x)
{
    for (size_type row = 0; row < a.layout.rows; ++row) {
        for (size_type col = 0; col < x.cols; ++col) {
            const V product = alpha[col] * row_product(a, row, b, col);
            x(row, col) = beta[col] == V{} ? product : product + beta[col] * x(row, col);
        }
    }
}

}  // namespace

void register_bsr()
{
    for_each_value_index([]<class V, class I>() { bsr_spmv<V, I>.bind(Backend::reference, spmv<V, I>); });
}

}  // namespace linden::reference
