#pragma once

#include <linden/solver/solver.hpp>

namespace linden {

/// The minimal residual method for Hermitian, possibly indefinite A, with a Hermitian positive definite M.
/// [PaigeSaunders75; ElmanSilvesterWathen05, 6.1]
///
/// x minimises the norm of the residual in M^-1 over the Krylov space, with the cost and memory of short recurrences;
/// without preconditioner the residual norms do not grow, and are those of GMRES without restarts. With one, the
/// residual vector itself is updated as well, so that the stopping rule always sees ||b - A x||, as that of other
/// solvers does.
///
/// Consistent singular systems are solved. In inconsistent ones the solve ends as `stagnated` where ||A r|| <= 4 eps
/// ||A|| ||r||; x is a least-squares solution then. The method breaks down where r^H M^-1 r is not positive: M is not
/// positive definite. That A is Hermitian is not checked.
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
