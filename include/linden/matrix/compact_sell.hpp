#pragma once

#include <linden/matrix/sell_matrix.hpp>

namespace linden {

/// A `Sell` that takes fewer bytes: values rounded to a lower precision (arithmetic stays in V), or 16-bit column
/// indices, stored relative to the smallest one in their column of the slice. Products are limited by memory bandwidth,
/// so fewer bytes make them faster.
///
/// A movable value. Indices of the matrix are int32.
template <class V>
class LINDEN_EXPORT CompactSell : public detail::SellMatrix<V, std::int32_t> {
public:
    struct Parameters {
        /// Precision of the stored values. `half` is for real values of magnitude at most 65504.
        StoragePrecision storage = StoragePrecision::same;
        /// Bits of a stored column index: 16, 32, or 0 for 16 where they suffice.
        int index_bits = 16;
        size_type slice_rows = 32;  ///< as in Sell
        size_type sigma = 1;        ///< as in Sell
        double max_fill = 20;       ///< as in Sell

        void describe(ParameterVisitor& v);
    };

    /// @throws InvalidParameter if a parameter is out of range, the padding exceeds `max_fill`, or, with
    /// index_bits = 16, column indices in one column of a slice differ by more than 65534 (names a row and the
    /// difference); OutOfMemory
    static CompactSell from_csr(const Csr<V, std::int32_t>& matrix, Parameters parameters = {});
    /// Whether 16-bit indices suffice for `matrix`.
    static bool fits16(const Csr<V, std::int32_t>& matrix, Parameters parameters = {});

    std::string name() const override { return "CompactSell"; }
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override
    {
        return std::make_unique<CompactSell>(copy(exec));
    }
    CompactSell copy(const Executor& exec) const { return CompactSell(*this, exec); }
    CompactSell copy() const { return copy(this->executor()); }

    StoragePrecision storage() const { return this->storage_; }
    int index_bits() const { return this->pattern_.has_offsets ? 16 : 32; }
    /// Bytes of values and column indices, with padding.
    std::size_t matrix_bytes() const
    {
        return this->values_.bytes() + this->pattern_.col_idxs.bytes() + this->pattern_.offsets.bytes();
    }

private:
    using detail::SellMatrix<V, std::int32_t>::SellMatrix;
};

}  // namespace linden
