#pragma once

#include <linden/matrix/csr.hpp>
#include <linden/matrix/sell_matrix.hpp>

namespace linden {

/// A sparse matrix in ELLPACK format: every row is padded to the length of the longest one, and the j-th entries of all
/// rows are contiguous. For rows of nearly equal length.
///
/// A movable value.
template <class V, class I>
class LINDEN_EXPORT Ell : public detail::SellMatrix<V, I> {
public:
    struct Parameters {
        /// Limit of padding: at most max_fill * nnz + rows + 4096 stored entries.
        double max_fill = 20;

        void describe(ParameterVisitor& v);
    };

    /// @throws InvalidParameter if the padding exceeds `max_fill`, OutOfMemory
    static Ell from_csr(const Csr<V, I>& matrix, Parameters parameters = {});
    /// Takes ownership of arrays of width * stride entries on `exec`. Entry j of row i is at j * stride + i; col_idxs
    /// ascend within a row and are -1 in padding.
    /// @throws InvalidParameter if a length does not match, stride < rows, or an array is on another executor
    Ell(Executor exec, Dim size, size_type width, size_type stride, Array<I> col_idxs, Array<V> values);

    std::string name() const override { return "Ell"; }
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override { return std::make_unique<Ell>(copy(exec)); }
    Ell copy(const Executor& exec) const { return Ell(*this, exec); }
    Ell copy() const { return copy(this->executor()); }

    size_type width() const { return this->pattern_.num_columns; }
    size_type stride() const { return this->pattern_.slice_rows; }
    using detail::SellMatrix<V, I>::view;

private:
    using detail::SellMatrix<V, I>::SellMatrix;
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
