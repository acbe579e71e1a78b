#pragma once

#include <linden/matrix/csr.hpp>
#include <linden/matrix/sell_matrix.hpp>

namespace linden {

/// A sparse matrix in ELLPACK: all rows have room for as many entries as the longest one, and entry j of all rows lie
/// side by side. For rows of nearly the same length.
///
/// A movable value.
template <class V, class I>
class Ell : public detail::SellMatrix<V, I> {
public:
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
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override { return std::make_unique<Ell>(copy(exec)); }
    Ell copy(const Executor& exec) const { return Ell(*this, exec); }
    Ell copy() const { return copy(this->executor()); }

    size_type width() const { return this->pattern_.num_columns; }
    size_type stride() const { return this->pattern_.slice_rows; }
    using detail::SellMatrix<V, I>::view;

private:
    using detail::SellMatrix<V, I>::SellMatrix;
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
