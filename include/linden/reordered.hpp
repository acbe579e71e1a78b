#pragma once

#include <linden/fwd.hpp>
#include <linden/lin_op.hpp>

namespace linden {

/// A system A x = b and its preconditioner M^-1 in another ordering: P A P^T (P x) = P b.
template <class V>
struct ReorderedSystem {
    LinOpPtr<V> to;              ///< P
    LinOpPtr<V> back;            ///< P^T
    LinOpPtr<V> matrix;          ///< P A P^T
    LinOpPtr<V> preconditioner;  ///< P M^-1 P^T
};

/// A second base, besides LinOp, of preconditioners that are cheaper to apply in an ordering of their own. Solvers then
/// permute b and x once per solve and iterate in that ordering.
template <class V>
class LINDEN_EXPORT Reorderable {
public:
    virtual ~Reorderable() = default;

    /// The permuted system of the matrix that the operator was generated from. update_values of the operator updates
    /// its members. `matrix` is null if the operator prefers the given ordering.
    virtual ReorderedSystem<V> reordered_system() const = 0;

protected:
    Reorderable() = default;
    Reorderable(const Reorderable&) = default;
    Reorderable& operator=(const Reorderable&) = default;
    Reorderable(Reorderable&&) = default;
    Reorderable& operator=(Reorderable&&) = default;
};

}  // namespace linden
