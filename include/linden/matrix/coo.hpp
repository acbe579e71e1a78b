#pragma once

#include <linden/matrix/csr.hpp>

#include <memory>

namespace linden {

namespace detail {
template <class V>
class BlockCache;
}

/// A sparse matrix as coordinates, sorted by rows and within rows by columns, each position once. Products share the
/// nonzeros out evenly, whatever the lengths of the rows.
///
/// A movable value. Products keep a workspace; for more than one right-hand side it is allocated by the first product.
template <class V, class I>
class LINDEN_EXPORT Coo : public LinOp<V> {
public:
    using index_type = I;
    struct Parameters {};

    /// @throws OutOfMemory
    static Coo from_csr(const Csr<V, I>& matrix, Parameters parameters = {});
    /// Takes over arrays of equal length on `exec`.
    /// @throws InvalidParameter if lengths differ or an array is on another executor
    Coo(Executor exec, Dim size, Array<I> row_idxs, Array<I> col_idxs, Array<V> values);
    ~Coo() override;
    Coo(Coo&&) noexcept;
    Coo& operator=(Coo&&) noexcept;

    std::string name() const override { return "Coo"; }
    bool is_capturable() const override { return true; }
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override;
    Coo copy(const Executor& exec) const;
    Coo copy() const { return copy(this->executor()); }
    /// The same entries, zeros included.
    Csr<V, I> to_csr() const;
    /// The values of a Csr matrix with the same pattern. @throws NotSupported, DimensionMismatch
    void update_values(LinOpPtr<V> matrix) override;

    size_type num_nonzeros() const { return values_.size(); }
    CooView<V, I> view() const
    {
        return {this->size().rows, this->size().cols, num_nonzeros(),
                row_idxs_.data(),  col_idxs_.data(),  values_.data()};
    }

protected:
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;
    void apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const override;

private:
    Array<I> row_idxs_;
    Array<I> col_idxs_;
    Array<V> values_;
    std::unique_ptr<detail::BlockCache<V>> workspace_;
};

/// Adopts a matrix of yours without a copy: arrays of `nnz` values, sorted, that lie in `exec`'s memory and outlive the
/// result. @throws InvalidParameter
template <class V, class I>
Coo<V, I> coo_view(const Executor& exec, Dim size, size_type nnz, I* row_idxs, I* col_idxs, V* values)
{
    return Coo<V, I>(exec, size, Array<I>::view(exec, nnz, row_idxs), Array<I>::view(exec, nnz, col_idxs),
                     Array<V>::view(exec, nnz, values));
}

}  // namespace linden
