#pragma once

#include <linden/matrix/sparse_matrix.hpp>

namespace linden {

/// A sparse matrix whose entries all have the same value, such as the adjacency matrix of a graph: a pattern and one
/// value.
///
/// A movable value.
template <class V, class I>
class LINDEN_EXPORT SparsityCsr : public detail::SparseMatrix<V, I> {
public:
    struct Parameters {
        void describe(ParameterVisitor&) {}
    };

    /// @throws InvalidParameter if the entries of `matrix` differ, OutOfMemory
    static SparsityCsr from_csr(const Csr<V, I>& matrix, Parameters parameters = {});
    /// `value` at each entry of `pattern`. @throws OutOfMemory
    static SparsityCsr with_value(const Csr<V, I>& pattern, V value);
    /// Takes ownership of arrays on `exec`, as Csr does. @throws InvalidParameter
    SparsityCsr(Executor exec, Dim size, Array<I> row_ptrs, Array<I> col_idxs, V value);

    std::string name() const override { return "SparsityCsr"; }
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override
    {
        return std::make_unique<SparsityCsr>(copy(exec));
    }
    SparsityCsr copy(const Executor& exec) const;
    SparsityCsr copy() const { return copy(this->executor()); }
    Csr<V, I> to_csr() const override;

    size_type num_nonzeros() const override { return col_idxs_.size(); }
    V value() const { return value_; }
    PatternView<I> pattern() const
    {
        return {this->size().rows, this->size().cols, num_nonzeros(), row_ptrs_.data(), col_idxs_.data()};
    }

protected:
    void apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const override;

private:
    void fill(const Csr<V, I>& matrix) override;

    Array<I> row_ptrs_;
    Array<I> col_idxs_;
    V value_;
};

}  // namespace linden
