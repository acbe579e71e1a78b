#include "core/kernels/bsr.hpp"

#include "core/base/math.hpp"
#include "omp/parallel.hpp"

namespace linden::omp {
namespace {

/// One block row in column `col`; rows of a block are summed side by side, as many as `S` if it is not 0.
template <size_type S, class V, class I>
void multiply_block_row(const BsrView<V, I>& a, size_type block_row, size_type col, V factor, DenseView<const V> b,
                        V keep, DenseView<V> x)
{
    const auto& layout = a.layout;
    const size_type s = S == 0 ? layout.block_size : S;
    V sums[max_bsr_block_size]{};
    for (I block = layout.row_ptrs[block_row]; block < layout.row_ptrs[block_row + 1]; ++block) {
        const size_type first_col = layout.col_idxs[block] * s;
        const size_type num_cols = std::min(s, layout.cols - first_col);
        for (size_type c = 0; c < num_cols; ++c) {
            const V* const values = a.values + (block * s + c) * s;
            const V other = b(first_col + c, col);
            for (size_type r = 0; r < s; ++r) {
                sums[r] += multiply(values[r], other);
            }
        }
    }
    const size_type first = block_row * s;
    for (size_type r = 0; r < std::min(s, layout.rows - first); ++r) {
        V& target = x(first + r, col);
        const V product = multiply(factor, sums[r]);
        target = keep == V{} ? product : product + multiply(keep, target);
    }
}

/// All columns of a block row, whose blocks stay in the cache.
template <size_type S, class V, class I>
void multiply_rows(const BsrView<V, I>& a, size_type begin, size_type end, const Scalar<V>& alpha, DenseView<const V> b,
                   const Scalar<V>& beta, DenseView<V> x)
{
    for (size_type block_row = begin; block_row < end; ++block_row) {
        for (size_type col = 0; col < x.cols; ++col) {
            multiply_block_row<S>(a, block_row, col, alpha[col], b, beta[col], x);
        }
    }
}

/// The usual sizes of blocks, known to the compiler; loops of the others have a variable length.
template <class V, class I>
void spmv(const Executor& exec, BsrView<V, I> a, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta, DenseView<V> x)
{
    const NonzeroPartition<I> partition{a.layout.row_ptrs, a.layout.block_rows()};
    const size_type s = a.layout.block_size;
    const int parts = partition.work() * s * s * x.cols < min_parallel_work ? 1 : num_threads(exec);
    run_parts(partition, parts, [&](int, size_type begin, size_type end) {
        if (s == 3) {
            multiply_rows<3>(a, begin, end, alpha, b, beta, x);
        } else if (s == 4) {
            multiply_rows<4>(a, begin, end, alpha, b, beta, x);
        } else {
            multiply_rows<0>(a, begin, end, alpha, b, beta, x);
        }
    });
}

}  // namespace

void register_bsr()
{
    for_each_value_index([]<class V, class I>() { bsr_spmv<V, I>.bind(Backend::omp, spmv<V, I>); });
}

}  // namespace linden::omp
