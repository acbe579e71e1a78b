#pragma once

#include <linden/solver/solver.hpp>

namespace linden {

/// The flexible conjugate gradient method for Hermitian positive definite A and preconditioners that vary from one
/// application to the next, such as inner solvers, or that are slightly unsymmetric. [Notay00]
///
/// A new direction is made A-orthogonal to the last `directions` ones explicitly. With a fixed Hermitian positive
/// definite preconditioner the iterates are those of CG, whatever `directions`.
template <class V>
class LINDEN_EXPORT FlexibleCg : public Solver<V> {
public:
    static constexpr std::string_view type_name = "FlexibleCg";

    struct Parameters {
        Stop stop{};
        FactoryPtr<V> preconditioner{};
        /// Directions that are kept, at least 1. Each takes 2 n words per right-hand side.
        size_type directions = 1;

        void describe(ParameterVisitor& v);
    };

    static Factory<FlexibleCg> factory(Parameters parameters = {})
    {
        return Factory<FlexibleCg>(std::move(parameters));
    }

    /// @throws DimensionMismatch if A is not square, InvalidParameter if directions < 1, and what the preconditioner's
    /// factory throws
    FlexibleCg(Executor exec, Parameters parameters, LinOpPtr<V> matrix);

    std::string name() const override { return "FlexibleCg"; }
    size_type directions() const { return directions_; }

protected:
    std::unique_ptr<SolverWorkspace<V>> make_workspace(const Executor& exec, size_type num_rhs) const override;
    void start(Dense<V>& x, SolverWorkspace<V>& w) const override;
    void step(Dense<V>& x, SolverWorkspace<V>& w) const override;

private:
    size_type directions_;
};

}  // namespace linden
