#include <linden/matrix/ell.hpp>

#include "core/matrix/sell_pattern.hpp"

// instantiate: class Ell<V, I>

namespace linden {
namespace {

template <class I>
detail::SellPattern<I> adopted(const Executor& exec, Dim size, size_type width, size_type stride, Array<I> col_idxs)
{
    detail::check_stride(size, stride);
    detail::SellPattern<I> pattern(exec);
    pattern.slice_rows = stride;
    pattern.num_columns = width;
    pattern.col_idxs = std::move(col_idxs);
    return pattern;
}

}  // namespace

template <class V, class I>
Ell<V, I>::Ell(Executor exec, Dim size, size_type width, size_type stride, Array<I> col_idxs, Array<V> values)
    : Ell(exec, size, adopted(exec, size, width, stride, std::move(col_idxs)), std::move(values))
{
}

template <class V, class I>
void Ell<V, I>::Parameters::describe(ParameterVisitor& v)
{
    detail::describe_max_fill(v, max_fill);
}

template <class V, class I>
Ell<V, I> Ell<V, I>::from_csr(const Csr<V, I>& matrix, Parameters parameters)
{
    const auto& exec = matrix.executor();
    const auto rows = matrix.size().rows;
    const auto width = detail::smallest_width<I>(exec, matrix.view(), 0);
    detail::check_fill("Ell", width * rows, matrix.num_nonzeros(), rows, parameters.max_fill);
    return Ell(matrix, detail::make_single_slice<I>(exec, rows, width));
}

}  // namespace linden
