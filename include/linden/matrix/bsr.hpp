#pragma once

#include <linden/matrix/csr.hpp>
#include <linden/views_formats.hpp>

namespace linden {

/// A sparse matrix in small dense blocks of the same size, for systems with several unknowns per node: a block takes
/// one column index. What a block has no entry for is a zero, which counts in products: infinities and NaN of the
/// operand meet it. Rows and columns need not be multiples of the block size.
///
/// A movable value.
template <class V, class I>
class LINDEN_EXPORT Bsr : public LinOp<V> {
public:
    using index_type = I;

    struct Parameters {
        /// Rows and columns of a block, from 2 to 8.
        size_type block_size = 4;
        /// With fill-in a matrix may have so many entries per nonzero, and one per row on top.
        double max_fill = 20;
    };

    /// @throws InvalidParameter if the block size is out of range or there would be more fill-in than `max_fill`
    /// allows, OutOfMemory
    static Bsr from_csr(const Csr<V, I>& matrix, Parameters parameters = {});
    /// Takes over arrays on `exec`: block row pointers, the ascending block columns of each block row, and block_size^2
    /// values per block, column by column.
    /// @throws InvalidParameter if a length does not fit or an array is on another executor
    Bsr(Executor exec, Dim size, size_type block_size, Array<I> row_ptrs, Array<I> col_idxs, Array<V> values);

    std::string name() const override { return "Bsr"; }
    bool is_capturable() const override { return true; }
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override;
    Bsr copy(const Executor& exec) const;
    Bsr copy() const { return copy(this->executor()); }
    /// The entries that are not zero: nobody knows which zeros were entries.
    Csr<V, I> to_csr() const;
    /// The values of a Csr matrix with entries in the same blocks. @throws NotSupported, DimensionMismatch
    void update_values(LinOpPtr<V> matrix) override;

    /// Entries of the matrix that this was made from; all of the blocks where arrays were adopted.
    size_type num_nonzeros() const { return num_nonzeros_; }
    size_type block_size() const { return block_size_; }
    size_type num_blocks() const { return col_idxs_.size(); }
    BsrView<V, I> view() const { return {layout(), values_.data()}; }

protected:
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;
    void apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const override;

private:
    BsrLayout<I> layout() const
    {
        return {this->size().rows, this->size().cols, block_size_, num_blocks(), row_ptrs_.data(), col_idxs_.data()};
    }
    void fill(const Csr<V, I>& matrix);

    size_type num_nonzeros_;
    size_type block_size_;
    Array<I> row_ptrs_;
    Array<I> col_idxs_;
    Array<V> values_;
};

/// Adopts a matrix of yours without a copy, see the constructor of Bsr; the arrays lie in `exec`'s memory and outlive
/// the result. @throws InvalidParameter
template <class V, class I>
Bsr<V, I> bsr_view(const Executor& exec, Dim size, size_type block_size, size_type num_blocks, I* row_ptrs, I* col_idxs,
                   V* values)
{
    const auto block_rows = block_size > 0 ? (size.rows + block_size - 1) / block_size : 0;
    return Bsr<V, I>(exec, size, block_size, Array<I>::view(exec, block_rows + 1, row_ptrs),
                     Array<I>::view(exec, num_blocks, col_idxs),
                     Array<V>::view(exec, num_blocks * block_size * block_size, values));
}

}  // namespace linden
