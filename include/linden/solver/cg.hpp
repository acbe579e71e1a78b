#pragma once

#include <linden/solver/solver.hpp>

#include <memory>

namespace linden {

namespace detail {
struct PersistentPlan;
}  // namespace detail

/// The conjugate gradient method for Hermitian positive definite A and M. [HestenesStiefel52; Saad03, algorithm 9.1]
///
/// `single_reduction` computes all inner products of an iteration in one reduction [ChronopoulosGear89]: fewer kernels
/// and synchronisation points, one more vector, and slightly less accuracy.
///
/// `pipelined` also needs one reduction in an iteration, and applies the next product and the preconditioner while the
/// sums are on their way [GhyselsVanroose14]. Over ranks of hosts no sum is waited for that takes no longer than these
/// two. The price is 4 more vectors (6 with M) and recurrences for A p, M^-1 A p and A M^-1 A p, in which rounding
/// errors add up. Residuals and these products are therefore computed anew every 100 iterations, with 4 products. If
/// the tolerance is below about 1e-13 of the first residual (1e-5 in single precision), this variant stalls and ends at
/// its iteration limit, where the other variants go on or end as stagnated. Excludes `single_reduction`.
template <class V>
class LINDEN_EXPORT Cg : public Solver<V> {
public:
    static constexpr std::string_view type_name = "Cg";

    struct Parameters {
        Stop stop{};
        FactoryPtr<V> preconditioner{};
        bool single_reduction = false;
        bool pipelined = false;

        void describe(ParameterVisitor& v);
    };

    static Factory<Cg> factory(Parameters parameters = {}) { return Factory<Cg>(std::move(parameters)); }

    /// @throws DimensionMismatch if A is not square, InvalidParameter if it is to be pipelined with a single
    /// reduction, and what the preconditioner's factory throws
    Cg(Executor exec, Parameters parameters, LinOpPtr<V> matrix);

    std::string name() const override { return "Cg"; }

protected:
    std::unique_ptr<SolverWorkspace<V>> make_workspace(const Executor& exec, size_type num_rhs) const override;
    void start(Dense<V>& x, SolverWorkspace<V>& w) const override;
    void step(Dense<V>& x, SolverWorkspace<V>& w) const override;
    bool run_persistent(Dense<V>& x, SolverWorkspace<V>& w) const override;

private:
    bool single_reduction_;
    bool pipelined_;
    /// The persistent kernel that suits the system; null if none does.
    std::shared_ptr<const detail::PersistentPlan> persistent_;
};

}  // namespace linden
