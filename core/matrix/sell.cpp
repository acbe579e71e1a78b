#include <linden/matrix/dense.hpp>
#include <linden/matrix/sell.hpp>

#include "core/kernels/sell.hpp"
#include "core/matrix/sell_parameters.hpp"
#include "core/matrix/sell_pattern.hpp"

// instantiate: class Sell<V, I>

namespace linden {

template <class V, class I>
Sell<V, I>::Sell(const Executor& exec, Dim size) : LinOp<V>(exec, size),
                                                   pattern_(exec),
                                                   values_(exec)
{
}

template <class V, class I>
Sell<V, I>::Sell(Executor exec, Dim size, size_type slice_rows, size_type num_columns, Array<I> slice_ptrs,
                 Array<I> row_order, Array<I> col_idxs, Array<V> values)
    : Sell(exec, size)
{
    detail::check_slice_rows(slice_rows);
    detail::check_array("slice_ptrs", slice_ptrs, exec, (size.rows + slice_rows - 1) / slice_rows + 1);
    if (row_order.size() != 0) {
        detail::check_array("row_order", row_order, exec, size.rows);
    }
    detail::check_array("col_idxs", col_idxs, exec, num_columns * slice_rows);
    detail::check_array("values", values, exec, num_columns * slice_rows);
    pattern_.slice_rows = slice_rows;
    pattern_.num_columns = num_columns;
    pattern_.slice_ptrs = std::move(slice_ptrs);
    pattern_.row_order = std::move(row_order);
    pattern_.col_idxs = std::move(col_idxs);
    values_ = std::move(values);
}

template <class V, class I>
Sell<V, I> Sell<V, I>::from_csr(const Csr<V, I>& matrix, Parameters parameters)
{
    detail::check_slice_rows(parameters.slice_rows);
    detail::check_sigma(parameters.sigma);
    const auto& exec = matrix.executor();
    Sell result(exec, matrix.size());
    result.num_nonzeros_ = matrix.num_nonzeros();
    result.pattern_ = detail::make_slices<I>(exec, matrix.view(), parameters.slice_rows, parameters.sigma);
    detail::check_fill("Sell", result.num_entries(), matrix.num_nonzeros(), matrix.size().rows, parameters.max_fill);
    result.values_.resize(result.num_entries());
    detail::fill_sell(result.pattern_, matrix, result.values_.data());
    return result;
}

template <class V, class I>
Csr<V, I> Sell<V, I>::to_csr() const
{
    return detail::sell_to_csr<V, I>(this->size(), pattern_, values_.data());
}

template <class V, class I>
size_type Sell<V, I>::num_nonzeros() const
{
    return num_nonzeros_ >= 0 ? num_nonzeros_ : detail::count_nonzeros(this->size(), pattern_);
}

template <class V, class I>
std::unique_ptr<LinOp<V>> Sell<V, I>::clone(const Executor& exec) const
{
    return std::make_unique<Sell>(copy(exec));
}

template <class V, class I>
Sell<V, I> Sell<V, I>::copy(const Executor& exec) const
{
    Sell result(exec, this->size());
    result.num_nonzeros_ = num_nonzeros_;
    result.pattern_ = pattern_.clone(exec);
    result.values_ = values_.clone(exec);
    return result;
}

template <class V, class I>
void Sell<V, I>::update_values(LinOpPtr<V> matrix)
{
    detail::with_new_values<V, I>(*this, num_nonzeros(), std::move(matrix),
                                  [&](const Csr<V, I>& csr) { detail::fill_sell(pattern_, csr, values_.data()); });
}

template <class V, class I>
void Sell<V, I>::apply_impl(const Dense<V>& b, Dense<V>& x) const
{
    apply_impl(V{1}, b, V{}, x);
}

template <class V, class I>
void Sell<V, I>::apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const
{
    sell_spmv<V, V, I>(this->executor(), view(), alpha, b.view(), beta, x.view());
}

template <class V, class I>
void Sell<V, I>::apply_dot_impl(const Dense<V>& b, Dense<V>& x, const DotRequest<V>& dots) const
{
    sell_spmv_dot<V, V, I>(this->executor(), view(), b.view(), x.view(), dots.w.view(), dots.wx, dots.xx,
                           dots.workspace);
}

}  // namespace linden
