#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/solver/automatic.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "core/automatic/method_queue.hpp"
#include "core/automatic/rate_watch.hpp"
#include "core/automatic/reach.hpp"
#include "core/base/check_parameter.hpp"
#include "core/base/executor_state.hpp"
#include "core/distributed/visit_matrix.hpp"
#include "core/kernels/dense.hpp"
#include "core/matrix/square.hpp"
#include "core/solver/workspace.hpp"

// instantiate: class Automatic<V>

namespace linden {
namespace {

std::string milliseconds(double seconds)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.3g ms", 1e3 * seconds);
    return text;
}

/// Of the initial guess and the solves of a call, whichever has the smallest residual, and its x.
template <class V>
class BestSoFar {
public:
    BestSoFar(const Dense<V>& x, bool keeps) : keeps_(keeps), x_(keeps ? x.copy() : Dense<V>(x.executor(), {0, 0})) {}

    /// x and the residuals of the result become those of the smaller residual, which the next solve starts from.
    void choose(SolveResult& result, Dense<V>& x)
    {
        if (!keeps_) {
            return;
        }
        if (residuals_.columns.empty()) {
            residuals_ = result;
            for (auto& column : residuals_.columns) {
                column.residual = column.initial_residual;
            }
        }
        if (result.relative_residual() < residuals_.relative_residual()) {
            residuals_ = result;
            x_ = x.copy();
            return;
        }
        dense_copy<V>(x.executor(), std::as_const(x_).view(), x.view());
        for (std::size_t col = 0; col < result.columns.size(); ++col) {
            result.columns[col].residual = residuals_.columns[col].residual;
        }
    }

private:
    bool keeps_;
    SolveResult residuals_;
    Dense<V> x_;
};

/// No method can do more for the columns that have not converged, or has the time for it.
void end_as(SolveStatus status, SolveResult& result)
{
    for (auto& column : result.columns) {
        if (column.status != SolveStatus::converged) {
            column.status = status;
        }
    }
}

/// What a method has before it is judged, by what the next one is expected to take. scripts/train-automatic assumes the
/// same. Over several ranks messages take what rows do not, and a rank that has to wait for its processor takes all
/// with it.
detail::RateWatch::Patience patience_for(size_type rows, double next_seconds, bool is_single, bool is_device)
{
    const double least = is_single ? 3e-4 : 1e-2;
    const double share = is_device ? detail::RateWatch::patience_at_device : detail::RateWatch::patience_of_other;
    return {next_seconds > 0 ? std::max(least, share * next_seconds)
                             : std::clamp(2e-6 * static_cast<double>(rows), least, 0.1),
            is_single ? 0 : 20};
}

/// The watch of a method for what the next one promises; limit_seconds: what is left, 0 without a limit.
template <class V>
std::shared_ptr<detail::RateWatch> watch_for(detail::MethodQueue<V>& queue,
                                             const typename detail::MethodQueue<V>::InUse& method,
                                             detail::RateWatch::Patience patience, double limit_seconds,
                                             std::shared_ptr<SolveObserver> user)
{
    detail::RateWatch::Other other{.seconds = method.next_seconds, .limit_seconds = limit_seconds};
    const bool is_tight = method.may_be_late(limit_seconds);
    if (method.may_look_closer || (is_tight && method.can_look_closer)) {
        const auto ordering = is_tight ? FillOrdering::automatic : FillOrdering::amd;
        other.closer = [&queue, number = method.number, ordering] { return queue.seconds_by_fill(number, ordering); };
    }
    return std::make_shared<detail::RateWatch>(patience, std::move(other), true, std::move(user));
}

}  // namespace

std::string AutomaticReport::text() const
{
    std::string text = matrix + "; looked at in " + milliseconds(look_seconds) + "\n";
    for (const auto& attempt : attempts) {
        const std::string with = attempt.preconditioner == "none" ? "" : " with " + attempt.preconditioner;
        text += (attempt.outcome.empty() ? "in use: " : "left: ") + attempt.solver + with + ", set-up " +
                milliseconds(attempt.set_up_seconds);
        if (attempt.status != SolveStatus::running) {
            text += ", " + std::to_string(attempt.iterations) +
                    (attempt.iterations == 1 ? " iteration in " : " iterations in ") +
                    milliseconds(attempt.solve_seconds) + ": " + std::string(linden::name(attempt.status));
        }
        text += (attempt.outcome.empty() ? "" : "; " + attempt.outcome) + "\n";
    }
    return text;
}

template <class V>
void Automatic<V>::Parameters::describe(ParameterVisitor& v)
{
    v.group("stop", stop, "stopping rule; its limits are those of all methods together");
    v("patience", patience,
      "seconds that a method may take before its rate is judged; 0: by what the next one would take");
}

template <class V>
Automatic<V>::Automatic(Executor exec, Parameters parameters, LinOpPtr<V> matrix)
    : Solver<V>(std::move(exec), parameters.stop, nullptr, std::move(matrix)),
      patience_(parameters.patience)
{
    detail::square(type_name, this->matrix()->size());
    const auto ranks = this->communicator();
    ranks.agree_after(
        [&] { check_parameter(parameters.patience >= 0, "patience", parameters.patience, "at least 0"); });
    ranks.guard([&] {
        queue_ = std::make_unique<detail::MethodQueue<V>>(this->matrix(), this->stop());
        ranks.check();
    });
}

template <class V>
Automatic<V>::~Automatic() = default;

template <class V>
void Automatic<V>::update_values(LinOpPtr<V> matrix)
{
    const auto ranks = this->communicator();  // of the old matrix
    ranks.guard([&] {
        Solver<V>::update_values(std::move(matrix));
        queue_->update(this->matrix());
        ranks.check();
    });
}

template <class V>
std::shared_ptr<const Solver<V>> Automatic<V>::chosen() const
{
    return queue_->in_use().solver;
}

template <class V>
AutomaticReport Automatic<V>::report() const
{
    return queue_->report();
}

/// On several ranks the clock and the watch are those of rank 0, and the queue is the same on all.
template <class V>
SolveResult Automatic<V>::solve_here(const Dense<V>& b, Dense<V>& x, const SolveOptions& options) const
{
    const auto start = detail::Clock::now();
    const auto ranks = this->communicator();
    // Kernels of several devices end together, and no thread beside them could say when.
    const bool is_device = !this->executor().is_host();
    const bool sees_rates = !ranks.is_reproducible() && (ranks.is_single() || !is_device);
    const double most_seconds = options.max_seconds < 0 ? this->stop().max_seconds : options.max_seconds;
    size_type iterations_left = options.max_iterations < 0 ? this->stop().max_iterations : options.max_iterations;
    auto method = queue_->in_use();
    // A distributed::Matrix is no Csr, also where it has one rank.
    bool asks_for_reach = !distributed::visit_if_distributed(*this->matrix(), [](const auto&) {});
    BestSoFar<V> best(x, !method.has_converged);
    for (;;) {
        const bool may_leave = sees_rates && !method.is_last && !method.has_converged;
        const auto patience = patience_ > 0 ? patience_
                                            : patience_for(this->matrix()->size().rows, method.next_seconds,
                                                           ranks.is_single(), is_device);
        const auto seconds_left = [&] { return std::max(most_seconds - detail::seconds_since(start), 1e-9); };
        const double limit = most_seconds > 0 ? ranks.from_first(seconds_left) : most_seconds;
        const auto watch =
            may_leave ? watch_for(*queue_, method, patience, std::max(limit, 0.0), options.observer) : nullptr;
        SolveOptions mine = options;
        mine.observer = may_leave ? watch : options.observer;
        mine.criteria.insert(mine.criteria.begin(), this->stop().custom.begin(), this->stop().custom.end());
        mine.max_iterations = std::min(iterations_left, method.solver->stop().max_iterations);
        mine.max_seconds = limit;
        if (may_leave && is_device) {
            (void)this->executor().state().aside();  // a solve that is looked at would wait for it
        }
        const auto begin = detail::Clock::now();
        SolveResult result = method.solver->solve(b, x, mine);
        queue_->note(method.number, result, detail::seconds_since(begin));
        iterations_left -= result.iterations();
        const auto status = result.status();
        const bool has_left = may_leave && status == SolveStatus::interrupted &&
                              ranks.from_first([&] { return std::int32_t{watch->has_left()}; }) != 0;
        const bool is_asked_to_end =
            status == SolveStatus::time || iterations_left <= 0 || (status == SolveStatus::interrupted && !has_left);
        if (result.converged()) {
            return result;
        }
        const auto why = has_left ? "its rate is below what the next one promises" : result.reason();
        best.choose(result, x);
        if (is_asked_to_end || method.is_last) {
            return result;
        }
        if (std::exchange(asks_for_reach, false) &&
            detail::is_out_of_reach(*this->matrix(), method.is_hermitian, b, result)) {
            end_as(SolveStatus::stagnated, result);
            return result;
        }
        const auto has_time = [&] { return std::int32_t{queue_->has_time_after(method, seconds_left())}; };
        if (most_seconds > 0 && !has_left && ranks.from_first(has_time) == 0) {
            end_as(SolveStatus::time, result);
            return result;
        }
        method = queue_->leave(method.number, why);
    }
}

template <class V>
void Automatic<V>::apply_impl(const Dense<V>& b, Dense<V>& x) const
{
    x.fill(V{});
    solve_here(b, x, {});
}

template <class V>
std::unique_ptr<SolverWorkspace<V>> Automatic<V>::make_workspace(const Executor&, size_type) const
{
    throw NotSupported("Automatic", "a workspace of its own");
}

template <class V>
void Automatic<V>::start(Dense<V>&, SolverWorkspace<V>&) const
{
}

template <class V>
void Automatic<V>::step(Dense<V>&, SolverWorkspace<V>&) const
{
}

}  // namespace linden
