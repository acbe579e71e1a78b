#pragma once

#include <linden/solver/solver.hpp>

namespace linden {

/// IDR(s), induced dimension reduction with biorthogonal directions, for nonsingular A, preconditioned from the right.
/// [VanGijzenSonneveld11; SonneveldVanGijzen08]
///
/// Residuals lie in spaces G_0, G_1, ... whose dimension falls by s with each cycle of s + 1 products; in exact
/// arithmetic n + n / s products suffice. IDR(1) is BiCGStab in other formulas. A larger s comes closer to GMRES, at
/// the price of 3 s vectors. An iteration has one product with A and one with M^-1, as in GMRES, which is half an
/// iteration of BiCGStab. The s shadow vectors are random numbers from a fixed seed, equal on all executors. A column
/// breaks down if a direction is orthogonal to its shadow vector, or if A M^-1 r vanishes; `solve` then restarts it
/// from its residual, as long as each restart completes iterations.
template <class V>
class LINDEN_EXPORT Idr : public Solver<V> {
public:
    static constexpr std::string_view type_name = "Idr";

    struct Parameters {
        Stop stop{};
        FactoryPtr<V> preconditioner{};
        /// At most n are used. The workspace takes 3 s + 2 vectors per right-hand side, two more with a preconditioner.
        size_type s = 4;
        double kappa = 0.7;

        void describe(ParameterVisitor& v);
    };

    static Factory<Idr> factory(Parameters parameters = {}) { return Factory<Idr>(std::move(parameters)); }

    /// @throws DimensionMismatch if A is not square, InvalidParameter if s < 1 or kappa is not in [0, 1), and what the
    /// preconditioner's factory throws
    Idr(Executor exec, Parameters parameters, LinOpPtr<V> matrix);

    std::string name() const override { return "Idr"; }

protected:
    std::unique_ptr<SolverWorkspace<V>> make_workspace(const Executor& exec, size_type num_rhs) const override;
    void start(Dense<V>& x, SolverWorkspace<V>& w) const override;
    void step(Dense<V>& x, SolverWorkspace<V>& w) const override;
    bool restarts_after_breakdown() const override { return true; }

private:
    size_type s_;
    double kappa_;
};

}  // namespace linden
