#pragma once

#include <linden/error.hpp>
#include <linden/lin_op.hpp>

#include <memory>

#include "core/matrix/pattern_checks/pattern_checks.hpp"

/// Common checks of update_values.
namespace linden {

/// @throws InvalidParameter if `matrix` is null, DimensionMismatch if its size is not `size`, that of the matrix of
/// `op`
template <class V>
void check_new_values(const LinOp<V>& op, Dim size, const LinOpPtr<V>& matrix)
{
    if (matrix == nullptr) {
        throw InvalidParameter("matrix", "null", "an operator");
    }
    if (matrix->size() != size) {
        throw DimensionMismatch(op.name() + "::update_values", "the matrix", size, "the new one", matrix->size());
    }
}
/// The same for an operator of the size of its matrix.
template <class V>
void check_new_values(const LinOp<V>& op, const LinOpPtr<V>& matrix)
{
    check_new_values(op, op.size(), matrix);
}

/// `matrix`, copied if it is not on the executor of `op`. @throws as check_new_values
template <class V>
LinOpPtr<V> new_values_here(const LinOp<V>& op, Dim size, LinOpPtr<V> matrix)
{
    check_new_values(op, size, matrix);
    return matrix->executor() == op.executor() ? std::move(matrix) : LinOpPtr<V>(matrix->clone(op.executor()));
}
template <class V>
LinOpPtr<V> new_values_here(const LinOp<V>& op, LinOpPtr<V> matrix)
{
    return new_values_here(op, op.size(), std::move(matrix));
}

/// The same for an operator that was made from the matrix `old`, whose pattern the new one should have.
/// @throws as detail::require_same_pattern in builds that check patterns
template <class V>
LinOpPtr<V> new_values_here(const LinOp<V>& op, const LinOp<V>& old, LinOpPtr<V> matrix)
{
    check_new_values(op, old.size(), matrix);
    if (detail::checks_patterns()) {
        detail::require_same_pattern(op.name() + "::update_values", old, *matrix);
    }
    return new_values_here(op, old.size(), std::move(matrix));
}

}  // namespace linden
