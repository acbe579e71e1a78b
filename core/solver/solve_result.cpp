#include <linden/parameters.hpp>
#include <linden/solver/solver.hpp>

#include <algorithm>

namespace linden {
namespace {

std::string reason_of_convergence(const SolveResult& result)
{
    const auto& columns = result.columns;
    const auto meets_tolerance = [](const ColumnResult& c) { return c.residual <= c.tolerance; };
    if (std::any_of(columns.begin(), columns.end(), [](const auto& c) { return c.by_backward_error; })) {
        return "the backward error is that of rounding: x solves a system that differs from A and b by no more";
    }
    if (std::all_of(columns.begin(), columns.end(), meets_tolerance)) {
        return "the true residual meets the tolerance";
    }
    return std::any_of(columns.begin(), columns.end(), [](const auto& c) { return c.least_squares; })
               ? "b is not in the range of A; x is a least-squares solution: A^H (b - A x) meets its tolerance"
               : "a user-defined criterion ended the solve as converged";
}

}  // namespace

SolveStatus SolveResult::status() const
{
    const auto failed =
        std::find_if(columns.begin(), columns.end(), [](const auto& c) { return c.status != SolveStatus::converged; });
    return failed == columns.end() ? SolveStatus::converged : failed->status;
}

size_type SolveResult::iterations() const
{
    size_type most = 0;
    for (const auto& c : columns) {
        most = std::max(most, c.iterations);
    }
    return most;
}

double SolveResult::relative_residual() const
{
    double largest = 0;
    for (const auto& c : columns) {
        largest = c.relative_residual() > largest || c.relative_residual() != c.relative_residual()
                      ? c.relative_residual()
                      : largest;
    }
    return largest;
}

std::string SolveResult::reason() const
{
    switch (status()) {
    case SolveStatus::running:
        return "the solve has not ended";
    case SolveStatus::converged:
        return reason_of_convergence(*this);
    case SolveStatus::max_iterations:
        return "the iteration limit was reached; raise max_iterations or use a stronger preconditioner";
    case SolveStatus::time:
        return "the time limit was reached; raise max_seconds, or continue from this x";
    case SolveStatus::breakdown:
        return "the method divided by zero; check that the matrix has the properties that the method needs (GMRES "
               "breaks down only for singular matrices)";
    case SolveStatus::diverged:
        return "the residual grew beyond the divergence limit; check that the method suits the matrix (CG needs one "
               "that "
               "is Hermitian positive definite, and such a preconditioner)";
    case SolveStatus::stagnated:
        return "no further progress: rounding limits the attainable residual (a larger tolerance or a higher precision "
               "helps), or the method stagnates (another preconditioner or method helps)";
    case SolveStatus::not_a_number:
        return "an infinite or NaN value occurred, in the data or in the iteration";
    case SolveStatus::interrupted:
        return "interrupted; x is as the last iteration left it, and a solve can start from it";
    }
    return {};
}

void Stop::describe(ParameterVisitor& v)
{
    static constexpr std::string_view baselines[] = {"rhs", "initial_residual"};
    v("max_iterations", max_iterations, "iteration limit");
    v("relative_residual", relative_residual, "stop at ||r|| <= relative_residual * baseline");
    v("absolute_residual", absolute_residual, "stop at ||r|| <= absolute_residual");
    v.choice("baseline", baseline, baselines, "norm that relative_residual refers to: ||b|| or ||r0||");
    v("max_seconds", max_seconds, "time limit in seconds; 0: none");
    v("divergence", divergence, "stop as diverged at ||r|| > divergence * max(baseline, ||r0||)");
    v("stagnation_iterations", stagnation_iterations,
      "stop as stagnated after this many iterations without a new minimum of ||r||; 0: never");
}

}  // namespace linden
