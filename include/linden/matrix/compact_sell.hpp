#pragma once

#include <linden/matrix/sell_matrix.hpp>

namespace linden {

/// A `Sell` that takes fewer bytes: values rounded to a lower precision (arithmetic stays in V), or column indices of
/// 16 bits, relative to the smallest one of their slice's column. Since memory limits products, they are faster by as
/// much.
///
/// A movable value. Matrices have int32 indices.
template <class V>
class CompactSell : public detail::SellMatrix<V, std::int32_t> {
public:
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
