#pragma once

#include <linden/matrix/csr.hpp>
#include <linden/preconditioner/incomplete_factorization.hpp>

#include "core/kernels/ilu.hpp"
#include "core/kernels/ilut.hpp"

namespace linden::detail {

/// Factors on the matrix's executor, as IncompleteFactorization::factors describes them.
template <class V, class I>
struct ThresholdFactors {
    Csr<V, I> factors;
    PivotReport report;
};

/// What rows of the factors keep. [Naumov11, 5]
ThresholdRule threshold_rule(Dim size, size_type num_nonzeros, const FactorizationPlan& plan);

/// ILUT or ICT of `a`, found on its executor. @throws InvalidParameter if k or the tolerance is negative
template <class V, class I>
ThresholdFactors<V, I> factorize_with_threshold(const Csr<V, I>& a, const FactorizationPlan& plan);

/// The factors computed on the executor `where`: the matrix is copied there, and the factors back.
template <class V, class I>
ThresholdFactors<V, I> factorize_with_threshold_on(const Executor& where, const Csr<V, I>& a,
                                                   const FactorizationPlan& plan);

}  // namespace linden::detail
