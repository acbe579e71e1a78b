#pragma once

#include <linden/matrix/csr.hpp>
#include <linden/matrix/sell_storage.hpp>

namespace linden {

/// A sparse matrix in ELLPACK format: every row is padded to the length of the longest one, and the j-th entries of all
/// rows are contiguous. For rows of nearly equal length.
///
/// A movable value.
template <class V, class I>
class Ell : public LinOp<V> {
public:
    using index_type = I;

    struct Parameters {
        /// Limit of padding: at most max_fill * nnz + rows + 4096 stored entries.
        double max_fill = 20;
    };

    /// @throws InvalidParameter if the padding exceeds `max_fill`, OutOfMemory
    static Ell from_csr(const Csr<V, I>& matrix, Parameters parameters = {});
    /// Takes ownership of arrays of width * stride entries on `exec`. Entry j of row i is at j * stride + i; col_idxs
    /// ascend within a row and are -1 in padding.
    /// @throws InvalidParameter if a length does not match, stride < rows, or an array is on another executor
    Ell(Executor exec, Dim size, size_type width, size_type stride, Array<I> col_idxs, Array<V> values);

    std::string name() const override { return "Ell"; }
    bool is_capturable() const override { return true; }
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override;
    Ell copy(const Executor& exec) const;
    Ell copy() const { return copy(this->executor()); }
    /// Stored zeros are kept.
    Csr<V, I> to_csr() const;
    /// Takes the values of a Csr matrix with the same pattern. @throws NotSupported, DimensionMismatch
    void update_values(LinOpPtr<V> matrix) override;

    /// Stored entries without padding. Waits for the executor if the matrix was built from given arrays.
    size_type num_nonzeros() const;
    /// Stored entries with padding.
    size_type num_entries() const { return pattern_.num_entries(); }
    size_type width() const { return pattern_.num_columns; }
    size_type stride() const { return pattern_.slice_rows; }
    SellView<V, I> view() const { return {pattern_.layout(this->size()), pattern_.col_idxs.data(), values_.data()}; }

protected:
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;
    void apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const override;
    void apply_dot_impl(const Dense<V>& b, Dense<V>& x, const DotRequest<V>& dots) const override;

private:
    Ell(const Executor& exec, Dim size);

    size_type num_nonzeros_ = -1;  // unknown
    detail::SellPattern<I> pattern_;
    Array<V> values_;
};

/// An Ell over the caller's arrays, without a copy; see the constructor of Ell. The arrays are in `exec`'s memory and
/// must outlive the result. @throws InvalidParameter
template <class V, class I>
Ell<V, I> ell_view(const Executor& exec, Dim size, size_type width, size_type stride, I* col_idxs, V* values)
{
    return Ell<V, I>(exec, size, width, stride, Array<I>::view(exec, width * stride, col_idxs),
                     Array<V>::view(exec, width * stride, values));
}

}  // namespace linden
