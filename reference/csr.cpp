#include "core/kernels/csr.hpp"

#include <algorithm>

#include "core/base/math.hpp"
#include "reference/column_dots.hpp"

namespace linden::reference {
namespace {

template <class V, class I>
V row_product(CsrView<V, I> a, size_type row, DenseView<const V> b, size_type col)
{
    V sum{};
    for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
        sum += a.values[k] * b(a.col_idxs[k], col);
    }
    return sum;
}

template <class V, class I>
void spmv(const Executor&, CsrView<V, I> a, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta, DenseView<V> x)
{
    for (size_type row = 0; row < a.rows; ++row) {
        for (size_type col = 0; col < x.cols; ++col) {
            const V product = alpha[col] * row_product(a, row, b, col);
            x(row, col) = beta[col] == V{} ? product : product + beta[col] * x(row, col);
        }
    }
}

template <class V, class I>
void spmv_dot(const Executor& exec, CsrView<V, I> a, DenseView<const V> b, DenseView<V> x, DenseView<const V> w, V* wx,
              V* xx, WorkspaceView workspace)
{
    spmv<V, I>(exec, a, V{1}, b, V{}, x);
    column_dots(w, x, wx, xx, workspace);
}

template <class I>
void find_split_rows(const Executor&, PatternView<I> a, I* split_rows)
{
    for (size_type row = 0; row < a.rows; ++row) {
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            if (k % split_nonzeros == 0) {
                split_rows[k / split_nonzeros] = static_cast<I>(row);
            }
        }
    }
}

template <class V, class I>
void spmv_nnz_split(const Executor& exec, CsrView<V, I> a, const I*, Scalar<V> alpha, DenseView<const V> b,
                    Scalar<V> beta, DenseView<V> x, WorkspaceView)
{
    spmv(exec, a, alpha, b, beta, x);
}

template <class I>
void row_lengths(const Executor&, PatternView<I> a, RowLengths* lengths)
{
    *lengths = {};
    for (size_type row = 0; row < a.rows; ++row) {
        const std::int64_t length = a.row_ptrs[row + 1] - a.row_ptrs[row];
        lengths->longest = std::max(lengths->longest, length);
        lengths->sum_of_squares += length * length;
    }
}

template <class V, class I>
void extract_diagonal(const Executor&, CsrView<V, I> a, DenseView<V> d)
{
    for (size_type row = 0; row < std::min(a.rows, a.cols); ++row) {
        d(row, 0) = V{};
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            if (a.col_idxs[k] == row) {
                d(row, 0) = a.values[k];
            }
        }
    }
}

}  // namespace

void register_csr()
{
    for_each_index([]<class I>() {
        csr_find_split_rows<I>.bind(Backend::reference, find_split_rows<I>);
        csr_row_lengths<I>.bind(Backend::reference, row_lengths<I>);
    });
    for_each_value_index([]<class V, class I>() {
        csr_spmv_nnz_split<V, I>.bind(Backend::reference, spmv_nnz_split<V, I>);
        csr_spmv<V, I>.bind(Backend::reference, spmv<V, I>);
        csr_spmv_in_order<V, I>.bind(Backend::reference, spmv<V, I>);
        csr_spmv_dot<V, I>.bind(Backend::reference, spmv_dot<V, I>);
        csr_extract_diagonal<V, I>.bind(Backend::reference, extract_diagonal<V, I>);
    });
}

}  // namespace linden::reference
