#pragma once

#include <linden/matrix/csr.hpp>
#include <linden/matrix/sell_storage.hpp>
#include <linden/storage_precision.hpp>

namespace linden {

/// A `Sell` that takes fewer bytes: values rounded to a lower precision (arithmetic stays in V), or 16-bit column
/// indices, stored relative to the smallest one in their column of the slice. Products are limited by memory bandwidth,
/// so fewer bytes make them faster.
///
/// A movable value. Indices of the matrix are int32.
template <class V>
class CompactSell : public LinOp<V> {
public:
    using index_type = std::int32_t;

    struct Parameters {
        /// Precision of the stored values. `half` is for real values of magnitude at most 65504.
        StoragePrecision storage = StoragePrecision::same;
        /// Bits of a stored column index: 16 or 32.
        int index_bits = 16;
        size_type slice_rows = 32;  ///< as in Sell
        size_type sigma = 1;        ///< as in Sell
        double max_fill = 20;       ///< as in Sell
    };

    /// @throws InvalidParameter if a parameter is out of range, the padding exceeds `max_fill`, or, with
    /// index_bits = 16, column indices in one column of a slice differ by more than 65534 (names a row and the
    /// difference); OutOfMemory
    static CompactSell from_csr(const Csr<V, std::int32_t>& matrix, Parameters parameters = {});
    /// Whether 16-bit indices suffice for `matrix`.
    static bool fits16(const Csr<V, std::int32_t>& matrix, Parameters parameters = {});

    std::string name() const override { return "CompactSell"; }
    bool is_capturable() const override { return true; }
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override;
    CompactSell copy(const Executor& exec) const;
    CompactSell copy() const { return copy(this->executor()); }
    /// Values as rounded to the storage precision.
    Csr<V, std::int32_t> to_csr() const;
    /// Takes the values of a Csr matrix with the same pattern. @throws NotSupported, DimensionMismatch
    void update_values(LinOpPtr<V> matrix) override;

    size_type num_nonzeros() const { return num_nonzeros_; }
    /// Stored entries with padding.
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
    detail::SellPattern<I> pattern_;  // without col_idxs if index_bits is 16
    Array<I> bases_;
    Array<std::uint16_t> offsets_;
    Array<std::byte> values_;  // of the storage type
};

}  // namespace linden
