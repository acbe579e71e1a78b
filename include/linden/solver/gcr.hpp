#pragma once

#include <linden/solver/solver.hpp>

namespace linden {

/// The generalised conjugate residual method for nonsingular A, with preconditioners that may vary from one application
/// to the next. [EisenstatElmanSchultz83]
///
/// x minimises the residual over the directions kept, as in FGMRES, but x and r are up to date after every iteration,
/// at twice the memory. When `directions` are kept, all are dropped and the method starts again from the residual; with
/// `truncated` only the oldest is dropped, and an iteration is orthogonal to the last ones (Orthomin).
/// The method breaks down where r^H A M^-1 r = 0. If the Hermitian part of A is definite, that cannot happen. GMRES
/// does not break down.
template <class V>
class LINDEN_EXPORT Gcr : public Solver<V> {
public:
    static constexpr std::string_view type_name = "Gcr";

    struct Parameters {
        Stop stop{};
        FactoryPtr<V> preconditioner{};
        /// Directions that are kept, at least 1. Each takes 2 n words per right-hand side.
        size_type directions = 30;
        bool truncated = false;

        void describe(ParameterVisitor& v);
    };

    static Factory<Gcr> factory(Parameters parameters = {}) { return Factory<Gcr>(std::move(parameters)); }

    /// @throws DimensionMismatch if A is not square, InvalidParameter if directions < 1, and what the preconditioner's
    /// factory throws
    Gcr(Executor exec, Parameters parameters, LinOpPtr<V> matrix);

    std::string name() const override { return "Gcr"; }
    size_type directions() const { return directions_; }

protected:
    std::unique_ptr<SolverWorkspace<V>> make_workspace(const Executor& exec, size_type num_rhs) const override;
    void start(Dense<V>& x, SolverWorkspace<V>& w) const override;
    void step(Dense<V>& x, SolverWorkspace<V>& w) const override;

private:
    size_type directions_;
    bool truncated_;
};

}  // namespace linden
