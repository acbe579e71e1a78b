#pragma once

#include <linden/config/config.hpp>
#include <linden/distributed/communicator.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/multigrid/amg.hpp>
#include <linden/preconditioner/incomplete_factorization.hpp>
#include <linden/solver/solver.hpp>
#include <linden/stopwatch.hpp>

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/config/short_form.hpp"

#include "tools/commands.hpp"
#include "tools/interrupt.hpp"
#include "tools/report.hpp"

/// Solving and measuring.
///
/// The program sets up once and solves once: times, counts, history and solution are those of this one solve. The
/// set-up ends with one iteration from x0, which takes the memory of the method and, on a device, records its loop.
/// What an iteration costs (launches, synchronisations, allocations) is what the solve costs beyond one of no
/// iterations, divided by its iterations: restarts, and what a device runs in vain at the end, are part of it.
///
/// With more than one repetition times are medians, each on the clock of the executor's device, after a warm-up: a
/// set-up that is not timed, and a solve cut off after a few iterations.
namespace linden::tool {

/// A x = b on one executor, with a start for x.
template <class V>
struct Operands {
    LinOpPtr<V> matrix;
    size_type num_nonzeros = 0;
    Dense<V> b;
    std::optional<Dense<V>> x0;  ///< on the host, so that it takes no device's memory; zero if absent
};

/// How one run of the program differs from a plain solve.
struct MeasureOptions {
    int repeat = 1;  ///< timed set-ups and solves
    bool history = false;
    /// Sees every solve; may be empty. What it interrupts is not repeated.
    std::shared_ptr<SolveObserver> watcher = {};
    /// Called once, between the set-ups and the solves; may be empty.
    std::function<void()> when_set_up = {};
};

template <class V>
struct Measured {
    SolveResult result;
    Dense<V> x;
    double setup_seconds = 0;
    double solve_seconds = 0;
    double launches_per_iteration = 0;
    double synchronizations_per_iteration = 0;
    double allocations_per_iteration = 0;
    std::uint64_t peak_bytes = 0;
    std::string remark{};  ///< on the preconditioner; empty if there is none
    std::optional<AmgReport> multigrid{};
    std::optional<AutomaticReport> automatic{};
};

/// What a preconditioner met when it was made.
template <class V>
std::string remark_on(const LinOp<V>* preconditioner)
{
    const auto* const factors = dynamic_cast<const IncompleteFactorization<V>*>(preconditioner);
    const size_type bad = factors == nullptr ? 0 : factors->num_bad_pivots();
    if (factors != nullptr && factors->has_found_shift()) {
        return config::short_name(factors->name()) + " took shift=" + exact(factors->shift()) +
               ", the first for which all pivots are positive";
    }
    return bad == 0 ? ""
                    : config::short_name(factors->name()) + " replaced " + std::to_string(bad) +
                          (bad == 1 ? " pivot that was" : " pivots that were") + " zero or not positive enough, " +
                          (bad == 1 ? "in row " : "the first in row ") + std::to_string(factors->first_bad_row()) +
                          "; a shift may help";
}

template <class F>
double timed(const Executor& exec, F&& f)
{
    Stopwatch watch(exec);
    watch.start();
    f();
    return watch.stop();
}

inline double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    const auto n = values.size();
    return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

/// Solves one system again and again.
template <class V>
class Measurement {
public:
    Measurement(const LinOpFactory<V>& factory, const Operands<V>& operands)
        : factory_(factory),
          operands_(operands),
          x_(operands.b.executor(), {operands.matrix->size().cols, operands.b.size().cols})
    {
    }

    /// Once, since the result takes x.
    Measured<V> run(const MeasureOptions& options)
    {
        const auto& exec = operands_.matrix->executor();
        const bool repeats = options.repeat > 1;
        std::vector<double> setup_times, solve_times;
        Measured<V> measured{{}, Dense<V>(exec, {})};

        if (repeats) {
            setup();
        }
        for (int i = 0; i < options.repeat; ++i) {
            solver_ = nullptr;
            exec.reset_peak();
            setup_times.push_back(timed(exec, [&] {
                setup();
                solve_a_little(1);
            }));
        }
        if (options.when_set_up) {
            options.when_set_up();
        }
        if (repeats) {
            solve_a_little(10);
        }
        const auto timed_solve = [&](const SolveOptions& how, double& seconds) {
            reset_x();
            return cost_of(
                [&] { seconds = timed(exec, [&] { measured.result = solver().solve(operands_.b, x_, how); }); });
        };
        finish_on_signals();
        double seconds = 0;
        const auto idle = timed_solve({.max_iterations = 0}, seconds);
        const SolveOptions watched{.history = options.history,
                                   .max_seconds = remaining_seconds(setup_times.back()),
                                   .observer = options.watcher};
        do {
            const auto cost = timed_solve(watched, seconds);
            solve_times.push_back(seconds);
            set_cost_per_iteration(measured, cost, idle);
        } while (std::ssize(solve_times) < options.repeat && measured.result.status() != SolveStatus::interrupted);
        measured.peak_bytes = exec.counters().peak_bytes;
        measured.setup_seconds = median(std::move(setup_times));
        measured.solve_seconds = median(std::move(solve_times));
        measured.x = std::move(x_);
        if (const auto* const automatic = dynamic_cast<const Automatic<V>*>(solver_.get()); automatic != nullptr) {
            measured.automatic = automatic->report();
            used_ = automatic->chosen();
        }
        const auto* const preconditioner = solver().preconditioner().get();
        if (const auto* const multigrid = dynamic_cast<const Amg<V>*>(preconditioner); multigrid != nullptr) {
            measured.multigrid = multigrid->report();
        }
        measured.remark = remark_on(preconditioner);
        return measured;
    }

    /// The solver of the last run; after it, of Automatic the one in use.
    const Solver<V>& solver() const { return used_ != nullptr ? *used_ : static_cast<const Solver<V>&>(*solver_); }

private:
    void setup()
    {
        used_ = nullptr;
        solver_ = factory_.make(operands_.matrix);
        if (dynamic_cast<const Solver<V>*>(solver_.get()) == nullptr) {
            throw UsageError(factory_.type() + " is not an iterative solver");
        }
    }

    /// What the set-up leaves of the solver's time limit, which is one for both here; negative without a limit. On
    /// several ranks by the clock of rank 0.
    double remaining_seconds(double setup_seconds) const
    {
        const double limit = solver().stop().max_seconds;
        const auto remaining = [&] { return limit > 0 ? std::max(limit - setup_seconds, 1e-6) : -1; };
        return solver().communicator().from_first(remaining);
    }

    void reset_x()
    {
        if (operands_.x0) {
            x_.copy_from(*operands_.x0);
        } else {
            x_.fill(V{});
        }
    }

    void solve_a_little(size_type iterations)
    {
        reset_x();
        solver().solve(operands_.b, x_, {.max_iterations = std::min(iterations, solver().stop().max_iterations)});
    }

    template <class F>
    ExecutorCounters cost_of(F&& f)
    {
        const auto before = x_.executor().counters();
        f();
        auto cost = x_.executor().counters();
        cost.kernel_launches -= before.kernel_launches;
        cost.host_synchronizations -= before.host_synchronizations;
        cost.allocations -= before.allocations;
        return cost;
    }

    static void set_cost_per_iteration(Measured<V>& measured, const ExecutorCounters& cost,
                                       const ExecutorCounters& idle)
    {
        const auto n = measured.result.iterations();
        const auto rate = [&](std::uint64_t a, std::uint64_t b) {
            return n == 0 || a < b ? 0 : static_cast<double>(a - b) / static_cast<double>(n);
        };
        measured.launches_per_iteration = rate(cost.kernel_launches, idle.kernel_launches);
        measured.synchronizations_per_iteration = rate(cost.host_synchronizations, idle.host_synchronizations);
        measured.allocations_per_iteration = rate(cost.allocations, idle.allocations);
    }

    const LinOpFactory<V>& factory_;
    const Operands<V>& operands_;
    Dense<V> x_;
    std::unique_ptr<LinOp<V>> solver_;
    std::shared_ptr<const Solver<V>> used_;
};

}  // namespace linden::tool
