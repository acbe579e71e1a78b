#pragma once

#include <linden/views.hpp>

#include <optional>
#include <vector>

#include "core/factorization/row_elimination.hpp"

namespace linden::detail {

/// Rows and columns of a Hermitian matrix to eliminate in this order.
template <class I>
struct SymmetricOrder {
    const std::vector<I>& rows;
    const std::vector<double>& scaling;  ///< of A's rows and columns
    const std::vector<I>& counts;        ///< entries of the columns of L in this order, with the diagonal
};

/// L and U = D L^H of the scaled matrix with half the work of eliminate_rows: row i of L is solved for with the rows
/// before it, whose columns the tree of elimination tells, and becomes column i of U [Davis06, 4.7]. Pivots are the
/// diagonal. Nothing if one is not greater than `least_pivot` of its row's norm, or if some are negative and one is
/// less than a thousandth of its row's largest entry; where all are positive no entry grows. a: Hermitian, rows sorted,
/// in host memory. O(operations).
template <class V, class I>
std::optional<EliminatedRows<V, I>> eliminate_symmetric(CsrView<V, I> a, const SymmetricOrder<I>& order,
                                                        real_t<V> least_pivot);

}  // namespace linden::detail
