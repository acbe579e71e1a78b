#pragma once

#include <linden/matrix/csr.hpp>
#include <linden/matrix/sell_storage.hpp>
#include <linden/storage_precision.hpp>

namespace linden {

/// A `Sell` that takes fewer bytes: values rounded to a lower precision (arithmetic stays in V), or column indices of
/// 16 bits, relative to the smallest one of their slice's column. Since memory limits products, they are faster by as
/// much.
///
/// A movable value. Matrices have int32 indices.
template <class V>
class LINDEN_EXPORT CompactSell : public LinOp<V> {
public:
    using index_type = std::int32_t;

    struct Parameters {
        /// `same` keeps values as they are; `half` is for real values, which must not exceed 65504.
        StoragePrecision storage = StoragePrecision::same;
        /// 16 or 32.
        int index_bits = 16;
        size_type slice_rows = 32;  ///< as in Sell
        size_type sigma = 1;        ///< as in Sell
        double max_fill = 20;       ///< as in Sell
    };

    /// @throws InvalidParameter for parameters out of range, too much padding, or where the column indices of a slice's
    /// column span more than 16 bits hold, naming a row and the span; OutOfMemory
    static CompactSell from_csr(const Csr<V, std::int32_t>& matrix, Parameters parameters = {});
    /// Whether 16 bits hold the column indices of `matrix`.
    static bool fits16(const Csr<V, std::int32_t>& matrix, Parameters parameters = {});

    std::string name() const override { return "CompactSell"; }
    bool is_capturable() const override { return true; }
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override;
    CompactSell copy(const Executor& exec) const;
    CompactSell copy() const { return copy(this->executor()); }
    /// The same entries, values as they were rounded.
    Csr<V, std::int32_t> to_csr() const;
    /// The values of a Csr matrix with the same pattern. @throws NotSupported, DimensionMismatch
    void update_values(LinOpPtr<V> matrix) override;

    size_type num_nonzeros() const { return num_nonzeros_; }
    /// Entries with padding.
    size_type num_entries() const { return pattern_.num_entries(); }
    StoragePrecision storage() const { return parameters_.storage; }
    int index_bits() const { return parameters_.index_bits; }
    /// Bytes of values and column indices, with padding.
    std::size_t matrix_bytes() const { return values_.bytes() + pattern_.col_idxs.bytes() + offsets_.bytes(); }

protected:
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;
    void apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const override;
    void apply_dot_impl(const Dense<V>& b, Dense<V>& x, const DotRequest<V>& dots) const override;

private:
    using I = std::int32_t;
    CompactSell(const Executor& exec, Dim size);
    template <class F>
    void with_storage(F&& f) const;
    template <class F>
    void with_view(F&& f) const;
    void compress();
    detail::SellPattern<I> expanded() const;

    Parameters parameters_;
    size_type num_nonzeros_ = 0;
    detail::SellPattern<I> pattern_;  // without column indices where they have 16 bits
    Array<I> bases_;
    Array<std::uint16_t> offsets_;
    Array<std::byte> values_;  // of the storage type
};

}  // namespace linden
