#pragma once

#include <linden/matrix/csr.hpp>
#include <linden/matrix/sell_matrix.hpp>

namespace linden {

/// A sparse matrix in sliced ELLPACK (SELL-C-sigma): as `Ell`, but each slice of C rows is as wide as its longest row,
/// and rows may be sorted by length in windows of sigma. [KreutzerEtAl14]
///
/// A movable value.
template <class V, class I>
class Sell : public detail::SellMatrix<V, I> {
public:
    struct Parameters {
        /// C, rows of a slice: 32, 64, 128 and so on up to 1024; 64 are a wave of AMD's.
        size_type slice_rows = 32;
        /// Rows are sorted by length in windows of so many, from 1 (not at all) to 65536. Less padding where rows are
        /// uneven, but neighbours are no neighbours any more. Setting up takes rows * sigma comparisons.
        size_type sigma = 1;
        /// With padding a matrix may have so many entries per nonzero, and one per row on top.
        double max_fill = 20;
    };

    /// @throws InvalidParameter for parameters out of range, or if there would be more padding than `max_fill` allows
    static Sell from_csr(const Csr<V, I>& matrix, Parameters parameters = {});
    /// Takes over arrays on `exec`. Slice s has the columns [slice_ptrs[s], slice_ptrs[s + 1]) of slice_rows entries
    /// each, see SellLayout; row_order (the row at each position) may be empty. `num_columns` is the last slice
    /// pointer. col_idxs is -1 in padding, columns of a row ascend.
    /// @throws InvalidParameter if a length does not fit, or an array is on another executor
    Sell(Executor exec, Dim size, size_type slice_rows, size_type num_columns, Array<I> slice_ptrs, Array<I> row_order,
         Array<I> col_idxs, Array<V> values);

    std::string name() const override { return "Sell"; }
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override { return std::make_unique<Sell>(copy(exec)); }
    Sell copy(const Executor& exec) const { return Sell(*this, exec); }
    Sell copy() const { return copy(this->executor()); }

    using detail::SellMatrix<V, I>::view;

private:
    using detail::SellMatrix<V, I>::SellMatrix;
};

/// Adopts a matrix of yours without a copy, see the constructor of Sell; the arrays lie in `exec`'s memory and outlive
/// the result. `row_order` may be null. @throws InvalidParameter
template <class V, class I>
Sell<V, I> sell_view(const Executor& exec, Dim size, size_type slice_rows, size_type num_columns, I* slice_ptrs,
                     I* row_order, I* col_idxs, V* values)
{
    const auto num_slices = slice_rows > 0 ? (size.rows + slice_rows - 1) / slice_rows : 0;
    return Sell<V, I>(exec, size, slice_rows, num_columns, Array<I>::view(exec, num_slices + 1, slice_ptrs),
                      Array<I>::view(exec, row_order == nullptr ? 0 : size.rows, row_order),
                      Array<I>::view(exec, num_columns * slice_rows, col_idxs),
                      Array<V>::view(exec, num_columns * slice_rows, values));
}

}  // namespace linden
