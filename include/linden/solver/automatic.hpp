#pragma once

#include <linden/solver/solver.hpp>

#include <memory>
#include <string>
#include <vector>

namespace linden {

namespace detail {
template <class V>
class MethodQueue;
}  // namespace detail

/// A method that Automatic tried.
struct AutomaticAttempt {
    std::string solver;          ///< as `--solver` takes it
    std::string preconditioner;  ///< as `--preconditioner` takes it, `none` if there is none
    std::string json;            ///< the factory, as `config::parse_factory` takes it
    std::string format = "csr";  ///< of products, as `--format` takes it: csr or auto
    double set_up_seconds = 0;
    double solve_seconds = 0;  ///< of the last solve
    SolveStatus status = SolveStatus::running;
    size_type iterations = 0;
    double relative_residual = 0;
    std::string outcome;  ///< why it was left, in words; empty for the method in use
};

/// What Automatic saw and did.
struct LINDEN_EXPORT AutomaticReport {
    std::string matrix;  ///< what of the matrix the choice depends on
    double look_seconds = 0;
    std::vector<AutomaticAttempt> attempts;  ///< in order; the last one is in use

    /// A few lines.
    std::string text() const;
};

/// Chooses a method for the matrix. What the matrix looks like decides in which order methods are tried; the order
/// comes from a table of measurements. A method that fails, stagnates or would take longer than the next one is left,
/// and the next one starts from the best x so far. The last resort is Lu. Later solves, also those with new values,
/// start with the method that was found.
///
/// A distributed::Matrix is judged as a whole. Its methods are those that work over ranks: multigrid, `Schwarz`, and as
/// the last resort `Gathered`. Construction, `solve` and `update_values` are then collective, and all ranks make the
/// same choice. With reproducible sums only `Jacobi` and `Gathered` are tried, and a method is left only if it fails.
///
/// Set-ups are made when they are needed: the first by the constructor, others by `solve`. Results are deterministic,
/// except where a method is left because of its speed. `preconditioner()` is null; the preconditioner of the method in
/// use is `chosen()->preconditioner()`.
template <class V>
class LINDEN_EXPORT Automatic : public Solver<V> {
public:
    static constexpr std::string_view type_name = "Automatic";

    struct Parameters {
        Stop stop{};
        /// Seconds that a method may take before its rate is judged. 0: a fifth of the time that the next method
        /// typically takes, but at least 0.3 ms.
        double patience = 0;

        void describe(ParameterVisitor& v);
    };

    static Factory<Automatic> factory(Parameters parameters = {}) { return Factory<Automatic>(std::move(parameters)); }

    /// @throws NotSupported if the matrix is neither a Csr nor a distributed::Matrix, DimensionMismatch if it is not
    /// square, InvalidParameter; what the set-up of the last method throws if none has succeeded; RemoteError
    Automatic(Executor exec, Parameters parameters, LinOpPtr<V> matrix);
    ~Automatic() override;

    std::string name() const override { return "Automatic"; }
    void update_values(LinOpPtr<V> matrix) override;
    bool is_capturable() const override { return false; }

    /// The solver in use.
    std::shared_ptr<const Solver<V>> chosen() const;
    AutomaticReport report() const;

protected:
    SolveResult solve_here(const Dense<V>& b, Dense<V>& x, const SolveOptions& options) const override;
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;

    /// Never called: the solver in use iterates.
    std::unique_ptr<SolverWorkspace<V>> make_workspace(const Executor& exec, size_type num_rhs) const override;
    void start(Dense<V>& x, SolverWorkspace<V>& w) const override;
    void step(Dense<V>& x, SolverWorkspace<V>& w) const override;

private:
    double patience_;
    std::unique_ptr<detail::MethodQueue<V>> queue_;
};

}  // namespace linden
