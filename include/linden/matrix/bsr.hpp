#pragma once

#include <linden/matrix/sparse_matrix.hpp>
#include <linden/views_formats.hpp>

namespace linden {

/// A sparse matrix in block compressed rows (BSR): small dense blocks of equal size with one column index each, for
/// systems with several unknowns per node. Missing entries of a block are stored zeros, so 0 * Inf gives NaN in
/// products. The numbers of rows and columns need not be multiples of the block size.
///
/// A movable value.
template <class V, class I>
class LINDEN_EXPORT Bsr : public detail::SparseMatrix<V, I> {
public:
    struct Parameters {
        /// Rows and columns of a block, 2 to 8.
        size_type block_size = 4;
        /// Limit of padding: at most max_fill * nnz + rows + 4096 stored entries.
        double max_fill = 20;

        void describe(ParameterVisitor& v);
    };

    /// @throws InvalidParameter if the block size is out of range or the padding exceeds `max_fill`, OutOfMemory
    static Bsr from_csr(const Csr<V, I>& matrix, Parameters parameters = {});
    /// Takes ownership of arrays on `exec`: block row pointers, the ascending block columns of each block row, and
    /// block_size^2 values per block, column by column.
    /// @throws InvalidParameter if a length does not match or an array is on another executor
    Bsr(Executor exec, Dim size, size_type block_size, Array<I> row_ptrs, Array<I> col_idxs, Array<V> values);

    std::string name() const override { return "Bsr"; }
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override { return std::make_unique<Bsr>(copy(exec)); }
    Bsr copy(const Executor& exec) const;
    Bsr copy() const { return copy(this->executor()); }
    /// The nonzero values only: stored zeros and padding cannot be told apart.
    Csr<V, I> to_csr() const override;

    /// Entries of the Csr matrix that this was made from; if built from given arrays, all entries of the blocks.
    size_type num_nonzeros() const override { return num_nonzeros_; }
    size_type block_size() const { return block_size_; }
    size_type num_blocks() const { return col_idxs_.size(); }
    BsrView<V, I> view() const { return {layout(), values_.data()}; }

protected:
    void apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const override;

private:
    BsrLayout<I> layout() const
    {
        return {this->size().rows, this->size().cols, block_size_, num_blocks(), row_ptrs_.data(), col_idxs_.data()};
    }
    void fill(const Csr<V, I>& matrix) override;

    size_type num_nonzeros_;
    size_type block_size_;
    Array<I> row_ptrs_;
    Array<I> col_idxs_;
    Array<V> values_;
};

/// A Bsr over the caller's arrays, without a copy; see the constructor of Bsr. The arrays are in `exec`'s memory and
/// must outlive the result. @throws InvalidParameter
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
