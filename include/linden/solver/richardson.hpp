#pragma once

#include <linden/solver/solver.hpp>

namespace linden {

/// The preconditioned Richardson iteration x := x + relaxation M^-1 (b - A x). The preconditioner M makes it a
/// stationary method: (damped) Jacobi with Jacobi; Gauss-Seidel, SOR and their symmetric forms with Ssor.
/// [Saad03, 4.1, 4.2.1]
///
/// It converges if the spectral radius of I - relaxation M^-1 A is less than 1. For a smoother of k iterations, set
/// `stop.max_iterations` = k and `stop.relative_residual` = 0. `apply`, which starts from x = 0, then takes k
/// applications of M^-1 and k - 1 of A, and checks no residual, not even for `stop.divergence`.
template <class V>
class LINDEN_EXPORT Richardson : public Solver<V> {
public:
    static constexpr std::string_view type_name = "Richardson";

    struct Parameters {
        Stop stop{};
        FactoryPtr<V> preconditioner{};
        double relaxation = 1;  ///< damping factor of the corrections, greater than 0

        void describe(ParameterVisitor& v);
    };

    static Factory<Richardson> factory(Parameters parameters = {})
    {
        return Factory<Richardson>(std::move(parameters));
    }

    /// @throws DimensionMismatch if A is not square, InvalidParameter, and what the preconditioner's factory throws
    Richardson(Executor exec, Parameters parameters, LinOpPtr<V> matrix);
    ~Richardson() override;

    std::string name() const override { return "Richardson"; }
    bool is_capturable() const override;

protected:
    std::unique_ptr<SolverWorkspace<V>> make_workspace(const Executor& exec, size_type num_rhs) const override;
    void start(Dense<V>& x, SolverWorkspace<V>& w) const override;
    void step(Dense<V>& x, SolverWorkspace<V>& w) const override;
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;

private:
    struct Smoothing;
    bool has_no_tolerance() const;

    V relaxation_;
    std::unique_ptr<Smoothing> smoothing_;  ///< workspace of `apply` without a tolerance
};

}  // namespace linden
