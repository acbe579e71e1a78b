#pragma once

#include <linden/matrix/sparse_matrix.hpp>
#include <linden/views_formats.hpp>

namespace linden {

/// A sparse matrix in diagonal format (DIA): values without column indices, for matrices with few, nearly full
/// diagonals. Missing entries of a diagonal are stored zeros, so 0 * Inf gives NaN in products.
///
/// A movable value.
template <class V, class I>
class LINDEN_EXPORT Dia : public detail::SparseMatrix<V, I> {
public:
    struct Parameters {
        /// Limit of padding: at most max_fill * nnz + rows + 4096 stored entries.
        double max_fill = 20;

        void describe(ParameterVisitor& v);
    };

    /// @throws InvalidParameter if the padding exceeds `max_fill`, OutOfMemory
    static Dia from_csr(const Csr<V, I>& matrix, Parameters parameters = {});
    /// The number of diagonals with entries. Waits for the executor.
    static size_type count_diagonals(const Csr<V, I>& matrix);
    /// Takes ownership of arrays on `exec`: the ascending offsets col - row of the diagonals, and for each of them
    /// `stride` values, one per row.
    /// @throws InvalidParameter if a length does not match, stride < rows, or an array is on another executor
    Dia(Executor exec, Dim size, size_type stride, Array<I> offsets, Array<V> values);

    std::string name() const override { return "Dia"; }
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override { return std::make_unique<Dia>(copy(exec)); }
    Dia copy(const Executor& exec) const;
    Dia copy() const { return copy(this->executor()); }
    /// The nonzero values only: stored zeros and padding cannot be told apart.
    Csr<V, I> to_csr() const override;

    /// Entries of the Csr matrix that this was made from; if built from given arrays, all entries of the diagonals.
    size_type num_nonzeros() const override { return num_nonzeros_; }
    size_type num_diagonals() const { return offsets_.size(); }
    DiaView<V, I> view() const { return {layout(), values_.data()}; }

protected:
    void apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const override;
    void apply_dot_impl(const Dense<V>& b, Dense<V>& x, const DotRequest<V>& dots) const override;

private:
    DiaLayout<I> layout() const
    {
        return {this->size().rows, this->size().cols, num_diagonals(), stride_, offsets_.data()};
    }
    void fill(const Csr<V, I>& matrix) override;

    size_type num_nonzeros_;
    size_type stride_;
    Array<I> offsets_;
    Array<V> values_;
};

/// A Dia over the caller's arrays, without a copy; see the constructor of Dia. The arrays are in `exec`'s memory and
/// must outlive the result. @throws InvalidParameter
template <class V, class I>
Dia<V, I> dia_view(const Executor& exec, Dim size, size_type num_diagonals, size_type stride, I* offsets, V* values)
{
    return Dia<V, I>(exec, size, stride, Array<I>::view(exec, num_diagonals, offsets),
                     Array<V>::view(exec, num_diagonals * stride, values));
}

}  // namespace linden
