#pragma once

#include "core/multigrid/hierarchy.hpp"

namespace linden::detail {

/// What levels of any kind and cycles of any operators need besides.
template <class V>
struct GeneralPlan : AmgPlan {
    AmgMethod method = AmgMethod::smoothed;
    AmgCycle cycle = AmgCycle::v;
    FactoryPtr<V> smoother{};  ///< null: Chebyshev's polynomial
    size_type sweeps = 1;
    size_type max_elements = 4;
    size_type block_rows = 1;
    std::shared_ptr<const Dense<V>> vectors{};  ///< the near-null space; null: constants of each unknown of a node
};

/// A hierarchy with a multiplicative cycle, for systems of equations and for what the additive form does not have.
/// @throws NotSupported if the matrix is not a Csr, DimensionMismatch, InvalidParameter, OutOfMemory
template <class V>
std::shared_ptr<AmgHierarchy<V>> make_general(const LinOp<V>& matrix, const GeneralPlan<V>& plan);

}  // namespace linden::detail
