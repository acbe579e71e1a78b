#pragma once

#include <linden/types.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

/// When an iteration stops, and how it went.
namespace linden {

class ParameterVisitor;

enum class SolveStatus : std::int32_t {
    running = 0,
    converged,       ///< the true residual meets the tolerance
    max_iterations,  ///< the iteration limit came first
    time,            ///< the time limit came first
    breakdown,       ///< a division by zero in the method: it cannot go on from here
    diverged,        ///< the residual grew past `divergence` times its start
    stagnated,       ///< no progress any more, in the recurrence or in the true residual
    not_a_number     ///< an infinite or undefined value came up
};

constexpr std::string_view name(SolveStatus s)
{
    constexpr std::string_view names[] = {"running",   "converged", "max_iterations", "time",
                                          "breakdown", "diverged",  "stagnated",      "not_a_number"};
    return names[static_cast<int>(s)];
}

/// What relative residuals are relative to.
enum class Baseline : std::int32_t { rhs, initial_residual };

/// What a criterion of yours gets to see after each iteration; the spans are per column.
struct IterationInfo {
    size_type iteration;
    std::span<const double> residual_norms;
    std::span<const double> tolerances;
    std::span<const SolveStatus> statuses;
};

/// A stopping criterion of your own, asked on the host after each iteration for every solve it is part of.
/// It makes a GPU wait for the host in each iteration; the built-in criteria do not.
class LINDEN_EXPORT StoppingCriterion {
public:
    virtual ~StoppingCriterion() = default;
    /// `SolveStatus::running` to go on; anything else ends the solve with that status, `converged` whatever the
    /// residual.
    virtual SolveStatus check(const IterationInfo& info) = 0;
};

/// The stopping rule of an iterative solver; whatever holds first stops a column.
struct LINDEN_EXPORT Stop {
    size_type max_iterations = 10000;
    double relative_residual = 1e-6;  ///< stop at ||r|| <= relative_residual * baseline
    double absolute_residual = 0;     ///< stop at ||r|| <= absolute_residual
    Baseline baseline = Baseline::rhs;
    double max_seconds = 0;               ///< 0: no limit
    double divergence = 1e12;             ///< stop at ||r|| > divergence * max(baseline, ||r0||)
    size_type stagnation_iterations = 0;  ///< stop after so many iterations without a new smallest residual; 0: never
    std::vector<std::shared_ptr<StoppingCriterion>> custom{};  ///< asked after the rules above

    void describe(ParameterVisitor& v);
};

}  // namespace linden
