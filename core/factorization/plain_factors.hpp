#pragma once

#include <optional>
#include <vector>

#include "core/factorization/plain_order.hpp"
#include "core/factorization/row_elimination.hpp"

namespace linden::detail {

/// Of A's rows and columns.
struct Scalings {
    std::vector<double> rows, columns;
};

/// 1 / sqrt |a_ii| of both where a symmetric pattern has no larger entry for it, as of definite matrices; else 1 / the
/// largest magnitude of each column, 1 where that is no normal number.
template <class V, class I>
Scalings plain_scalings(CsrView<V, I> a, const PlainOrder<I>& plain);

/// Factors of plain pivots, and the scalings that they were found with.
template <class V, class I>
struct PlainFactors {
    std::vector<I> rows;
    Scalings scalings;
    EliminatedRows<V, I> found;
    std::vector<I> block_ptrs;  ///< of its order; two where there is one block
};

/// Whether rows of L + U are so long that panels pay from the first factorization on, by which the pivots of the order
/// are tried as fixed ones.
template <class I>
bool prefers_panels(const PlainOrder<I>& plain);

/// Of a Hermitian matrix with short rows, with its diagonal for pivots. Nothing for others, and where
/// eliminate_symmetric finds nothing. a: in host memory.
template <class V, class I>
std::optional<PlainFactors<V, I>> symmetric_factors(CsrView<V, I> a, const PlainOrder<I>& plain, real_t<V> least_pivot);

/// Row by row, with columns exchanged for larger pivots. Nothing where rows of L + U are longer than those of networks
/// or exchanges make them so, or where a pivot is less than `least_pivot` of its row's norm. a: in host memory.
template <class V, class I>
std::optional<PlainFactors<V, I>> plain_factors(CsrView<V, I> a, const PlainOrder<I>& plain, real_t<V> least_pivot);

}  // namespace linden::detail
