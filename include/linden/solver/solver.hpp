#pragma once

#include <linden/factory.hpp>
#include <linden/reordered.hpp>
#include <linden/stop/stop.hpp>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace linden {

/// What became of one right-hand side.
struct ColumnResult {
    SolveStatus status = SolveStatus::running;
    size_type iterations = 0;
    double initial_residual = 0;  ///< ||b - A x0||
    double residual = 0;          ///< ||b - A x||, recomputed from x at the end
    double rhs_norm = 0;          ///< ||b||
    double tolerance = 0;         ///< what `residual` had to come down to
    /// BiCGStab has stopped in the middle of its last iteration. Papers that count halves report iterations - 0.5 then.
    bool half_step = false;
    /// ||b - A x|| / ||b||, or the residual itself where b = 0.
    double relative_residual() const { return rhs_norm > 0 ? residual / rhs_norm : residual; }
};

/// What became of a solve; the columns in the order of the right-hand sides.
struct LINDEN_EXPORT SolveResult {
    std::vector<ColumnResult> columns;
    /// Row j: the residual norms of the columns after j iterations; empty unless asked for.
    std::vector<std::vector<double>> history;

    /// converged if every column is, else the status of the first that is not.
    SolveStatus status() const;
    bool converged() const { return status() == SolveStatus::converged; }
    /// The most that a column took.
    size_type iterations() const;
    /// The largest of the columns.
    double relative_residual() const;
    /// A sentence that says how it went and, if not well, what may help.
    std::string reason() const;
};

/// What one solve does differently from the next.
struct SolveOptions {
    bool history = false;           ///< keep the residual norms of every iteration
    size_type max_iterations = -1;  ///< in place of the stopping rule's; negative: as there
    /// Asked in this solve only, after those of the stopping rule.
    std::vector<std::shared_ptr<StoppingCriterion>> criteria = {};
};

template <class V>
struct SolverWorkspace;

/// An iterative solver for A x = b: the operator A^-1, approximately.
///
/// `solve` starts from the given x and reports. `apply` (x := A^-1 b, as in a preconditioner) starts from x = 0 and is
/// silent. Both may be called from several threads at once, each call with a workspace of its own.
template <class V>
class LINDEN_EXPORT Solver : public LinOp<V> {
public:
    /// Improves x until the stopping rule holds.  b and x: n x k; columns stop one by one.
    /// The status is about the true residual: where rounding has separated it from the recurrence, the iteration is
    /// taken up again from the true residual, or ends as `stagnated` when that no longer helps.
    /// @throws DimensionMismatch, OutOfMemory, InvalidParameter if x is b; x is valid then, but may have changed
    SolveResult solve(const Dense<V>& b, Dense<V>& x, const SolveOptions& options = {}) const;

    const LinOpPtr<V>& matrix() const { return matrix_; }
    /// Null if there is none.
    std::shared_ptr<const LinOp<V>> preconditioner() const { return preconditioner_; }
    const Stop& stop() const { return stop_; }
    /// Bytes that a solve with `num_rhs` right-hand sides keeps on the executor.
    size_type workspace_bytes(size_type num_rhs) const;

    /// Takes over new values of the matrix; refreshes the preconditioner too.
    void update_values(LinOpPtr<V> matrix) override;
    bool is_capturable() const override;

    ~Solver() override;

protected:
    Solver(Executor exec, Stop stop, FactoryPtr<V> preconditioner, LinOpPtr<V> matrix);

    /// For solvers with an ordering of their own, at construction.
    void iterate_in(ReorderedSystem<V> system) { system_ = std::move(system); }
    /// The matrix and the preconditioner of the iteration: in the ordering of the preconditioner, where it has one.
    const LinOp<V>& iteration_matrix() const { return system_.matrix == nullptr ? *matrix_ : *system_.matrix; }
    /// Null if there is none.
    const LinOp<V>* iteration_preconditioner() const
    {
        return system_.matrix == nullptr ? preconditioner_.get() : system_.preconditioner.get();
    }

    /// Blocks and scalars for k right-hand sides, on `exec`.
    virtual std::unique_ptr<SolverWorkspace<V>> make_workspace(const Executor& exec, size_type num_rhs) const = 0;
    /// Prepares the first step from the residual in `w.r`, whose norms are in the stopping state.
    virtual void start(Dense<V>& x, SolverWorkspace<V>& w) const = 0;
    /// One iteration (or a whole cycle, for solvers that restart), up to the stopping rule. Launches kernels and
    /// applies operators, nothing else: a device records it once and replays it. Columns that have stopped are left
    /// alone.
    virtual void step(Dense<V>& x, SolverWorkspace<V>& w) const = 0;

    /// Does all steps at once where a solver has a way that is faster for this system; false where it has none.
    virtual bool run_at_once(Dense<V>&, SolverWorkspace<V>&) const { return false; }

    /// Whether a column that has broken down may start again from its residual, if it has gained iterations since it
    /// started last.
    virtual bool restarts_after_breakdown() const { return false; }

    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;

private:
    class Lease;
    enum class Guess { given, zero };
    bool is_reordered() const { return system_.matrix != nullptr; }
    std::unique_ptr<SolverWorkspace<V>> new_workspace(const Executor& exec, size_type num_rhs) const;
    bool step_is_capturable() const;
    void compute_residual(const Dense<V>& b, const Dense<V>& x, SolverWorkspace<V>& w) const;
    void initialize(const Dense<V>& b, const Dense<V>& x, Guess guess, SolverWorkspace<V>& w,
                    const SolveOptions& options) const;
    void iterate(Dense<V>& x, SolverWorkspace<V>& w, const SolveOptions& options) const;
    void ask_custom_criteria(SolverWorkspace<V>& w, const SolveOptions& options) const;
    SolveResult solve_here(const Dense<V>& b, Dense<V>& x, const SolveOptions& options) const;
    SolveResult solve_in(SolverWorkspace<V>& w, const Dense<V>& b, Dense<V>& x, const SolveOptions& options) const;

    LinOpPtr<V> matrix_;
    std::shared_ptr<LinOp<V>> preconditioner_;
    ReorderedSystem<V> system_;
    Stop stop_;
    std::uintptr_t generation_ = 0;  // counts updates, since captured loops hold addresses

    mutable std::mutex mutex_;
    mutable std::vector<std::unique_ptr<SolverWorkspace<V>>> idle_workspaces_;
};

}  // namespace linden
