#include <linden/matrix/sell.hpp>

#include "core/matrix/sell_pattern.hpp"

// instantiate: class Sell<V, I>

namespace linden {
namespace {

template <class I>
detail::SellPattern<I> adopted(const Executor& exec, Dim size, size_type slice_rows, size_type num_columns,
                               Array<I> slice_ptrs, Array<I> row_order, Array<I> col_idxs)
{
    detail::check_slices(slice_rows);
    detail::check_array("slice_ptrs", slice_ptrs, exec, (size.rows + slice_rows - 1) / slice_rows + 1);
    if (row_order.size() != 0) {
        detail::check_array("row_order", row_order, exec, size.rows);
    }
    detail::SellPattern<I> pattern(exec);
    pattern.slice_rows = slice_rows;
    pattern.num_columns = num_columns;
    pattern.slice_ptrs = std::move(slice_ptrs);
    pattern.row_order = std::move(row_order);
    pattern.col_idxs = std::move(col_idxs);
    return pattern;
}

}  // namespace

template <class V, class I>
Sell<V, I>::Sell(Executor exec, Dim size, size_type slice_rows, size_type num_columns, Array<I> slice_ptrs,
                 Array<I> row_order, Array<I> col_idxs, Array<V> values)
    : Sell(exec, size,
           adopted(exec, size, slice_rows, num_columns, std::move(slice_ptrs), std::move(row_order),
                   std::move(col_idxs)),
           std::move(values))
{
}

template <class V, class I>
void Sell<V, I>::Parameters::describe(ParameterVisitor& v)
{
    detail::describe_slices(v, slice_rows, sigma);
    detail::describe_max_fill(v, max_fill);
}

template <class V, class I>
Sell<V, I> Sell<V, I>::from_csr(const Csr<V, I>& matrix, Parameters parameters)
{
    auto pattern = detail::make_slices<I>(matrix.executor(), matrix.view(), parameters.slice_rows, parameters.sigma);
    detail::check_fill("Sell", pattern.num_entries(), matrix.num_nonzeros(), matrix.size().rows, parameters.max_fill);
    return Sell(matrix, std::move(pattern));
}

}  // namespace linden
