#include <linden/matrix/coo.hpp>

#include "core/matrix/coo_product.hpp"
#include "core/matrix/formats.hpp"

// instantiate: class Coo<V, I>

namespace linden {

template <class V, class I>
Coo<V, I>::Coo(Executor exec, Dim size, Array<I> row_idxs, Array<I> col_idxs, Array<V> values)
    : detail::SparseMatrix<V, I>(exec, size),
      row_idxs_(std::move(row_idxs)),
      col_idxs_(std::move(col_idxs)),
      values_(std::move(values)),
      workspace_(detail::split_workspace<V>(exec, values_.size()))
{
    detail::check_array("row_idxs", row_idxs_, exec, values_.size());
    detail::check_array("col_idxs", col_idxs_, exec, values_.size());
    detail::check_array("values", values_, exec, values_.size());
}

template <class V, class I>
Coo<V, I> Coo<V, I>::from_csr(const Csr<V, I>& matrix, Parameters)
{
    const auto& exec = matrix.executor();
    const auto nnz = matrix.num_nonzeros();
    Array<I> rows(exec, nnz);
    Array<I> cols(exec, nnz);
    Array<V> values(exec, nnz);
    Array<size_type> map(exec, nnz);
    hybrid_fill_tails<I>(exec, matrix.view(), 0, nnz, matrix.row_ptrs(), rows.data(), cols.data(), map.data());
    copy_bytes(exec, matrix.values(), exec, values.data(), values.bytes());
    return Coo(exec, matrix.size(), std::move(rows), std::move(cols), std::move(values));
}

template <class V, class I>
Csr<V, I> Coo<V, I>::to_csr() const
{
    const auto& exec = this->executor();
    Array<I> row_ptrs(exec, this->size().rows + 1);
    coo_find_row_ptrs<I>(exec, this->size().rows, num_nonzeros(), row_idxs_.data(), row_ptrs.data());
    return Csr<V, I>(exec, this->size(), std::move(row_ptrs), col_idxs_.clone(), values_.clone());
}

template <class V, class I>
Coo<V, I> Coo<V, I>::copy(const Executor& exec) const
{
    return Coo(exec, this->size(), row_idxs_.clone(exec), col_idxs_.clone(exec), values_.clone(exec));
}

template <class V, class I>
void Coo<V, I>::fill(const Csr<V, I>& matrix)
{
    copy_bytes(this->executor(), matrix.values(), this->executor(), values_.data(), values_.bytes());
}

template <class V, class I>
void Coo<V, I>::apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const
{
    dense_scale<V>(this->executor(), beta, x.view());
    if (num_nonzeros() != 0) {
        detail::add_coo_product(view(), *workspace_, alpha, b, x);
    }
}

}  // namespace linden
