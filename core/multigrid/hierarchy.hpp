#pragma once

#include <linden/multigrid/amg.hpp>

#include <memory>

#include "core/multigrid/level.hpp"

namespace linden::detail {

/// What DenseInverse drops of the last of several levels: the zero pivots of singular matrices have the rounding errors
/// of all products before them.
inline constexpr double smallest_coarse_pivot = 1e-12;

/// The levels and the cycle, for any index type and working precision.
template <class V>
class AmgHierarchy {
public:
    virtual ~AmgHierarchy() = default;

    /// x := M^-1 b by one cycle.
    virtual void apply(const Dense<V>& b, Dense<V>& x) const = 0;
    /// The same and inner products with x, if that is less than what LinOp would do: whether it has done it.
    virtual bool apply_dot(const Dense<V>&, Dense<V>&, const DotRequest<V>&) const { return false; }
    virtual void update(const LinOp<V>& matrix) = 0;
    virtual bool is_capturable() const { return true; }

    AmgReport report;
};

/// @throws NotSupported if the matrix is not a Csr, OutOfMemory
template <class V>
std::shared_ptr<AmgHierarchy<V>> make_hierarchy(const LinOp<V>& matrix, const AmgPlan& plan);

}  // namespace linden::detail
