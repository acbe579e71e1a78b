#pragma once

#include <linden/views.hpp>

#include "core/factorization/direct_analysis.hpp"

namespace linden::detail {

/// Whether L + U, without singletons, have a pattern with clearly less entries than A + A^T leaves, which the analysis
/// then keeps. It takes as long as finding that pattern.
template <class I>
bool has_own_pattern(PatternView<I> a, DirectAnalysis<I>& analysis);

/// The pattern of Lu with fixed pivots for kernels that take unsymmetric ones: closed, rows sorted. analysis: of a plan
/// whose factors have a pattern of their own; a: what was analysed, in host memory.
/// @throws InvalidParameter if I cannot count its entries
template <class I>
HostPattern<I> lu_pattern(PatternView<I> a, const DirectAnalysis<I>& analysis);

}  // namespace linden::detail
