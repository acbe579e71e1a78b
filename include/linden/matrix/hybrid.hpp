#pragma once

#include <linden/matrix/csr.hpp>
#include <linden/matrix/sell_storage.hpp>

#include <memory>

namespace linden {

namespace detail {
template <class V>
class BlockCache;
}

/// A sparse matrix of two parts: the first entries of each row in ELLPACK, the tails of longer rows as coordinates.
/// For rows of nearly the same length with some that are much longer.
///
/// A movable value. Products keep a workspace; for more than one right-hand side it is allocated by the first product.
template <class V, class I>
class LINDEN_EXPORT Hybrid : public LinOp<V> {
public:
    using index_type = I;

    struct Parameters {
        /// ELLPACK is as wide as the shortest width that so large a part of the rows fits into whole, from 0 to 1.
        double whole_rows = 0.8;
    };

    /// @throws InvalidParameter if whole_rows is not from 0 to 1, OutOfMemory
    static Hybrid from_csr(const Csr<V, I>& matrix, Parameters parameters = {});
    ~Hybrid() override;
    Hybrid(Hybrid&&) noexcept;
    Hybrid& operator=(Hybrid&&) noexcept;

    std::string name() const override { return "Hybrid"; }
    bool is_capturable() const override { return true; }
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override;
    Hybrid copy(const Executor& exec) const;
    Hybrid copy() const { return copy(this->executor()); }
    /// The same entries, zeros included.
    Csr<V, I> to_csr() const;
    /// The values of a Csr matrix with the same pattern. @throws NotSupported, DimensionMismatch
    void update_values(LinOpPtr<V> matrix) override;

    size_type num_nonzeros() const { return num_nonzeros_; }
    /// Entries of a row in ELLPACK.
    size_type width() const { return pattern_.num_columns; }
    /// Entries that are kept as coordinates.
    size_type num_tail() const { return tail_cols_.size(); }
    SellView<V, I> ell_view() const
    {
        return {pattern_.layout(this->size()), pattern_.col_idxs.data(), values_.data()};
    }
    CooView<V, I> tail_view() const;

protected:
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;
    void apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const override;

private:
    Hybrid(const Executor& exec, Dim size);
    void fill(const Csr<V, I>& matrix);

    size_type num_nonzeros_ = 0;
    detail::SellPattern<I> pattern_;
    Array<I> tail_ptrs_;  // rows + 1
    Array<I> tail_rows_;
    Array<I> tail_cols_;
    Array<V> values_;  // those of ELLPACK, then those of the tails
    std::unique_ptr<detail::BlockCache<V>> workspace_;
};

}  // namespace linden
