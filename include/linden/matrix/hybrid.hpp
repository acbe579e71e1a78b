#pragma once

#include <linden/matrix/sell_storage.hpp>
#include <linden/matrix/sparse_matrix.hpp>

#include <memory>

namespace linden {

namespace detail {
template <class V>
class BlockCache;
}

/// A sparse matrix in hybrid format: the first entries of each row in ELLPACK, the tails of longer rows in coordinate
/// format. For rows of nearly equal length with a few that are much longer.
///
/// A movable value. Products keep a workspace; for more than one right-hand side it is allocated by the first product.
template <class V, class I>
class LINDEN_EXPORT Hybrid : public detail::SparseMatrix<V, I> {
public:
    struct Parameters {
        /// Fraction of rows (0 to 1) that must fit entirely in the ELL part; its width is the smallest that does.
        double whole_rows = 0.8;

        void describe(ParameterVisitor& v);
    };

    /// @throws InvalidParameter if whole_rows is not in [0, 1], OutOfMemory
    static Hybrid from_csr(const Csr<V, I>& matrix, Parameters parameters = {});
    ~Hybrid() override;
    Hybrid(Hybrid&&) noexcept;
    Hybrid& operator=(Hybrid&&) noexcept;

    std::string name() const override { return "Hybrid"; }
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override
    {
        return std::make_unique<Hybrid>(copy(exec));
    }
    Hybrid copy(const Executor& exec) const;
    Hybrid copy() const { return copy(this->executor()); }
    /// Stored zeros are kept.
    Csr<V, I> to_csr() const override;

    size_type num_nonzeros() const override { return num_nonzeros_; }
    /// Entries per row of the ELL part.
    size_type width() const { return pattern_.num_columns; }
    /// Number of entries in coordinate format.
    size_type num_tail() const { return tail_cols_.size(); }
    SellView<V, I> ell_view() const
    {
        return {pattern_.layout(this->size()), pattern_.col_idxs.data(), values_.data()};
    }
    CooView<V, I> tail_view() const;

protected:
    void apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const override;

private:
    Hybrid(const Executor& exec, Dim size);
    void fill(const Csr<V, I>& matrix) override;

    size_type num_nonzeros_ = 0;
    detail::SellPattern<I> pattern_;
    Array<I> tail_ptrs_;  // rows + 1
    Array<I> tail_rows_;
    Array<I> tail_cols_;
    Array<V> values_;  // of the ELL part, then of the tails
    std::unique_ptr<detail::BlockCache<V>> workspace_;
};

}  // namespace linden
