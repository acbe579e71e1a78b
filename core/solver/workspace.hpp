#pragma once

#include <linden/matrix/dense.hpp>
#include <linden/solver/solver.hpp>

#include <functional>
#include <vector>

#include "core/kernels/reduction.hpp"
#include "core/kernels/stop.hpp"
#include "core/solver/observation.hpp"
#include "core/solver/stop_state.hpp"

namespace linden {

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
    /// Sums are those of all rows that the communicator's ranks hold, and all stop by one clock.
    void sum_over(const Communicator& communicator)
    {
        reduction.sum_over(communicator);
        stop.go_by(reduction.clock());
    }
    /// The number of running columns, in the executor's memory.
    std::int32_t* running_flag() { return &stop.view().header->running; }
    /// Called when the loop has ended: completes the last step.
    virtual void finish(Dense<V>&) {}
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
    bool looks_for_zero = false;            // a product less where an x to begin with is 0 on a host
    Observation<V>* observation = nullptr;  // of the solve in progress, if it has an observer
};

}  // namespace linden
