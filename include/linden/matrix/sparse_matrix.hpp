#pragma once

#include <linden/export.hpp>
#include <linden/matrix/csr.hpp>

namespace linden::detail {

/// What the sparse formats other than Csr share. Each has `from_csr` and `copy` beside.
template <class V, class I>
class LINDEN_EXPORT SparseMatrix : public LinOp<V> {
    static_assert(is_index_type<I>, "indices are std::int32_t or std::int64_t");

public:
    using index_type = I;

    bool is_capturable() const override { return true; }
    virtual size_type num_nonzeros() const = 0;
    virtual Csr<V, I> to_csr() const = 0;
    /// The values of a Csr matrix with the same pattern. @throws NotSupported, DimensionMismatch, InvalidParameter if
    /// it is null or the format cannot hold its values
    void update_values(LinOpPtr<V> matrix) override;

protected:
    using LinOp<V>::LinOp;

    using LinOp<V>::apply_impl;
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override { this->apply_impl(V{1}, b, V{}, x); }
    /// Takes the values of `matrix`, which is on this executor and has as many nonzeros as this.
    virtual void fill(const Csr<V, I>& matrix) = 0;
};

}  // namespace linden::detail
