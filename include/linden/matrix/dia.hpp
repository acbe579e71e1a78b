#pragma once

#include <linden/matrix/csr.hpp>
#include <linden/views_formats.hpp>

namespace linden {

/// A sparse matrix in diagonals: values without column indices, for matrices with few diagonals, nearly full. What a
/// diagonal has no entry for is a zero, which counts in products: infinities and NaN of the operand meet it.
///
/// A movable value.
template <class V, class I>
class LINDEN_EXPORT Dia : public LinOp<V> {
public:
    using index_type = I;

    struct Parameters {
        /// With fill-in a matrix may have so many entries per nonzero, and one per row on top.
        double max_fill = 20;
    };

    /// @throws InvalidParameter if there would be more fill-in than `max_fill` allows, OutOfMemory
    static Dia from_csr(const Csr<V, I>& matrix, Parameters parameters = {});
    /// The number of diagonals with entries. Waits for the executor.
    static size_type count_diagonals(const Csr<V, I>& matrix);
    /// Takes over arrays on `exec`: the ascending offsets col - row of the diagonals, and for each of them `stride`
    /// values, one per row.
    /// @throws InvalidParameter if a length does not fit, stride < rows, or an array is on another executor
    Dia(Executor exec, Dim size, size_type stride, Array<I> offsets, Array<V> values);

    std::string name() const override { return "Dia"; }
    bool is_capturable() const override { return true; }
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override;
    Dia copy(const Executor& exec) const;
    Dia copy() const { return copy(this->executor()); }
    /// The entries that are not zero: nobody knows which zeros were entries.
    Csr<V, I> to_csr() const;
    /// The values of a Csr matrix on the same diagonals. @throws NotSupported, DimensionMismatch
    void update_values(LinOpPtr<V> matrix) override;

    /// Entries of the matrix that this was made from; all inside of the diagonals where arrays were adopted.
    size_type num_nonzeros() const { return num_nonzeros_; }
    size_type num_diagonals() const { return offsets_.size(); }
    DiaView<V, I> view() const { return {layout(), values_.data()}; }

protected:
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;
    void apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const override;
    void apply_dot_impl(const Dense<V>& b, Dense<V>& x, const DotRequest<V>& dots) const override;

private:
    DiaLayout<I> layout() const
    {
        return {this->size().rows, this->size().cols, num_diagonals(), stride_, offsets_.data()};
    }
    void fill(const Csr<V, I>& matrix);

    size_type num_nonzeros_;
    size_type stride_;
    Array<I> offsets_;
    Array<V> values_;
};

/// Adopts a matrix of yours without a copy, see the constructor of Dia; the arrays lie in `exec`'s memory and outlive
/// the result. @throws InvalidParameter
template <class V, class I>
Dia<V, I> dia_view(const Executor& exec, Dim size, size_type num_diagonals, size_type stride, I* offsets, V* values)
{
    return Dia<V, I>(exec, size, stride, Array<I>::view(exec, num_diagonals, offsets),
                     Array<V>::view(exec, num_diagonals * stride, values));
}

}  // namespace linden
