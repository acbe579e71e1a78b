#pragma once

#include "core/factorization/direct_factors.hpp"

namespace linden::detail {

/// Whether hosts factorize A as a dense matrix with partial pivoting, which takes neither a matching nor an order: Lu
/// of nearly full patterns, unless pivots, an order or a matching are asked for.
template <class I>
bool takes_dense_factors(const Executor& exec, const DirectPlan& plan, PatternView<I> a);

/// What they take.
template <class V, class I>
FactorSize dense_size(const Executor& exec, size_type n);

/// Of a host. None where a pivot is bad, since a matching tells more of such matrices, or where with automatic pivoting
/// refinement does not reach the backward error `accepted`. New values find their pivots anew.
/// @throws OutOfMemory with the bytes of the factors
template <class V, class I>
std::unique_ptr<DirectFactors<V>> make_dense_factors(const Csr<V, I>& a, const LinOp<V>& matrix, DirectPlan plan,
                                                     double accepted);

}  // namespace linden::detail
