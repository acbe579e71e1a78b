#pragma once

#include <linden/matrix/csr.hpp>
#include <linden/matrix/sell_storage.hpp>

namespace linden {

/// A sparse matrix in sliced ELLPACK (SELL-C-sigma): as `Ell`, but each slice of C rows is as wide as its longest row,
/// and rows may be sorted by length in windows of sigma. [KreutzerEtAl14]
///
/// A movable value.
template <class V, class I>
class LINDEN_EXPORT Sell : public LinOp<V> {
public:
    using index_type = I;

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
    bool is_capturable() const override { return true; }
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override;
    Sell copy(const Executor& exec) const;
    Sell copy() const { return copy(this->executor()); }
    /// The same entries, zeros included.
    Csr<V, I> to_csr() const;
    /// The values of a Csr matrix with the same pattern. @throws NotSupported, DimensionMismatch
    void update_values(LinOpPtr<V> matrix) override;

    /// Waits for the executor where arrays were adopted.
    size_type num_nonzeros() const;
    /// Entries with padding.
    size_type num_entries() const { return pattern_.num_entries(); }
    SellView<V, I> view() const { return {pattern_.layout(this->size()), pattern_.col_idxs.data(), values_.data()}; }

protected:
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;
    void apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const override;
    void apply_dot_impl(const Dense<V>& b, Dense<V>& x, const DotRequest<V>& dots) const override;

private:
    Sell(const Executor& exec, Dim size);

    size_type num_nonzeros_ = -1;  // unknown
    detail::SellPattern<I> pattern_;
    Array<V> values_;
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
