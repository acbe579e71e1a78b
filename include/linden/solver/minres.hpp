#pragma once

#include <linden/solver/solver.hpp>

namespace linden {

/// The minimal residual method for Hermitian, possibly indefinite A, with a Hermitian positive definite M.
/// [PaigeSaunders75; ElmanSilvesterWathen05, 6.1]
///
/// x minimises the norm of the residual in M^-1 over the Krylov space, with the cost and memory of short recurrences.
/// Without a preconditioner the residual norms do not grow, and are those of GMRES without restarts. With one, the
/// residual vector itself is updated as well, so that the stopping rule sees ||b - A x|| as in other solvers.
///
/// Consistent singular systems are solved. An inconsistent system ends as `stagnated` where ||A r|| <= 4 eps ||A||
/// ||r||, and x is then a least-squares solution. The method breaks down if r^H M^-1 r is not positive, because M is
/// then not positive definite. That A is Hermitian is not checked.
template <class V>
class LINDEN_EXPORT Minres : public Solver<V> {
public:
    static constexpr std::string_view type_name = "Minres";

    struct Parameters {
        Stop stop{};
        FactoryPtr<V> preconditioner{};

        void describe(ParameterVisitor& v);
    };

    static Factory<Minres> factory(Parameters parameters = {}) { return Factory<Minres>(std::move(parameters)); }

    /// @throws DimensionMismatch if A is not square, and what the preconditioner's factory throws
    Minres(Executor exec, Parameters parameters, LinOpPtr<V> matrix);

    std::string name() const override { return "Minres"; }

protected:
    std::unique_ptr<SolverWorkspace<V>> make_workspace(const Executor& exec, size_type num_rhs) const override;
    void start(Dense<V>& x, SolverWorkspace<V>& w) const override;
    void step(Dense<V>& x, SolverWorkspace<V>& w) const override;
};

}  // namespace linden
