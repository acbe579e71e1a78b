#pragma once

#include <linden/matrix/csr.hpp>

namespace linden {

/// A sparse matrix whose entries all have one value: a pattern, as graphs have it.
///
/// A movable value.
template <class V, class I>
class LINDEN_EXPORT SparsityCsr : public LinOp<V> {
public:
    using index_type = I;
    struct Parameters {};

    /// @throws InvalidParameter if the entries of `matrix` differ, OutOfMemory
    static SparsityCsr from_csr(const Csr<V, I>& matrix, Parameters parameters = {});
    /// `value` at each entry of `pattern`. @throws OutOfMemory
    static SparsityCsr with_value(const Csr<V, I>& pattern, V value);
    /// Takes over arrays on `exec`, as Csr does. @throws InvalidParameter
    SparsityCsr(Executor exec, Dim size, Array<I> row_ptrs, Array<I> col_idxs, V value);

    std::string name() const override { return "SparsityCsr"; }
    bool is_capturable() const override { return true; }
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override;
    SparsityCsr copy(const Executor& exec) const;
    SparsityCsr copy() const { return copy(this->executor()); }
    Csr<V, I> to_csr() const;
    /// The value of a Csr matrix with the same pattern. @throws NotSupported, DimensionMismatch, InvalidParameter if
    /// its entries differ
    void update_values(LinOpPtr<V> matrix) override;

    size_type num_nonzeros() const { return col_idxs_.size(); }
    V value() const { return value_; }
    PatternView<I> pattern() const
    {
        return {this->size().rows, this->size().cols, num_nonzeros(), row_ptrs_.data(), col_idxs_.data()};
    }

protected:
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;
    void apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const override;

private:
    Array<I> row_ptrs_;
    Array<I> col_idxs_;
    V value_;
};

}  // namespace linden
