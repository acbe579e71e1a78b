#pragma once

#include <linden/matrix/sparse_matrix.hpp>

#include <memory>

namespace linden {

namespace detail {
template <class V>
class BlockCache;
}

/// A sparse matrix in coordinate format, sorted by rows and within rows by columns, each position once. Products split
/// the nonzeros evenly among work-items, whatever the lengths of the rows.
///
/// A movable value. Products keep a workspace; for more than one right-hand side it is allocated by the first product.
template <class V, class I>
class LINDEN_EXPORT Coo : public detail::SparseMatrix<V, I> {
public:
    struct Parameters {
        void describe(ParameterVisitor&) {}
    };

    /// @throws OutOfMemory
    static Coo from_csr(const Csr<V, I>& matrix, Parameters parameters = {});
    /// Takes ownership of arrays of equal length on `exec`.
    /// @throws InvalidParameter if lengths differ or an array is on another executor
    Coo(Executor exec, Dim size, Array<I> row_idxs, Array<I> col_idxs, Array<V> values);
    ~Coo() override;
    Coo(Coo&&) noexcept;
    Coo& operator=(Coo&&) noexcept;

    std::string name() const override { return "Coo"; }
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override { return std::make_unique<Coo>(copy(exec)); }
    Coo copy(const Executor& exec) const;
    Coo copy() const { return copy(this->executor()); }
    /// Stored zeros are kept.
    Csr<V, I> to_csr() const override;

    size_type num_nonzeros() const override { return values_.size(); }
    CooView<V, I> view() const
    {
        return {this->size().rows, this->size().cols, num_nonzeros(),
                row_idxs_.data(),  col_idxs_.data(),  values_.data()};
    }

protected:
    void apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const override;

private:
    void fill(const Csr<V, I>& matrix) override;

    Array<I> row_idxs_;
    Array<I> col_idxs_;
    Array<V> values_;
    std::unique_ptr<detail::BlockCache<V>> workspace_;
};

/// A Coo over the caller's arrays, without a copy: `nnz` sorted entries. The arrays are in `exec`'s memory and must
/// outlive the result. @throws InvalidParameter
template <class V, class I>
Coo<V, I> coo_view(const Executor& exec, Dim size, size_type nnz, I* row_idxs, I* col_idxs, V* values)
{
    return Coo<V, I>(exec, size, Array<I>::view(exec, nnz, row_idxs), Array<I>::view(exec, nnz, col_idxs),
                     Array<V>::view(exec, nnz, values));
}

}  // namespace linden
