#pragma once

#include <linden/preconditioner/incomplete_factorization.hpp>

#include <memory>

#include "core/kernels/ilu.hpp"
#include "core/triangular/triangular_solve.hpp"

namespace linden::detail {

/// Incomplete factors, for any index type, and the solves with them.
template <class V>
class IncompleteFactors {
public:
    virtual ~IncompleteFactors() = default;

    /// x := (L U)^-1 b or (L L^H)^-1 b
    virtual void apply(const Dense<V>& b, Dense<V>& x) const = 0;
    /// Whether `apply` only launches kernels.
    virtual bool is_capturable() const = 0;
    virtual void update(const LinOp<V>& matrix) = 0;
    /// Waits for the executor.
    virtual PivotReport report() const = 0;
    virtual LinOpPtr<V> factors() const = 0;
    virtual size_type num_nonzeros() const = 0;
    virtual const TriangularSolve<V>& lower() const = 0;
};

/// @throws NotSupported if the matrix is not a Csr, InvalidParameter
template <class V>
std::unique_ptr<IncompleteFactors<V>> make_incomplete_factors(const LinOp<V>& matrix, const FactorizationPlan& plan);

}  // namespace linden::detail
