#include <linden/matrix/hybrid.hpp>

#include "core/base/check_parameter.hpp"
#include "core/kernels/sell.hpp"
#include "core/matrix/coo_product.hpp"
#include "core/matrix/sell_pattern.hpp"

// instantiate: class Hybrid<V, I>

namespace linden {

template <class V, class I>
Hybrid<V, I>::Hybrid(const Executor& exec, Dim size)
    : detail::SparseMatrix<V, I>(exec, size),
      pattern_(exec),
      tail_ptrs_(exec, size.rows + 1),
      tail_rows_(exec),
      tail_cols_(exec),
      values_(exec)
{
}

template <class V, class I>
void Hybrid<V, I>::Parameters::describe(ParameterVisitor& v)
{
    v("whole_rows", whole_rows, "fraction of the rows, 0 to 1, that must fit into the ELLPACK part");
}

template <class V, class I>
Hybrid<V, I> Hybrid<V, I>::from_csr(const Csr<V, I>& matrix, Parameters parameters)
{
    check_parameter(parameters.whole_rows >= 0 && parameters.whole_rows <= 1, "whole_rows", parameters.whole_rows,
                    "0 to 1");
    const auto& exec = matrix.executor();
    const auto rows = matrix.size().rows;
    const auto most_longer = static_cast<size_type>((1 - parameters.whole_rows) * static_cast<double>(rows));
    const auto width = detail::smallest_width<I>(exec, matrix.view(), most_longer);
    Hybrid result(exec, matrix.size());
    result.num_nonzeros_ = matrix.num_nonzeros();
    result.pattern_ = detail::make_single_slice<I>(exec, rows, width);
    hybrid_count_tails<I>(exec, rows, matrix.row_ptrs(), width, result.tail_ptrs_.data());
    const auto num_tail = detail::make_row_ptrs(result.tail_ptrs_, "the tails");
    result.tail_rows_.resize(num_tail);
    result.tail_cols_.resize(num_tail);
    result.values_.resize(result.pattern_.num_entries() + num_tail);
    result.workspace_ = detail::split_workspace<V>(exec, num_tail);
    result.fill(matrix);
    return result;
}

template <class V, class I>
void Hybrid<V, I>::fill(const Csr<V, I>& matrix)
{
    Array<size_type> map(this->executor(), values_.size());
    detail::fill_sell<I>(pattern_, matrix.view(), map.data());
    hybrid_fill_tails<I>(this->executor(), matrix.view(), width(), num_tail(), tail_ptrs_.data(), tail_rows_.data(),
                         tail_cols_.data(), map.data() + pattern_.num_entries());
    detail::gather_values<V, V>(map, matrix.values(), values_.data());
}

template <class V, class I>
Csr<V, I> Hybrid<V, I>::to_csr() const
{
    const auto& exec = this->executor();
    const auto extract = [&](const I* row_ptrs, I* col_idxs, size_type* map) {
        sell_extract<I>(exec, pattern_.layout(this->size()), pattern_.col_idxs.data(), row_ptrs, col_idxs, map);
        hybrid_extract_tails<I>(exec,
                                {.num_entries = num_tail(),
                                 .ptrs = tail_ptrs_.data(),
                                 .row_idxs = tail_rows_.data(),
                                 .col_idxs = tail_cols_.data()},
                                pattern_.num_entries(), row_ptrs, col_idxs, map);
    };
    auto counts = detail::count_sell(exec, pattern_.layout(this->size()), pattern_.col_idxs.data(), tail_ptrs_.data());
    return detail::assemble_csr<V, I>(this->size(), std::move(counts), values_.data(), extract);
}

template <class V, class I>
CooView<V, I> Hybrid<V, I>::tail_view() const
{
    return {this->size().rows, this->size().cols, num_tail(),
            tail_rows_.data(), tail_cols_.data(), values_.data() + pattern_.num_entries()};
}

template <class V, class I>
Hybrid<V, I> Hybrid<V, I>::copy(const Executor& exec) const
{
    Hybrid result(exec, this->size());
    result.num_nonzeros_ = num_nonzeros_;
    result.pattern_ = pattern_.clone(exec);
    result.tail_ptrs_ = tail_ptrs_.clone(exec);
    result.tail_rows_ = tail_rows_.clone(exec);
    result.tail_cols_ = tail_cols_.clone(exec);
    result.values_ = values_.clone(exec);
    result.workspace_ = detail::split_workspace<V>(exec, num_tail());
    return result;
}

template <class V, class I>
void Hybrid<V, I>::apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const
{
    sell_spmv<V, V, I>(this->executor(), ell_view(), alpha, b.view(), beta, x.view());
    if (num_tail() != 0) {
        detail::add_coo_product(tail_view(), *workspace_, alpha, b, x);
    }
}

}  // namespace linden
