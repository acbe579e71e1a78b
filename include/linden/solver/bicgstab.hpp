#pragma once

#include <linden/solver/solver.hpp>

namespace linden {

/// The stabilised biconjugate gradient method for any nonsingular A, preconditioned from the right.
/// [vanDerVorst92; NaumovWP06, algorithm 2]
///
/// An iteration has two halves, each with an application of A and of M^-1. A column that is at its tolerance after the
/// first half stops there; its iteration counts as a whole one, and `ColumnResult::half_step` tells.
/// The method breaks down where rhat^H r, rhat^H A p or s^H A s vanishes. `solve` then starts again from the residual,
/// as long as each start gains iterations; GMRES does not break down.
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
    bool run_at_once(Dense<V>& x, SolverWorkspace<V>& w) const override;
    bool restarts_after_breakdown() const override { return true; }

private:
    /// How the rows are dealt to the blocks of a device that has room for the vectors in its fast memory, so that one
    /// kernel runs the whole iteration; else 0.
    size_type block_rows_ = 0;
    size_type block_nonzeros_ = 0;
};

}  // namespace linden
