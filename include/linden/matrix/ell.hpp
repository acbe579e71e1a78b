#pragma once

#include <linden/matrix/csr.hpp>
#include <linden/matrix/sell_storage.hpp>

namespace linden {

/// A sparse matrix in ELLPACK: all rows have room for as many entries as the longest one, and entry j of all rows lie
/// side by side. For rows of nearly the same length.
///
/// A movable value.
template <class V, class I>
class LINDEN_EXPORT Ell : public LinOp<V> {
public:
    using index_type = I;

    struct Parameters {
        /// With padding a matrix may have so many entries per nonzero, and one per row on top.
        double max_fill = 20;
    };

    /// @throws InvalidParameter if there would be more padding than `max_fill` allows, OutOfMemory
    static Ell from_csr(const Csr<V, I>& matrix, Parameters parameters = {});
    /// Takes over arrays of width * stride entries on `exec`: entry j of row i is at j * stride + i, col_idxs is -1 in
    /// padding, columns of a row ascend.
    /// @throws InvalidParameter if a length does not fit, stride < rows, or an array is on another executor
    Ell(Executor exec, Dim size, size_type width, size_type stride, Array<I> col_idxs, Array<V> values);

    std::string name() const override { return "Ell"; }
    bool is_capturable() const override { return true; }
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override;
    Ell copy(const Executor& exec) const;
    Ell copy() const { return copy(this->executor()); }
    /// The same entries, zeros included.
    Csr<V, I> to_csr() const;
    /// The values of a Csr matrix with the same pattern. @throws NotSupported, DimensionMismatch
    void update_values(LinOpPtr<V> matrix) override;

    /// Waits for the executor where arrays were adopted.
    size_type num_nonzeros() const;
    /// Entries with padding.
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

/// Adopts a matrix of yours without a copy, see the constructor of Ell; the arrays lie in `exec`'s memory and outlive
/// the result. @throws InvalidParameter
template <class V, class I>
Ell<V, I> ell_view(const Executor& exec, Dim size, size_type width, size_type stride, I* col_idxs, V* values)
{
    return Ell<V, I>(exec, size, width, stride, Array<I>::view(exec, width * stride, col_idxs),
                     Array<V>::view(exec, width * stride, values));
}

}  // namespace linden
