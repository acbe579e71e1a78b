#pragma once

#include "core/factorization/direct_factors.hpp"
#include "core/factorization/supernodes.hpp"

namespace linden::detail {

/// Whether factors are made by supernodes: where rows are long, pivots fixed, and the factors have the pattern that
/// A + A^T leaves, or nearly so. Patterns far from symmetric are asked for one of their own.
template <class I>
bool takes_supernodes(const Executor& exec, const DirectPlan& plan, PatternView<I> a, DirectAnalysis<I>& analysis);

/// What factors by supernodes take. num_entries: of A.
template <class V, class I>
FactorSize supernodal_size(const Executor& exec, const DirectPlan& plan, size_type num_entries,
                           const DirectAnalysis<I>& analysis, const Supernodes<I>& supernodes);

/// host: the matrix a in host memory. @throws OutOfMemory with the bytes of the factors, InvalidParameter if I cannot
/// count their entries
template <class V, class I>
std::unique_ptr<DirectFactors<V>> make_supernodal_factors(const Csr<V, I>& a, const Csr<V, I>& host,
                                                          const DirectPlan& plan, const DirectAnalysis<I>& analysis);

}  // namespace linden::detail
