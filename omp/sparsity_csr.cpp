#include "core/kernels/sparsity_csr.hpp"

#include "core/base/math.hpp"
#include "omp/parallel.hpp"

namespace linden::omp {
namespace {

template <class V, class I>
void spmv(const Executor& exec, PatternView<I> a, V value, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta,
          DenseView<V> x)
{
    const auto rows = [&](size_type begin, size_type end) {
        for (size_type row = begin; row < end; ++row) {
            for (size_type col = 0; col < x.cols; ++col) {
                V sum{};
                for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
                    sum += b.values[a.col_idxs[k] * b.stride + col];
                }
                const V product = multiply(alpha[col], multiply(value, sum));
                const V keep = beta[col];
                x(row, col) = keep == V{} ? product : product + multiply(keep, x(row, col));
            }
        }
    };
    parallel_parts(exec, NonzeroPartition<I>{a.row_ptrs, a.rows}, rows);
}

}  // namespace

void register_sparsity_csr()
{
    for_each_value_index([]<class V, class I>() { sparsity_csr_spmv<V, I>.bind(Backend::omp, spmv<V, I>); });
}

}  // namespace linden::omp
