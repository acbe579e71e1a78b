#pragma once

#include <linden/config/config.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/multigrid/amg.hpp>
#include <linden/preconditioner/incomplete_factorization.hpp>
#include <linden/solver/solver.hpp>
#include <linden/stopwatch.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/commands.hpp"
#include "tools/report.hpp"

/// Solving and measuring.
///
/// Times are medians over the repetitions, each on the clock of the executor's device, after a warm-up: one
/// setup, and on the solver that the timed solves use one solve cut off after a few iterations. Timed solves keep no
/// history and show nothing.
///
/// What an iteration costs (launches, synchronisations, allocations) is the difference between two further solves that
/// are cut off after i and 2 i iterations, divided by i; so everything that a solve does once drops out. Both are cut
/// off before convergence, and i is at most 60, which whole cycles of the usual lengths divide. They are no part of the
/// timed solves, since these may converge anywhere in a cycle and take the iteration up again.
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
    int repeat = 1;  ///< timed set-ups and solves; with 0 one of each is done, and nothing measured
    bool history = false;
    /// Watches a solve that is not timed; may be empty.
    std::shared_ptr<StoppingCriterion> watcher = {};
    /// Is told which timed run comes next, 0 for none any more.
    std::function<void(int)> before_run = {};
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
};

/// What a preconditioner met when it was made.
template <class V>
std::string remark_on(const LinOp<V>* preconditioner)
{
    const auto* const factors = dynamic_cast<const IncompleteFactorization<V>*>(preconditioner);
    const size_type bad = factors == nullptr ? 0 : factors->num_bad_pivots();
    if (factors != nullptr && factors->has_found_shift()) {
        return factors->name() + " took shift=" + exact(factors->shift()) +
               ", the first for which all pivots are positive";
    }
    return bad == 0 ? ""
                    : factors->name() + " replaced " + std::to_string(bad) +
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
          x_(operands.b.executor(), operands.b.size())
    {
    }

    Measured<V> run(const MeasureOptions& options)
    {
        const auto& exec = operands_.matrix->executor();
        std::vector<double> setup_times, solve_times;
        SolveResult observed;
        const bool observe = options.history || options.watcher != nullptr || options.repeat == 0;

        setup();  // warms up
        if (observe) {
            SolveOptions watched{.history = options.history};
            if (options.watcher != nullptr) {
                watched.criteria = {options.watcher};
            }
            observed = solve(watched);
        }
        const auto* const multigrid = dynamic_cast<const Amg<V>*>(solver().preconditioner().get());
        const auto levels = multigrid == nullptr ? std::nullopt : std::optional(multigrid->report());
        if (options.repeat == 0) {
            Measured<V> unmeasured{std::move(observed), x_.copy()};
            unmeasured.multigrid = levels;
            return unmeasured;
        }
        for (int i = 0; i < options.repeat; ++i) {
            solver_ = nullptr;
            exec.reset_peak();
            setup_times.push_back(timed(exec, [&] { setup(); }));
        }
        solve({.max_iterations = std::min(warm_up_iterations, solver().stop().max_iterations)});
        SolveResult result;
        for (int i = 0; i < options.repeat; ++i) {
            options.before_run(i + 1);
            reset_x();
            solve_times.push_back(timed(exec, [&] { result = solver().solve(operands_.b, x_); }));
        }
        options.before_run(0);
        const auto peak_bytes = exec.counters().peak_bytes;
        Measured<V> measured{observe ? std::move(observed) : std::move(result), x_.copy()};
        measured.peak_bytes = peak_bytes;
        measured.setup_seconds = median(std::move(setup_times));
        measured.solve_seconds = median(std::move(solve_times));
        measured.multigrid = levels;
        measured.remark = remark_on(solver().preconditioner().get());
        count_per_iteration(measured);
        return measured;
    }

private:
    static constexpr size_type warm_up_iterations = 10;
    static constexpr size_type counted_iterations = 60;

    const Solver<V>& solver() const { return static_cast<const Solver<V>&>(*solver_); }

    void setup()
    {
        solver_ = factory_.make(operands_.matrix);
        if (dynamic_cast<const Solver<V>*>(solver_.get()) == nullptr) {
            throw UsageError(factory_.type() + " is not an iterative solver");
        }
    }

    void reset_x()
    {
        if (operands_.x0) {
            x_.copy_from(*operands_.x0);
        } else {
            x_.fill(V{});
        }
    }

    SolveResult solve(const SolveOptions& options)
    {
        reset_x();
        return solver().solve(operands_.b, x_, options);
    }

    ExecutorCounters cost_of(size_type iterations)
    {
        const auto before = x_.executor().counters();
        solve({.max_iterations = iterations});
        auto cost = x_.executor().counters();
        cost.kernel_launches -= before.kernel_launches;
        cost.host_synchronizations -= before.host_synchronizations;
        cost.allocations -= before.allocations;
        return cost;
    }

    void count_per_iteration(Measured<V>& measured)
    {
        const auto n = measured.result.iterations();
        if (n == 0) {
            return;
        }
        const auto few = std::min((n - 1) / 2, counted_iterations);
        const auto many = std::max<size_type>(2 * few, 1);
        const auto low = cost_of(few);
        const auto high = cost_of(many);
        const auto rate = [&](std::uint64_t a, std::uint64_t b) {
            return (static_cast<double>(b) - static_cast<double>(a)) / static_cast<double>(many - few);
        };
        measured.launches_per_iteration = rate(low.kernel_launches, high.kernel_launches);
        measured.synchronizations_per_iteration = rate(low.host_synchronizations, high.host_synchronizations);
        measured.allocations_per_iteration = rate(low.allocations, high.allocations);
    }

    const LinOpFactory<V>& factory_;
    const Operands<V>& operands_;
    Dense<V> x_;
    std::unique_ptr<LinOp<V>> solver_;
};

}  // namespace linden::tool
