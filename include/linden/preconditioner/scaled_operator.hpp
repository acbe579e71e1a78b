#pragma once

#include <linden/matrix/diagonal.hpp>
#include <linden/preconditioner/transformed_operator.hpp>

#include <memory>
#include <optional>
#include <string_view>

namespace linden {

namespace detail {
template <class V>
class AlternatingCopies;
}  // namespace detail

/// x := C M~^-1 R b with diagonal R and C: the common base of SymmetricScaling and Scaled. The inner operator M~^-1, a
/// preconditioner or a solver, is generated from the scaled matrix A~ = R A C. New values get new R and C.
template <class V>
class LINDEN_EXPORT ScaledOperator : public TransformedOperator<V> {
public:
    /// R
    const Diagonal<V>& row_scaling() const { return rows_; }
    /// C
    const Diagonal<V>& column_scaling() const { return columns_ ? *columns_ : rows_; }

protected:
    /// is_symmetric: C is R. @throws DimensionMismatch if the matrix is not square
    ScaledOperator(Executor exec, std::string_view type_name, bool is_symmetric, LinOpPtr<V> matrix);

    /// R, and C where `columns` is not null, of a Csr of any index type.
    virtual void find_scaling(const LinOp<V>& matrix, V* rows, V* columns) = 0;

    LinOpPtr<V> transform(const LinOp<V>& matrix) override;
    const LinOp<V>& left() const override { return rows_; }
    const LinOp<V>& right() const override { return column_scaling(); }
    void apply_right_inverse(const Dense<V>& x, Dense<V>& y) const override;

private:
    Diagonal<V> rows_;
    std::optional<Diagonal<V>> columns_;
    std::shared_ptr<detail::AlternatingCopies<V>> copies_;
};

}  // namespace linden
