#pragma once

#include <linden/factory.hpp>
#include <linden/reordered.hpp>
#include <linden/stop/stop.hpp>

#include <memory>
#include <string>
#include <vector>

namespace linden {

/// The result of one right-hand side.
struct ColumnResult {
    SolveStatus status = SolveStatus::running;
    size_type iterations = 0;
    double initial_residual = 0;  ///< ||b - A x0||
    double residual = 0;          ///< ||b - A x||, recomputed from the final x
    double rhs_norm = 0;          ///< ||b||
    double tolerance = 0;         ///< the value that `residual` had to reach
    /// BiCGStab stopped in the middle of its last iteration; papers that count half iterations report iterations - 0.5.
    bool half_step = false;
    /// x is a least-squares solution: A^H (b - A x) met its tolerance, not the residual.
    bool least_squares = false;
    /// Of direct solvers: x was accepted for its backward error, although the residual did not meet the stopping rule.
    bool by_backward_error = false;
    /// ||b - A x|| / ||b||, or ||b - A x|| if b = 0.
    double relative_residual() const { return rhs_norm > 0 ? residual / rhs_norm : residual; }
};

/// The result of a solve; columns are in the order of the right-hand sides.
struct LINDEN_EXPORT SolveResult {
    std::vector<ColumnResult> columns;
    /// Row j: the residual norms of all columns after j iterations; empty unless requested.
    std::vector<std::vector<double>> history;

    /// `converged` if every column converged, else the status of the first column that did not.
    SolveStatus status() const;
    bool converged() const { return status() == SolveStatus::converged; }
    /// The maximum over the columns.
    size_type iterations() const;
    /// The maximum over the columns.
    double relative_residual() const;
    /// A sentence that describes the outcome and, if a column did not converge, what may help.
    std::string reason() const;
};

/// Options of a single solve.
struct SolveOptions {
    bool history = false;           ///< record the residual norms of every iteration
    size_type max_iterations = -1;  ///< replaces the limit of the stopping rule; negative: no change
    /// Checked in this solve only, after the criteria of the stopping rule.
    std::vector<std::shared_ptr<StoppingCriterion>> criteria = {};
    double max_seconds = -1;  ///< replaces the time limit of the stopping rule; 0: none; negative: no change
    std::shared_ptr<SolveObserver> observer = nullptr;  ///< sees this solve and may end it
};

template <class V>
struct SolverWorkspace;

/// The systems that a solver takes: A x = b with square A, or also rectangular ones, which it solves in the sense of
/// least squares.
enum class SystemShape : bool { square, rectangular };

namespace detail {
template <class T>
class Pool;
}  // namespace detail

/// An iterative solver for A x = b; as an operator, an approximation of A^-1, n x m for an m x n matrix.
///
/// `solve` starts from the given x and returns a SolveResult. `apply` (x := A^-1 b, as a preconditioner) starts from
/// x = 0 and reports nothing. Both may be called from several threads at once; each call has its own workspace.
template <class V>
class LINDEN_EXPORT Solver : public LinOp<V> {
public:
    /// Improves x until the stopping rule holds. b: m x k, x: n x k for an m x n matrix. Each column stops on its own.
    /// Operands on another executor are copied to this one, and x is copied back.
    ///
    /// The status refers to the true residual b - A x. Where rounding has separated it from the residual of the
    /// recurrence, the iteration is resumed from the true residual; if that makes no progress, it ends as `stagnated`.
    ///
    /// If squares of residuals would leave the range of V, because a column of b is very small or very large, the
    /// column is scaled by a power of two during the solve, and observers and criteria see the scaled numbers. With an
    /// absolute_residual nothing is scaled.
    ///
    /// On several ranks `solve` is collective; the observer, the criteria and the clock of rank 0 decide.
    /// @throws DimensionMismatch, OutOfMemory; InvalidParameter if x is b, a criterion is null or ranks ask for
    /// different solves. After an exception x may have changed.
    SolveResult solve(const Dense<V>& b, Dense<V>& x, const SolveOptions& options = {}) const;

    const LinOpPtr<V>& matrix() const { return matrix_; }
    /// Null if there is none.
    std::shared_ptr<const LinOp<V>> preconditioner() const { return preconditioner_; }
    const Stop& stop() const { return stop_; }
    /// Bytes of the workspace of a solve with `num_rhs` right-hand sides, on the executor.
    size_type workspace_bytes(size_type num_rhs) const;

    /// That of the matrix.
    Communicator communicator() const override;

    /// Takes a matrix with the same pattern and new values, and updates the preconditioner.
    void update_values(LinOpPtr<V> matrix) override;
    bool is_capturable() const override;

    ~Solver() override;

protected:
    Solver(Executor exec, Stop stop, FactoryPtr<V> preconditioner, LinOpPtr<V> matrix,
           SystemShape shape = SystemShape::square);

    /// Called at construction by solvers that use an ordering of their own.
    void iterate_in(ReorderedSystem<V> system) { system_ = std::move(system); }
    /// The matrix of the iteration: permuted, if the preconditioner is Reorderable or the solver uses an own ordering.
    const LinOp<V>& iteration_matrix() const { return system_.matrix == nullptr ? *matrix_ : *system_.matrix; }
    /// The preconditioner in the ordering of the iteration; null if there is none.
    const LinOp<V>* iteration_preconditioner() const
    {
        return system_.matrix == nullptr ? preconditioner_.get() : system_.preconditioner.get();
    }

    /// Vectors and scalars for `num_rhs` right-hand sides, on `exec`.
    virtual std::unique_ptr<SolverWorkspace<V>> make_workspace(const Executor& exec, size_type num_rhs) const = 0;
    /// Prepares the first step from the residual in `w.r`, whose norms are in the stopping state.
    virtual void start(Dense<V>& x, SolverWorkspace<V>& w) const = 0;
    /// One iteration (one cycle, for solvers that restart), including the stopping rule. Only launches kernels and
    /// applies operators, so that a device can record it once and replay it. Columns that have stopped do not change.
    virtual void step(Dense<V>& x, SolverWorkspace<V>& w) const = 0;

    /// Runs the whole solve in a persistent kernel if the solver has one that suits this system; false if not.
    virtual bool run_persistent(Dense<V>&, SolverWorkspace<V>&) const { return false; }

    /// Whether a column that broke down is restarted from its residual, provided that it completed iterations since its
    /// last start.
    virtual bool restarts_after_breakdown() const { return false; }
    /// Whether `step` leaves b - A x, formed from x by a product, as the residual with its norms. Else they are formed
    /// again after the last step.
    virtual bool leaves_true_residual() const { return false; }

    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;

    /// `solve` for operands that have the right sizes and are on this executor.
    virtual SolveResult solve_here(const Dense<V>& b, Dense<V>& x, const SolveOptions& options) const;

private:
    using WorkspacePool = detail::Pool<std::unique_ptr<SolverWorkspace<V>>>;
    enum class Guess { given, zero };
    bool is_reordered() const { return system_.matrix != nullptr; }
    std::unique_ptr<SolverWorkspace<V>> new_workspace(const Executor& exec, size_type num_rhs) const;
    auto lease_workspace(size_type num_rhs) const;
    bool step_is_capturable() const;
    void compute_residual(const Dense<V>& b, const Dense<V>& x, SolverWorkspace<V>& w) const;
    void initialize(const Dense<V>& b, const Dense<V>& x, Guess guess, SolverWorkspace<V>& w,
                    const SolveOptions& options) const;
    void iterate(Dense<V>& x, SolverWorkspace<V>& w, const SolveOptions& options) const;
    void ask_custom_criteria(SolverWorkspace<V>& w, const SolveOptions& options) const;
    SolveResult solve_in(SolverWorkspace<V>& w, const Dense<V>& b, Dense<V>& x, const SolveOptions& options,
                         bool is_scaled = false) const;

    LinOpPtr<V> matrix_;
    std::shared_ptr<LinOp<V>> preconditioner_;
    ReorderedSystem<V> system_;
    Stop stop_;
    std::uintptr_t generation_ = 0;  // counts updates; recorded loops hold addresses and must be recorded again

    std::unique_ptr<WorkspacePool> workspaces_;
};

}  // namespace linden
