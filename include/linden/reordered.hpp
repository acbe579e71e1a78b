#pragma once

#include <linden/fwd.hpp>
#include <linden/lin_op.hpp>

namespace linden {

/// A system A x = b with its preconditioner M in another ordering: P A P^T (P x) = P b.
template <class V>
struct ReorderedSystem {
    LinOpPtr<V> to;              ///< P
    LinOpPtr<V> back;            ///< P^T
    LinOpPtr<V> matrix;          ///< P A P^T
    LinOpPtr<V> preconditioner;  ///< P M^-1 P^T
};

/// What an operator derives from beside LinOp if, as a preconditioner, it is cheaper to apply in an ordering of its
/// own. Solvers then permute b and x once, and iterate there.
template <class V>
class LINDEN_EXPORT Reorderable {
public:
    virtual ~Reorderable() = default;

    /// The system with the matrix that the operator was generated from. Its parts follow update_values of the operator.
    /// Without a matrix where the operator would rather stay in the ordering that it is given.
    virtual ReorderedSystem<V> reordered_system() const = 0;

protected:
    Reorderable() = default;
    Reorderable(const Reorderable&) = default;
    Reorderable& operator=(const Reorderable&) = default;
    Reorderable(Reorderable&&) = default;
    Reorderable& operator=(Reorderable&&) = default;
};

}  // namespace linden
