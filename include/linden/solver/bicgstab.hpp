#pragma once

#include <linden/solver/solver.hpp>

#include <memory>

namespace linden {

namespace detail {
struct PersistentPlan;
}  // namespace detail

/// The stabilised biconjugate gradient method for nonsingular A, preconditioned from the right.
/// [vanDerVorst92; Naumov11b, algorithm 2]
///
/// An iteration has two halves, each with one application of A and one of M^-1. A column that meets its tolerance after
/// the first half stops there; the iteration is counted as a whole one, and `ColumnResult::half_step` is set.
/// The method breaks down if rhat^H r, rhat^H A p or s^H A s vanishes. `solve` then restarts from the residual, as long
/// as each restart completes iterations. GMRES does not break down.
template <class V>
class LINDEN_EXPORT BiCgStab : public Solver<V> {
public:
    static constexpr std::string_view type_name = "BiCgStab";

    struct Parameters {
        Stop stop{};
        FactoryPtr<V> preconditioner{};

        void describe(ParameterVisitor& v);
    };

    static Factory<BiCgStab> factory(Parameters parameters = {}) { return Factory<BiCgStab>(std::move(parameters)); }

    /// @throws DimensionMismatch if A is not square, and what the preconditioner's factory throws
    BiCgStab(Executor exec, Parameters parameters, LinOpPtr<V> matrix);

    std::string name() const override { return "BiCgStab"; }

protected:
    std::unique_ptr<SolverWorkspace<V>> make_workspace(const Executor& exec, size_type num_rhs) const override;
    void start(Dense<V>& x, SolverWorkspace<V>& w) const override;
    void step(Dense<V>& x, SolverWorkspace<V>& w) const override;
    bool run_persistent(Dense<V>& x, SolverWorkspace<V>& w) const override;
    bool restarts_after_breakdown() const override { return true; }

private:
    /// The persistent kernel that suits the system; null if none does.
    std::shared_ptr<const detail::PersistentPlan> persistent_;
};

}  // namespace linden
