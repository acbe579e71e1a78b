#pragma once

#include <linden/types.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

/// Stopping rules of iterative solvers, and the status of a solve.
namespace linden {

class ParameterVisitor;

enum class SolveStatus : std::int32_t {
    running = 0,
    converged,       ///< the true residual meets the tolerance
    max_iterations,  ///< the iteration limit was reached
    time,            ///< the time limit was reached
    breakdown,       ///< the method would divide by zero and cannot continue
    diverged,        ///< the residual exceeded `divergence` times the larger of baseline and initial residual
    stagnated,       ///< no further progress, in the recurrence or in the true residual
    not_a_number,    ///< an infinite or NaN value occurred
    interrupted      ///< an observer ended the solve; see SolveObserver
};

constexpr std::string_view name(SolveStatus s)
{
    constexpr std::string_view names[] = {"running",  "converged", "max_iterations", "time",       "breakdown",
                                          "diverged", "stagnated", "not_a_number",   "interrupted"};
    return names[static_cast<int>(s)];
}

/// The norm that relative residuals refer to: ||b|| or ||r0||.
enum class Baseline : std::int32_t { rhs, initial_residual };

/// The state of a solve after an iteration, for criteria and observers; spans have one element per column.
struct IterationInfo {
    size_type iteration;
    std::span<const double> residual_norms;
    std::span<const double> tolerances;
    std::span<const SolveStatus> statuses;
};

/// A user-defined stopping criterion, checked on the host after each iteration. It makes a GPU wait for the host in
/// each iteration, which the built-in criteria do not.
class LINDEN_EXPORT StoppingCriterion {
public:
    virtual ~StoppingCriterion() = default;
    /// Returns `SolveStatus::running` to continue. Any other value ends the solve with that status, even `converged`
    /// regardless of the residual.
    virtual SolveStatus check(const IterationInfo& info) = 0;
};

/// Watches a solve from the host, about every 50 ms, and may end it.
///
/// On hosts the thread that solves calls it between iterations, the first time after the first iteration. On devices
/// another thread calls it, which looks at the solve through a stream of its own (in solves by Automatic for the first
/// time after 0.5 ms). The recorded loop of the device goes on meanwhile, so the numbers may be some iterations old and
/// need not all belong to the same iteration. A StoppingCriterion, in contrast, makes the device wait.
///
/// It is not called in a solve that ends before it can look, nor on a device while kernels are inspected (see
/// validate).
class LINDEN_EXPORT SolveObserver {
public:
    virtual ~SolveObserver() = default;
    /// Returns whether to go on. If false, columns that still run end as `interrupted` at the end of their iteration,
    /// with the x that they have reached. Two things run to their end all the same: a set-up, and a solve in one kernel
    /// of a thread block cluster, which takes some milliseconds.
    virtual bool observe(const IterationInfo& info) = 0;
};

/// The stopping rule of an iterative solver. A column stops when the first of these criteria holds.
struct LINDEN_EXPORT Stop {
    size_type max_iterations = 10000;
    double relative_residual = 1e-6;  ///< stop at ||r|| <= relative_residual * baseline
    double absolute_residual = 0;     ///< stop at ||r|| <= absolute_residual
    Baseline baseline = Baseline::rhs;
    double max_seconds = 0;               ///< time limit in seconds; 0: none
    double divergence = 1e12;             ///< stop at ||r|| > divergence * max(baseline, ||r0||)
    size_type stagnation_iterations = 0;  ///< stop after this many iterations without a new minimum of ||r||; 0: never
    std::vector<std::shared_ptr<StoppingCriterion>> custom{};  ///< checked after the criteria above

    void describe(ParameterVisitor& v);
};

}  // namespace linden
