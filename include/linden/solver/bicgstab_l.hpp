#pragma once

#include <linden/solver/solver.hpp>

namespace linden {

/// BiCGStab(l) for nonsingular A, preconditioned from the right by a fixed linear M. [SleijpenFokkema93]
///
/// A cycle consists of l steps of BiCG and one step that minimises the residual over l directions at once. BiCGStab
/// minimises over one direction after the other; that fails if a real A has eigenvalues far from the real axis, where l
/// = 2 works. BiCGStab(1) is BiCGStab.
///
/// An iteration is a cycle: 2 l products with A and 2 l + 1 with M^-1, the last one for x. A column breaks down if
/// rhat^H r or rhat^H A u vanishes, or if the l directions are dependent. What the cycle has reached by then counts as
/// an iteration, and `solve` restarts the column from its residual, as long as each restart completes iterations.
template <class V>
class LINDEN_EXPORT BiCgStabL : public Solver<V> {
public:
    static constexpr std::string_view type_name = "BiCgStabL";

    struct Parameters {
        Stop stop{};
        FactoryPtr<V> preconditioner{};
        /// Directions of a cycle, 1 to 16. They come from powers of A, so that rounding leaves only a few of them
        /// independent. The workspace takes 2 l + 4 vectors per right-hand side, two more with a preconditioner.
        size_type l = 2;

        void describe(ParameterVisitor& v);
    };

    static Factory<BiCgStabL> factory(Parameters parameters = {}) { return Factory<BiCgStabL>(std::move(parameters)); }

    /// @throws DimensionMismatch if A is not square, InvalidParameter if l is not in [1, 16], and what the
    /// preconditioner's factory throws
    BiCgStabL(Executor exec, Parameters parameters, LinOpPtr<V> matrix);

    std::string name() const override { return "BiCgStabL"; }

protected:
    std::unique_ptr<SolverWorkspace<V>> make_workspace(const Executor& exec, size_type num_rhs) const override;
    void start(Dense<V>& x, SolverWorkspace<V>& w) const override;
    void step(Dense<V>& x, SolverWorkspace<V>& w) const override;
    bool restarts_after_breakdown() const override { return true; }

private:
    size_type l_;
};

}  // namespace linden
