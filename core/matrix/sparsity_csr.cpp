#include <linden/matrix/dense.hpp>
#include <linden/matrix/sparsity_csr.hpp>

#include "core/kernels/array.hpp"
#include "core/kernels/dense.hpp"
#include "core/kernels/sparsity_csr.hpp"
#include "core/matrix/formats.hpp"

// instantiate: class SparsityCsr<V, I>

namespace linden {
namespace {

/// The one value of all entries, 1 if there are none. @throws InvalidParameter if they differ
template <class V, class I>
V value_of(const Csr<V, I>& matrix)
{
    const auto& exec = matrix.executor();
    const auto nnz = matrix.num_nonzeros();
    if (nnz == 0) {
        return V{1};
    }
    Array<I> marks(exec, nnz + 1);
    array_mark_different<V, I>(exec, nnz, matrix.values(), marks.data());
    if (const auto different = detail::make_row_ptrs(marks, "the values"); different != 0) {
        throw InvalidParameter("matrix", std::to_string(different) + " entries that differ from the first",
                               "a matrix whose entries are all the same; or SparsityCsr::with_value");
    }
    V value{};
    copy_bytes(exec, matrix.values(), detail::host(), &value, sizeof value);
    return value;
}

}  // namespace

template <class V, class I>
SparsityCsr<V, I>::SparsityCsr(Executor exec, Dim size, Array<I> row_ptrs, Array<I> col_idxs, V value)
    : detail::SparseMatrix<V, I>(exec, size),
      row_ptrs_(std::move(row_ptrs)),
      col_idxs_(std::move(col_idxs)),
      value_(value)
{
    detail::check_array("row_ptrs", row_ptrs_, exec, size.rows + 1);
    detail::check_array("col_idxs", col_idxs_, exec, col_idxs_.size());
}

template <class V, class I>
SparsityCsr<V, I> SparsityCsr<V, I>::from_csr(const Csr<V, I>& matrix, Parameters)
{
    return with_value(matrix, value_of(matrix));
}

template <class V, class I>
SparsityCsr<V, I> SparsityCsr<V, I>::with_value(const Csr<V, I>& pattern, V value)
{
    const auto& exec = pattern.executor();
    Array<I> row_ptrs(exec, pattern.size().rows + 1);
    Array<I> col_idxs(exec, pattern.num_nonzeros());
    copy_bytes(exec, pattern.row_ptrs(), exec, row_ptrs.data(), row_ptrs.bytes());
    copy_bytes(exec, pattern.col_idxs(), exec, col_idxs.data(), col_idxs.bytes());
    return SparsityCsr(exec, pattern.size(), std::move(row_ptrs), std::move(col_idxs), value);
}

template <class V, class I>
SparsityCsr<V, I> SparsityCsr<V, I>::copy(const Executor& exec) const
{
    return SparsityCsr(exec, this->size(), row_ptrs_.clone(exec), col_idxs_.clone(exec), value_);
}

template <class V, class I>
Csr<V, I> SparsityCsr<V, I>::to_csr() const
{
    const auto& exec = this->executor();
    Array<V> values(exec, num_nonzeros());
    dense_fill<V>(exec, value_, {num_nonzeros(), 1, 1, values.data()});
    return Csr<V, I>(exec, this->size(), row_ptrs_.clone(), col_idxs_.clone(), std::move(values));
}

template <class V, class I>
void SparsityCsr<V, I>::fill(const Csr<V, I>& matrix)
{
    value_ = value_of(matrix);
}

template <class V, class I>
void SparsityCsr<V, I>::apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const
{
    sparsity_csr_spmv<V, I>(this->executor(), pattern(), value_, alpha, b.view(), beta, x.view());
}

}  // namespace linden
