#pragma once

#include <linden/export.hpp>

#include <memory>

namespace linden {

namespace detail {
template <class V>
class NullSpace;
}  // namespace detail

/// A second base, besides LinOp, of preconditioners that may know the null space of a Hermitian matrix. Solvers then
/// remove it from b; if b is not in the range of the matrix, x becomes a least-squares solution.
template <class V>
class LINDEN_EXPORT KnowsNullSpace {
public:
    virtual ~KnowsNullSpace() = default;

    /// Null where the matrix counts as nonsingular.
    virtual std::shared_ptr<const detail::NullSpace<V>> null_space() const = 0;

protected:
    KnowsNullSpace() = default;
    KnowsNullSpace(const KnowsNullSpace&) = default;
    KnowsNullSpace& operator=(const KnowsNullSpace&) = default;
    KnowsNullSpace(KnowsNullSpace&&) = default;
    KnowsNullSpace& operator=(KnowsNullSpace&&) = default;
};

}  // namespace linden
