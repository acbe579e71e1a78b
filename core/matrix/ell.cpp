#include <linden/matrix/dense.hpp>
#include <linden/matrix/ell.hpp>

#include "core/kernels/sell.hpp"
#include "core/matrix/sell_pattern.hpp"

// instantiate: class Ell<V, I>

namespace linden {

template <class V, class I>
Ell<V, I>::Ell(const Executor& exec, Dim size) : LinOp<V>(exec, size),
                                                 pattern_(exec),
                                                 values_(exec)
{
}

template <class V, class I>
Ell<V, I>::Ell(Executor exec, Dim size, size_type width, size_type stride, Array<I> col_idxs, Array<V> values)
    : Ell(exec, size)
{
    if (size.rows < 0 || size.cols < 0 || width < 0 || stride < std::max<size_type>(size.rows, 1)) {
        throw InvalidParameter("stride", std::to_string(stride), "at least the number of rows and 1; no size below 0");
    }
    detail::check_array("col_idxs", col_idxs, exec, width * stride);
    detail::check_array("values", values, exec, width * stride);
    pattern_.slice_rows = stride;
    pattern_.num_columns = width;
    pattern_.col_idxs = std::move(col_idxs);
    values_ = std::move(values);
}

template <class V, class I>
Ell<V, I> Ell<V, I>::from_csr(const Csr<V, I>& matrix, Parameters parameters)
{
    const auto& exec = matrix.executor();
    const auto [rows, cols] = matrix.size();
    Ell result(exec, matrix.size());
    const auto width = detail::smallest_width<I>(exec, matrix.view(), 0);
    detail::check_fill("Ell", width * rows, matrix.num_nonzeros(), rows, parameters.max_fill);
    result.num_nonzeros_ = matrix.num_nonzeros();
    result.pattern_ = detail::make_single_slice<I>(exec, rows, width);
    result.values_.resize(result.num_entries());
    detail::fill_sell(result.pattern_, matrix, result.values_.data());
    return result;
}

template <class V, class I>
Csr<V, I> Ell<V, I>::to_csr() const
{
    return detail::sell_to_csr<V, I>(this->size(), pattern_, values_.data());
}

template <class V, class I>
size_type Ell<V, I>::num_nonzeros() const
{
    return num_nonzeros_ >= 0 ? num_nonzeros_ : detail::count_nonzeros(this->size(), pattern_);
}

template <class V, class I>
std::unique_ptr<LinOp<V>> Ell<V, I>::clone(const Executor& exec) const
{
    return std::make_unique<Ell>(copy(exec));
}

template <class V, class I>
Ell<V, I> Ell<V, I>::copy(const Executor& exec) const
{
    Ell result(exec, this->size());
    result.num_nonzeros_ = num_nonzeros_;
    result.pattern_ = pattern_.clone(exec);
    result.values_ = values_.clone(exec);
    return result;
}

template <class V, class I>
void Ell<V, I>::update_values(LinOpPtr<V> matrix)
{
    detail::with_new_values<V, I>(*this, num_nonzeros(), std::move(matrix),
                                  [&](const Csr<V, I>& csr) { detail::fill_sell(pattern_, csr, values_.data()); });
}

template <class V, class I>
void Ell<V, I>::apply_impl(const Dense<V>& b, Dense<V>& x) const
{
    apply_impl(V{1}, b, V{}, x);
}

template <class V, class I>
void Ell<V, I>::apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const
{
    sell_spmv<V, V, I>(this->executor(), view(), alpha, b.view(), beta, x.view());
}

template <class V, class I>
void Ell<V, I>::apply_dot_impl(const Dense<V>& b, Dense<V>& x, const DotRequest<V>& dots) const
{
    sell_spmv_dot<V, V, I>(this->executor(), view(), b.view(), x.view(), dots.w.view(), dots.wx, dots.xx,
                           dots.workspace);
}

}  // namespace linden
