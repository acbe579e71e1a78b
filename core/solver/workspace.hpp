#pragma once

#include <linden/matrix/dense.hpp>
#include <linden/solver/solver.hpp>

#include <functional>
#include <vector>

#include "core/kernels/reduction.hpp"
#include "core/kernels/stop.hpp"

namespace linden {

/// The stopping state of k columns: one allocation on the executor and its view.
template <class R>
class StopState {
public:
    StopState(const Executor& exec, size_type cols)
        : header_(exec, 1),
          status_(exec, cols),
          counts_(exec, 2 * cols),
          norms_(exec, 4 * cols),
          history_(exec),
          cols_(cols)
    {
    }

    /// Makes room for `rows` rows of history.
    void keep_history(size_type rows) { history_.resize(rows * cols_); }
    size_type history_rows() const { return cols_ == 0 ? 0 : history_.size() / cols_; }
    const Array<R>& history() const { return history_; }

    StopView<R> view()
    {
        StopView<R> v;
        v.cols = cols_;
        v.header = header_.data();
        v.status = status_.data();
        v.iterations = counts_.data();
        v.best_iteration = counts_.data() + cols_;
        v.residual = norms_.data();
        v.tolerance = norms_.data() + cols_;
        v.limit = norms_.data() + 2 * cols_;
        v.best = norms_.data() + 3 * cols_;
        v.history = history_.data();
        return v;
    }

    const Array<StopHeader>& header() const { return header_; }
    const Array<SolveStatus>& status() const { return status_; }
    Array<SolveStatus>& status() { return status_; }
    /// iterations, then best iterations
    const Array<std::int64_t>& counts() const { return counts_; }
    /// residuals, tolerances, limits, best residuals
    const Array<R>& norms() const { return norms_; }

private:
    Array<StopHeader> header_;
    Array<SolveStatus> status_;
    Array<std::int64_t> counts_;
    Array<R> norms_;
    Array<R> history_;
    size_type cols_;
};

/// The workspace of every solver for k right-hand sides; solvers derive from it and add their vectors.
template <class V>
struct SolverWorkspace {
    SolverWorkspace(const Executor& exec, size_type rows, size_type cols, size_type sums_per_column = 2)
        : r(exec, {rows, cols}),
          b_norms(exec, cols),
          r_norms(exec, cols),
          stop(exec, cols),
          reduction(ReductionWorkspace::for_values<V>(exec, sums_per_column * cols)),
          loop(exec),
          reordered_b(exec, {}),
          reordered_x(exec, {})
    {
    }
    virtual ~SolverWorkspace() = default;

    size_type cols() const { return r.size().cols; }
    /// The number of running columns, in the executor's memory.
    std::int32_t* running_flag() { return &stop.view().header->running; }
    /// Adds details that are specific to a solver.
    virtual void add_details(std::vector<ColumnResult>&) const {}

    Dense<V> r;                   // the residual
    const Dense<V>* b = nullptr;  // the right-hand sides of the solve in progress
    Array<real_t<V>> b_norms;
    Array<real_t<V>> r_norms;
    StopState<real_t<V>> stop;
    ReductionWorkspace reduction;
    std::vector<bool> decided;  // columns that a custom criterion has ended
    Loop loop;
    Dense<V> reordered_b;  // the right-hand sides and the solution in the ordering of the preconditioner; else empty
    Dense<V> reordered_x;
    /// Called after each iteration if set. A step of several iterations calls it after each of them.
    std::function<void()> after_iteration;
    bool step_reports_iterations = false;
};

}  // namespace linden
