#pragma once

#include <linden/matrix/csr.hpp>
#include <linden/matrix/sell_matrix.hpp>

namespace linden {

/// A sparse matrix in sliced ELLPACK (SELL-C-sigma): each slice of C rows is padded to the length of its longest row,
/// and rows may be sorted by length within windows of sigma rows. [KreutzerEtAl14]
///
/// A movable value.
template <class V, class I>
class LINDEN_EXPORT Sell : public detail::SellMatrix<V, I> {
public:
    struct Parameters {
        /// C, the rows per slice: a power of two from 32 to 1024. AMD wavefronts have 64 lanes.
        size_type slice_rows = 32;
        /// Rows are sorted by length within windows of sigma rows, 1 (no sorting) to 65536. Sorting reduces padding
        /// where row lengths vary, but separates neighbouring rows. Construction takes rows * sigma comparisons.
        size_type sigma = 1;
        /// Limit of padding: at most max_fill * nnz + rows + 4096 stored entries.
        double max_fill = 20;

        void describe(ParameterVisitor& v);
    };

    /// @throws InvalidParameter if a parameter is out of range or the padding exceeds `max_fill`
    static Sell from_csr(const Csr<V, I>& matrix, Parameters parameters = {});
    /// Takes ownership of arrays on `exec`. Slice s consists of the columns [slice_ptrs[s], slice_ptrs[s + 1]) of
    /// slice_rows entries each, see SellLayout. row_order holds the row at each position and may be empty.
    /// `num_columns` is the last slice pointer. col_idxs ascend within a row and are -1 in padding.
    /// @throws InvalidParameter if a length does not match, or an array is on another executor
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

/// A Sell over the caller's arrays, without a copy; see the constructor of Sell. The arrays are in `exec`'s memory and
/// must outlive the result. `row_order` may be null. @throws InvalidParameter
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
