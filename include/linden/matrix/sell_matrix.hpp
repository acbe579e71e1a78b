#pragma once

#include <linden/export.hpp>
#include <linden/matrix/sell_storage.hpp>
#include <linden/matrix/sparse_matrix.hpp>
#include <linden/storage_precision.hpp>

namespace linden::detail {

/// A matrix in (sliced) ELLPACK: what Ell, Sell and CompactSell are but for how the pattern is made.
///
/// A movable value.
template <class V, class I>
class LINDEN_EXPORT SellMatrix : public SparseMatrix<V, I> {
public:
    /// The same entries, zeros included; values as they were rounded.
    Csr<V, I> to_csr() const override;
    /// Waits for the executor where arrays were adopted.
    size_type num_nonzeros() const override;
    /// Entries with padding.
    size_type num_entries() const { return pattern_.num_entries(); }

protected:
    /// Takes over arrays.
    SellMatrix(const Executor& exec, Dim size, SellPattern<I> pattern, Array<V> values);
    /// The entries of `matrix`, values rounded.  pattern: that of `matrix`, but for the columns.
    SellMatrix(const Csr<V, I>& matrix, SellPattern<I> pattern, StoragePrecision storage = StoragePrecision::same);
    /// A copy on `exec`.
    SellMatrix(const SellMatrix& other, const Executor& exec);

    void apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const override;
    void apply_dot_impl(const Dense<V>& b, Dense<V>& x, const DotRequest<V>& dots) const override;

    /// Of a matrix whose values were not rounded.
    SellView<V, I> view() const
    {
        return {pattern_.layout(this->size()), pattern_.col_idxs.data(), reinterpret_cast<const V*>(values_.data())};
    }

    SellPattern<I> pattern_;
    StoragePrecision storage_ = StoragePrecision::same;
    Array<std::byte> values_;  // of the storage type

private:
    template <class F>
    void with_storage(F&& f) const;
    template <class F>
    void with_view(F&& f) const;
    void fill(const Csr<V, I>& matrix) override;
    void fill(SellPattern<I>& pattern, const Csr<V, I>& matrix);

    Array<V> adopted_;             // empty, or what values_ is a view of
    size_type num_nonzeros_ = -1;  // unknown
};

}  // namespace linden::detail
