#pragma once

#include <linden/solver/solver.hpp>

namespace linden {

/// Richardson's iteration x := x + relaxation M^-1 (b - A x), and with M all stationary methods: with Jacobi it is
/// (damped) Jacobi's, with Ssor it is Gauss-Seidel's, SOR and their symmetric forms. [Saad03, 4.1, 4.2.1]
///
/// It converges where the spectral radius of I - relaxation M^-1 A is less than 1. As a smoother it does k iterations:
/// `stop.max_iterations` = k and no tolerance, `stop.relative_residual` = 0. `apply`, which starts from x = 0, then
/// takes k applications of M^-1 and k - 1 of A, and looks at no residual, not even for `stop.divergence`.
template <class V>
class LINDEN_EXPORT Richardson : public Solver<V> {
public:
    static constexpr std::string_view type_name = "Richardson";

    struct Parameters {
        Stop stop{};
        FactoryPtr<V> preconditioner{};
        double relaxation = 1;  ///< greater than 0

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
    std::unique_ptr<Smoothing> smoothing_;  ///< what `apply` keeps where it does not need to watch residuals
};

}  // namespace linden
