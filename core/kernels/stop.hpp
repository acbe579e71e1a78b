#pragma once

#include <linden/stop/stop.hpp>
#include <linden/views.hpp>

#include "core/base/host_device.hpp"
#include "core/base/kernel.hpp"
#include "core/base/math.hpp"
#include "core/base/type_lists.hpp"

/// The stopping rule on the executor: its state, the rule itself (shared by all backends) and its kernels.
namespace linden {

/// The deadline of a solve that an observer has ended: the beginning of the clock.
inline constexpr std::int64_t ended_deadline = 1;

/// The part of the state that all columns share.
struct StopHeader {
    std::int32_t running;  ///< number of columns still running: the flag of the loop
    std::int32_t unused;
    std::int64_t max_iterations;
    std::int64_t deadline;  ///< on the backend's clock, in nanoseconds; 0: none
    std::int64_t stagnation_iterations;
    std::int64_t history_capacity;  ///< in iterations
};

/// The stopping state of k columns in an executor's memory.
template <class R>
struct StopView {
    size_type cols = 0;
    StopHeader* header = nullptr;
    SolveStatus* status = nullptr;       // k
    std::int64_t* iterations = nullptr;  // k: iterations of the column
    R* residual = nullptr;               // k: ||r|| of the recurrence
    R* tolerance = nullptr;              // k: converged at ||r|| <= tolerance
    R* limit = nullptr;                  // k: diverged at ||r|| > limit
    R* best = nullptr;                   // k: smallest ||r|| so far
    std::int64_t* best_iteration = nullptr;
    R* history = nullptr;                 // history_capacity x k, row-major; row j: residuals after j iterations
    const std::int64_t* clock = nullptr;  // the time that all ranks go by; null: the own clock

    LINDEN_HOST_DEVICE bool is_running(size_type col) const { return status[col] == SolveStatus::running; }
};

/// The number of columns that run.
template <class R>
LINDEN_HOST_DEVICE inline std::int32_t num_running(const StopView<R>& stop)
{
    std::int32_t running = 0;
    for (size_type col = 0; col < stop.cols; ++col) {
        running += stop.is_running(col);
    }
    return running;
}

/// Counts an iteration of one column if it runs, and applies the rule to its residual norm `norm`.
/// Returns whether it still runs. Columns count for themselves: they may stop, and be taken up again, one by one.
template <class R>
LINDEN_HOST_DEVICE inline bool check_column(const StopView<R>& s, size_type col, R norm, std::int64_t now)
{
    // A device waits for memory once if all that is read is read before anything is written.
    const StopHeader rule = *s.header;
    const std::int64_t iteration = s.iterations[col] + 1;
    const R tolerance = s.tolerance[col];
    const R limit = s.limit[col];
    const R best = s.best[col];
    const std::int64_t best_iteration = norm < best ? iteration : s.best_iteration[col];
    if (!s.is_running(col)) {
        return false;
    }
    SolveStatus status = SolveStatus::running;
    if (!is_finite(norm)) {
        status = SolveStatus::not_a_number;  // first: an infinite tolerance, too, comes from infinite data
    } else if (norm <= tolerance) {
        status = SolveStatus::converged;
    } else if (norm > limit) {
        status = SolveStatus::diverged;
    } else if (iteration >= rule.max_iterations) {
        status = SolveStatus::max_iterations;
    } else if (rule.deadline != 0 && now >= rule.deadline) {
        status = SolveStatus::time;
    } else if (rule.stagnation_iterations != 0 && iteration - best_iteration >= rule.stagnation_iterations) {
        status = SolveStatus::stagnated;
    }
    s.iterations[col] = iteration;
    s.residual[col] = norm;
    if (iteration < rule.history_capacity) {
        s.history[iteration * s.cols + col] = norm;
    }
    s.best[col] = norm < best ? norm : best;
    s.best_iteration[col] = best_iteration;
    s.status[col] = status;
    return status == SolveStatus::running;
}

/// Ends an iteration of the running columns: `check_column` for each. `norm(col)` gives the residual norms.
template <class R, class Norm>
LINDEN_HOST_DEVICE inline void end_iteration(const StopView<R>& s, std::int64_t now, Norm norm)
{
    std::int32_t running = 0;
    for (size_type col = 0; col < s.cols; ++col) {
        running += check_column(s, col, static_cast<R>(norm(col)), now);
    }
    s.header->running = running;
}

/// What `stop_initialize` needs to know of a `Stop`, as a trivial struct.
struct StopRule {
    std::int64_t max_iterations;
    double relative_residual;
    double absolute_residual;
    Baseline baseline;
    std::int64_t time_limit;  ///< nanoseconds; 0: none
    double divergence;
    std::int64_t stagnation_iterations;
    std::int64_t history_capacity;
};

/// Starts the rule: tolerances from the norms of b and of r0 (k each), then the check of iteration 0.
/// A zero baseline is replaced by ||r0||, so that b = 0 with x0 != 0 can converge.
/// The state's arrays have room for k columns; everything in them is overwritten.
template <class R>
inline constinit kernel<void(StopRule rule, const R* b_norms, const R* r_norms, StopView<R> stop)> stop_initialize{
    "stop::initialize", types_of<R>};

/// Takes a stopped iteration up again from new true residual norms (k): columns that are not at their tolerance and
/// whose status is `converged`, or with after_breakdown also `breakdown`, run again; iteration count, limits and
/// history stay.
template <class R>
inline constinit kernel<void(const R* r_norms, bool after_breakdown, StopView<R> stop)> stop_resume{"stop::resume",
                                                                                                    types_of<R>};

/// Ends an iteration whose residual norms (k) are given: for solvers whose steps do not check by themselves.
template <class R>
inline constinit kernel<void(const R* r_norms, StopView<R> stop)> stop_check{"stop::check", types_of<R>};

/// The body of stop_initialize, shared by the backends.
template <class R>
LINDEN_HOST_DEVICE inline void initialize_stop(const StopRule& rule, const R* b_norms, const R* r_norms,
                                               const StopView<R>& s, std::int64_t now)
{
    StopHeader& h = *s.header;
    h.max_iterations = rule.max_iterations;
    h.deadline = rule.time_limit == 0 ? 0 : now + rule.time_limit;
    h.stagnation_iterations = rule.stagnation_iterations;
    h.history_capacity = rule.history_capacity;
    h.running = 0;
    for (size_type col = 0; col < s.cols; ++col) {
        const R initial = r_norms[col];
        const R baseline = rule.baseline == Baseline::rhs && b_norms[col] > R{0} ? b_norms[col] : initial;
        const R relative = static_cast<R>(rule.relative_residual) * baseline;
        const R absolute = static_cast<R>(rule.absolute_residual);
        s.tolerance[col] = relative > absolute ? relative : absolute;
        s.limit[col] = static_cast<R>(rule.divergence) * (baseline > initial ? baseline : initial);
        s.best[col] = initial;
        s.best_iteration[col] = 0;
        s.iterations[col] = -1;  // the start is iteration 0
        s.status[col] = SolveStatus::running;
        h.running += check_column(s, col, initial, now);
    }
}

/// The body of stop_resume, shared by the backends.
template <class R>
LINDEN_HOST_DEVICE inline void resume_stop(const R* r_norms, bool after_breakdown, const StopView<R>& s)
{
    s.header->running = 0;
    for (size_type col = 0; col < s.cols; ++col) {
        const bool may_go_on =
            s.status[col] == SolveStatus::converged || (after_breakdown && s.status[col] == SolveStatus::breakdown);
        if (may_go_on && r_norms[col] > s.tolerance[col]) {
            s.status[col] = SolveStatus::running;
            s.residual[col] = r_norms[col];
        }
        s.header->running += s.is_running(col);
    }
}

}  // namespace linden
