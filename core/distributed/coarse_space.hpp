#pragma once

#include <linden/deflation.hpp>
#include <linden/distributed/communicator.hpp>
#include <linden/matrix/csr.hpp>
#include <linden/matrix/dense.hpp>

#include <memory>

namespace linden::distributed {

/// A coarse space over ranks: Z has a vector for each domain of each rank, 1 on its rows and else 0. With
/// E = Z^H A Z, k x k for all ranks together, whose inverse each rank has, and the preconditioner M of the ranks,
///     y := M^-1 (b - A Z E^-1 Z^H b),  x := y + Z E^-1 Z^H (b - A y):
/// the coarse correction before and after M, Hermitian if A and M are. [Mandel93] It is "BNN" of [TangEtAl09].
/// A Z has entries in rows at the bounds of domains only, so an application takes one product with A.
template <class V>
class CoarseSpace {
public:
    virtual ~CoarseSpace() = default;
    /// Collective. From `matrix`, by whose pattern domains are chosen; `per_rank` >= 1 of each rank with rows.
    /// @throws NotSupported if it is neither a distributed::Matrix nor a Csr, what the domains throw
    static std::unique_ptr<CoarseSpace> make(const LinOpPtr<V>& matrix, size_type per_rank, DeflationKind kind);

    /// Whether `before` and `after` need nothing of the host, alike on all ranks.
    virtual bool is_capturable() const = 0;
    /// Collective. Takes the values of a matrix of the same pattern.
    virtual void update(LinOpPtr<V> matrix) = 0;
    /// Collective. r := b - A Z E^-1 Z^H b, for M. Valid until the next call.
    virtual const Dense<V>& before(const Dense<V>& b) = 0;
    /// Collective. After `before`, with x := M^-1 r: x := x + Z E^-1 Z^H (b - A x)
    virtual void after(Dense<V>& x) = 0;
};

}  // namespace linden::distributed
