#pragma once

#include <linden/lin_op.hpp>
#include <linden/solver/direct.hpp>

#include <memory>
#include <optional>

#include "core/factorization/direct_analysis.hpp"
#include "core/kernels/direct.hpp"
#include "core/kernels/ilu.hpp"

namespace linden::detail {

/// x := M^-1 b with factors of M ~ A, for any index type. `apply` is without refinement.
template <class V>
class DirectFactors : public LinOp<V> {
public:
    std::string name() const override { return std::string(plan_.name); }

    virtual LinOpPtr<V> factors() const = 0;
    /// r := b - A x; ratios := |r| / (|A| |x| + |b|), see direct_error_ratios.
    virtual void find_residual(const LinOp<V>& a, const Dense<V>& b, const Dense<V>& x, Dense<V>& r,
                               real_t<V>* ratios) const = 0;
    virtual std::optional<PivotPlace> first_replaced() const = 0;
    virtual LogDeterminant<V> log_determinant() const = 0;
    /// Not of Cholesky factors.
    virtual Inertia inertia() const = 0;
    /// x := M^-H b, of the factors as they are now. Analyses their transposes.
    virtual std::unique_ptr<LinOp<V>> adjoint() const = 0;
    /// The 1-norm of a matrix on this executor.
    virtual double norm1(const LinOp<V>& a) const = 0;

    PivotReport report() const { return report_.to_host().front(); }
    const Unmatched& unmatched() const { return unmatched_; }
    virtual FactorSize size_of_factors() const { return factor_size_; }
    bool has_partial_pivoting() const { return plan_.pivoting == Pivoting::partial; }
    /// Whether A may be singular up to rounding although no pivot was replaced.
    virtual bool may_hide_singularity() const { return has_partial_pivoting(); }

protected:
    DirectFactors(const Executor& exec, Dim size, const DirectPlan& plan)
        : LinOp<V>(exec, size),
          plan_(plan),
          report_(exec, 1)
    {
    }

    DirectPlan plan_;
    Unmatched unmatched_;
    FactorSize factor_size_;
    Array<PivotReport> report_;
};

/// The factors of a Csr. With plan.pivoting = automatic, those with fixed pivots if refinement reaches the backward
/// error `accepted` for A x = A 1 with them.
/// @throws OutOfMemory with the bytes of the factors, InvalidParameter if I cannot count their entries
template <class V>
std::unique_ptr<DirectFactors<V>> make_direct_factors(const DirectPlan& plan, const LinOpPtr<V>& matrix,
                                                      double accepted);

/// The size of factors with fixed pivots, or of dense ones. @throws as make_direct_factors
template <class V>
FactorSize predicted_factor_size(const DirectPlan& plan, const LinOp<V>& matrix);

}  // namespace linden::detail
