#include <linden/distributed/communicator.hpp>
#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/null_space.hpp>
#include <linden/solver/solver.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "core/base/check_parameter.hpp"
#include "core/base/of_member.hpp"
#include "core/base/pool.hpp"
#include "core/kernels/dense.hpp"
#include "core/matrix/new_values.hpp"
#include "core/matrix/null_space.hpp"
#include "core/matrix/operands.hpp"
#include "core/matrix/square.hpp"
#include "core/solver/range.hpp"
#include "core/solver/workspace.hpp"

// instantiate: class Solver<V>

namespace linden {
namespace {

constexpr size_type max_history_rows = 1'000'000;
/// More seconds do not fit into 64 bits as nanoseconds.
constexpr double longest_seconds = 1e9;
/// How often a solve is resumed from the true residual, as long as each time halves it.
constexpr int max_resumptions = 20;

size_type max_iterations(const Stop& stop, const SolveOptions& options)
{
    return options.max_iterations < 0 ? stop.max_iterations : options.max_iterations;
}

StopRule rule_of(const Stop& stop, const SolveOptions& options, size_type history_rows)
{
    const double seconds = options.max_seconds < 0 ? stop.max_seconds : options.max_seconds;
    return {.max_iterations = max_iterations(stop, options),
            .relative_residual = stop.relative_residual,
            .absolute_residual = stop.absolute_residual,
            .baseline = stop.baseline,
            .time_limit = static_cast<std::int64_t>(std::min(seconds, longest_seconds) * 1e9),
            .divergence = stop.divergence,
            .stagnation_iterations = stop.stagnation_iterations,
            .history_capacity = history_rows};
}

void check_not_negative(std::string_view name, double value) { check_parameter(value >= 0, name, value, "at least 0"); }

void check_not_null(std::string_view name, const std::vector<std::shared_ptr<StoppingCriterion>>& criteria)
{
    if (std::find(criteria.begin(), criteria.end(), nullptr) != criteria.end()) {
        throw InvalidParameter(name, "null", "stopping criteria");
    }
}

void check(const Stop& stop)
{
    check_not_null("custom", stop.custom);
    check_not_negative("max_iterations", static_cast<double>(stop.max_iterations));
    check_not_negative("relative_residual", stop.relative_residual);
    check_not_negative("absolute_residual", stop.absolute_residual);
    check_not_negative("max_seconds", stop.max_seconds);
    check_not_negative("divergence", stop.divergence);
    check_not_negative("stagnation_iterations", static_cast<double>(stop.stagnation_iterations));
}

Dim size_of_inverse(Dim size, SystemShape shape)
{
    return shape == SystemShape::square ? detail::square("solver other than Lsqr and Lsmr", size)
                                        : Dim{size.cols, size.rows};
}

/// Whether x is known to be 0 on all ranks, as far as the host can tell without waiting.
template <class V>
bool is_known_zero(const Dense<V>& x, const Communicator& communicator)
{
    if (!x.executor().is_host() || !communicator.is_single()) {
        return false;
    }
    for (size_type i = 0; i < x.size().rows; ++i) {
        const V* const row = x.data() + i * x.stride();
        if (std::any_of(row, row + x.size().cols, [](V value) { return value != V{}; })) {
            return false;
        }
    }
    return true;
}

/// What ranks that solve together must agree on.
struct Call {
    Call() = default;
    Call(std::string_view method, const Stop& stop, const SolveOptions& options, size_type cols, bool broken)
        : is_broken(broken),
          num_criteria(static_cast<std::int32_t>(stop.custom.size() + options.criteria.size())),
          is_observed(options.observer != nullptr),
          method_hash(std::hash<std::string_view>{}(method)),
          num_cols(cols),
          counts{linden::max_iterations(stop, options), stop.stagnation_iterations, options.history},
          numbers{stop.relative_residual, stop.absolute_residual, stop.divergence, stop.max_seconds,
                  options.max_seconds}
    {
    }
    bool operator==(const Call&) const = default;

    std::int32_t is_broken = 0, num_criteria = 0, is_observed = 0;
    std::size_t method_hash = 0;
    std::int64_t num_cols = 0;
    std::array<std::int64_t, 3> counts{};
    std::array<double, 5> numbers{};
};

/// Checks that operands fit and that all ranks ask for the same. Otherwise some would wait for messages that others
/// never send.
template <class V>
void check_call(const Solver<V>& solver, const Dense<V>& b, const Dense<V>& x, const SolveOptions& options)
{
    const auto ranks = solver.communicator();
    const auto check_own = [&] {
        detail::check_system(solver, b, x);
        check_not_null("criteria", options.criteria);
    };
    if (ranks.is_single()) {
        check_own();
        return;
    }
    std::exception_ptr failure;
    try {
        check_own();
    } catch (...) {
        failure = std::current_exception();
    }
    const auto calls = ranks.all_gather(Call(solver.name(), solver.stop(), options, b.size().cols, failure != nullptr));
    if (std::any_of(calls.begin(), calls.end(), [](const Call& call) { return call.is_broken; })) {
        ranks.agree(failure);
    }
    for (const Call& call : calls) {
        if (call != calls.front()) {
            throw InvalidParameter("solve", "another one on rank " + std::to_string(&call - calls.data()),
                                   "the method, stopping rule, options and number of right-hand sides of rank 0");
        }
    }
}

/// The status of a column from its true residual; `decided` if a custom criterion ended it.
SolveStatus final_status(SolveStatus status, bool decided, double residual, double tolerance)
{
    if (!std::isfinite(residual)) {
        return SolveStatus::not_a_number;
    }
    if (residual <= tolerance) {
        return SolveStatus::converged;
    }
    return status == SolveStatus::converged && !decided ? SolveStatus::stagnated : status;
}

/// Before the first iteration.
template <class R>
SolveResult initial_result(const std::vector<R>& residuals, const std::vector<R>& rhs_norms)
{
    SolveResult result;
    result.columns.resize(residuals.size());
    for (std::size_t col = 0; col < residuals.size(); ++col) {
        result.columns[col].initial_residual = residuals[col];
        result.columns[col].residual = residuals[col];
        result.columns[col].rhs_norm = rhs_norms[col];
    }
    return result;
}

/// The history up to the last iteration of any column; columns that stopped before keep their last norm.
template <class R>
std::vector<std::vector<double>> history_rows(const StopState<R>& state, const SolveResult& result)
{
    const auto values = state.history().to_host();
    const auto cols = static_cast<size_type>(result.columns.size());
    const auto rows = std::min(result.iterations() + 1, state.history_rows());
    std::vector<std::vector<double>> history(static_cast<std::size_t>(rows));
    for (size_type row = 0; row < rows; ++row) {
        for (size_type col = 0; col < cols; ++col) {
            const auto last = result.columns[static_cast<std::size_t>(col)].iterations;
            const auto index = static_cast<std::size_t>(std::min(row, last) * cols + col);
            history[static_cast<std::size_t>(row)].push_back(values[index]);
        }
    }
    return history;
}

}  // namespace

template <class V>
Solver<V>::Solver(Executor exec, Stop stop, FactoryPtr<V> preconditioner, LinOpPtr<V> matrix, SystemShape shape)
    : LinOp<V>(std::move(exec), size_of_inverse(matrix->size(), shape)),
      matrix_(std::move(matrix)),
      stop_(std::move(stop)),
      workspaces_(std::make_unique<WorkspacePool>())
{
    check(stop_);
    if (preconditioner == nullptr) {
        return;
    }
    const auto ranks = matrix_->communicator();
    ranks.guard([&] {
        preconditioner_ = detail::of_member("preconditioner", [&] { return preconditioner->make(matrix_); });
        if (preconditioner_ == nullptr) {
            throw InvalidParameter("preconditioner", "null", "an operator, which its factory makes");
        }
        ranks.check();
    });
    const Dim of_unknowns{this->size().rows, this->size().rows};
    if (preconditioner_->size() != (shape == SystemShape::square ? this->size() : of_unknowns)) {
        throw DimensionMismatch("solver", "the matrix", matrix_->size(),
                                "the preconditioner " + preconditioner_->name(), preconditioner_->size());
    }
    if (preconditioner_->is_identity()) {
        preconditioner_ = nullptr;
    } else if (const auto* const reorderable = dynamic_cast<const Reorderable<V>*>(preconditioner_.get())) {
        system_ = reorderable->reordered_system();
    }
}

template <class V>
Solver<V>::~Solver() = default;

template <class V>
std::unique_ptr<SolverWorkspace<V>> Solver<V>::new_workspace(const Executor& exec, size_type num_rhs) const
{
    auto workspace = make_workspace(exec, num_rhs);
    workspace->sum_over(matrix_->communicator());
    if (is_reordered()) {
        const Dim size{this->size().rows, num_rhs};
        workspace->reordered_b = Dense<V>(exec, size);
        workspace->reordered_x = Dense<V>(exec, size);
    }
    return workspace;
}

/// A workspace for this number of right-hand sides, for as long as the lease lives.
template <class V>
auto Solver<V>::lease_workspace(size_type num_rhs) const
{
    return workspaces_->take([&](const auto& idle) { return idle->cols() == num_rhs; },
                             [&] { return new_workspace(this->executor(), num_rhs); });
}

template <class V>
size_type Solver<V>::workspace_bytes(size_type num_rhs) const
{
    const auto dry_run = Executor::reference({.memory = host_memory()});
    const auto workspace = new_workspace(dry_run, num_rhs);
    return static_cast<size_type>(dry_run.counters().allocated_bytes);
}

template <class V>
Communicator Solver<V>::communicator() const
{
    return matrix_->communicator();
}

template <class V>
void Solver<V>::update_values(LinOpPtr<V> matrix)
{
    matrix_ = new_values_here(*this, *matrix_, std::move(matrix));
    ++generation_;
    if (preconditioner_ != nullptr) {
        preconditioner_->update_values(matrix_);
    }
}

template <class V>
bool Solver<V>::is_capturable() const
{
    return this->executor().state().can_record_loops() && step_is_capturable();
}

template <class V>
bool Solver<V>::step_is_capturable() const
{
    const auto* const preconditioner = iteration_preconditioner();
    return stop_.custom.empty() && iteration_matrix().is_capturable() &&
           (preconditioner == nullptr || preconditioner->is_capturable());
}

template <class V>
SolveResult Solver<V>::solve(const Dense<V>& b, Dense<V>& x, const SolveOptions& options) const
{
    check_call(*this, b, x, options);
    const auto ranks = matrix_->communicator();
    return ranks.guard([&] {
        detail::OperandsOn<V> here(this->executor(), b, x, true);
        auto result = solve_here(here.b(), here.x(), options);
        here.return_x();
        ranks.check();
        return result;
    });
}

/// r := b - A x and its norms, by the plain product, which needs no temporary memory.
template <class V>
void Solver<V>::compute_residual(const Dense<V>& b, const Dense<V>& x, SolverWorkspace<V>& w) const
{
    const auto& exec = this->executor();
    iteration_matrix().apply(x, w.r);
    dense_axpby<V>(exec, V{1}, b.view(), V{-1}, w.r.view());
    dense_norm2<V>(exec, std::as_const(w.r).view(), w.r_norms.data(), w.reduction.view());
}

/// Starts the stopping rule from the residual, which for x = 0 is b.
template <class V>
void Solver<V>::initialize(const Dense<V>& b, const Dense<V>& x, Guess guess, SolverWorkspace<V>& w,
                           const SolveOptions& options) const
{
    const auto& exec = this->executor();
    w.b = &b;
    w.decided.assign(static_cast<std::size_t>(w.cols()), false);
    dense_norm2<V>(exec, b.view(), w.b_norms.data(), w.reduction.view());
    if (guess == Guess::given && w.looks_for_zero && is_known_zero(x, communicator())) {
        dense_copy<V>(exec, b.view(), w.r.view());
        dense_norm2<V>(exec, b.view(), w.r_norms.data(), w.reduction.view());
    } else if (guess == Guess::given) {
        compute_residual(b, x, w);
    } else {
        dense_copy<V>(exec, b.view(), w.r.view());
    }
    stop_initialize<real_t<V>>(exec, rule_of(stop_, options, w.stop.history_rows()), w.b_norms.data(),
                               guess == Guess::given ? w.r_norms.data() : w.b_norms.data(), w.stop.view());
}

/// Runs steps until every column has stopped. Everything is on the executor.
template <class V>
void Solver<V>::iterate(Dense<V>& x, SolverWorkspace<V>& w, const SolveOptions& options) const
{
    const bool watched = !stop_.custom.empty() || !options.criteria.empty();
    const bool observed = w.observation != nullptr && w.observation->is_between_iterations();
    w.after_iteration = nullptr;
    if (watched || observed) {
        w.after_iteration = [&, watched, observed] {
            if (watched) {
                ask_custom_criteria(w, options);
            }
            if (observed) {
                w.observation->look(matrix_->communicator());
            }
        };
    }
    if (!watched && run_persistent(x, w)) {
        return;
    }
    start(x, w);
    const auto address = [](const auto* data) { return reinterpret_cast<std::uintptr_t>(data); };
    const std::uintptr_t key[] = {address(x.data()),
                                  static_cast<std::uintptr_t>(x.stride()),
                                  address(w.b->data()),
                                  static_cast<std::uintptr_t>(w.b->stride()),
                                  address(w.stop.history().data()),
                                  generation_};
    w.loop.run(w.running_flag(), key, step_is_capturable() && !watched, [&] {
        step(x, w);
        if (w.after_iteration && !w.step_reports_iterations) {
            w.after_iteration();
        }
    });
    w.finish(x);
}

template <class V>
void Solver<V>::ask_custom_criteria(SolverWorkspace<V>& w, const SolveOptions& options) const
{
    const auto cols = static_cast<std::size_t>(w.cols());
    StopSnapshot<real_t<V>> now(w.stop, this->executor());
    const IterationInfo info = now.info();
    auto criteria = stop_.custom;
    criteria.insert(criteria.end(), options.criteria.begin(), options.criteria.end());
    for (const auto& criterion : criteria) {
        const SolveStatus verdict = matrix_->communicator().from_first([&] { return criterion->check(info); });
        if (verdict == SolveStatus::running) {
            continue;
        }
        for (std::size_t col = 0; col < cols; ++col) {
            if (now.status[col] == SolveStatus::running) {
                now.status[col] = verdict;
                w.decided[col] = true;
            }
        }
        w.stop.status().copy_from_host(now.status.data());
        const std::int32_t none = 0;
        copy_bytes(detail::host(), &none, this->executor(), w.running_flag(), sizeof none);
        return;
    }
}

namespace {

/// solve(c), where c is the part of b in the range of a singular matrix. If c is not b, x is a least-squares solution.
template <class V, class Solve>
SolveResult solve_in_range(const detail::NullSpace<V>& space, const Dense<V>& b, const Solve& solve)
{
    SolveResult result;
    space.with_projected(b, [&](const Dense<V>& projected) { result = solve(projected); });
    const auto parts = space.parts_of(b);
    for (std::size_t col = 0; col < parts.size(); ++col) {
        auto& column = result.columns[col];
        const auto part = static_cast<double>(parts[col]);
        column.least_squares = column.status == SolveStatus::converged && part > column.tolerance;
        column.initial_residual = std::hypot(column.initial_residual, part);
        column.residual = std::hypot(column.residual, part);
        column.rhs_norm = std::hypot(column.rhs_norm, part);
    }
    return result;
}

}  // namespace

template <class V>
SolveResult Solver<V>::solve_here(const Dense<V>& b, Dense<V>& x, const SolveOptions& options) const
{
    const auto lease = lease_workspace(b.size().cols);
    auto& w = **lease;
    if (!is_reordered()) {
        const auto* const singular = dynamic_cast<const KnowsNullSpace<V>*>(preconditioner_.get());
        const auto space = singular == nullptr ? nullptr : singular->null_space();
        return space == nullptr
                   ? solve_in(w, b, x, options)
                   : solve_in_range(*space, b, [&](const Dense<V>& c) { return solve_in(w, c, x, options); });
    }
    system_.to->apply(b, w.reordered_b);
    system_.to->apply(x, w.reordered_x);
    auto result = solve_in(w, w.reordered_b, w.reordered_x, options);
    system_.back->apply(w.reordered_x, x);
    return result;
}

template <class V>
SolveResult Solver<V>::solve_in(SolverWorkspace<V>& w, const Dense<V>& b, Dense<V>& x, const SolveOptions& options,
                                bool is_scaled) const
{
    const auto cols = static_cast<std::size_t>(w.cols());
    w.stop.keep_history(options.history ? std::min(max_iterations(stop_, options), max_history_rows) + 1 : 0);
    initialize(b, x, Guess::given, w, options);

    const auto b_norms = w.b_norms.to_host();
    auto result = initial_result(w.r_norms.to_host(), b_norms);
    if (!is_scaled && stop_.absolute_residual == 0) {
        if (const auto scales = detail::scales_into_range(b, b_norms, matrix_->communicator()); !scales.empty()) {
            auto scaled_b = b.copy();
            detail::scale_columns(scaled_b, scales, 1);
            detail::scale_columns(x, scales, 1);
            result = solve_in(w, scaled_b, x, options, true);
            detail::scale_columns(x, scales, -1);
            detail::unscale(result, scales);
            return result;
        }
    }
    Observation<V> observation(options.observer.get(), this->executor(), w.stop);
    w.observation = options.observer == nullptr ? nullptr : &observation;
    for (int resumption = 0;; ++resumption) {
        iterate(x, w, options);
        if (!leaves_true_residual()) {
            compute_residual(b, x, w);
        }
        const StopSnapshot<real_t<V>> reached(w.stop, this->executor());
        const auto norms = w.r_norms.to_host();
        bool worthwhile = false;
        for (std::size_t col = 0; col < cols; ++col) {
            auto& column = result.columns[col];
            const bool was_deceived =
                reached.status[col] == SolveStatus::converged && norms[col] <= 0.5 * column.residual;
            const bool may_restart = restarts_after_breakdown() && reached.status[col] == SolveStatus::breakdown &&
                                     reached.counts[col] > column.iterations;
            worthwhile |= norms[col] > reached.tolerances[col] && (was_deceived || may_restart);
            column.residual = norms[col];
            column.tolerance = reached.tolerances[col];
            column.iterations = reached.counts[col];
            const auto status = observation.verdict(reached.status[col]);
            column.status = final_status(status, w.decided[col], column.residual, column.tolerance);
        }
        const bool decided =
            observation.has_ended() || std::find(w.decided.begin(), w.decided.end(), true) != w.decided.end();
        if (!worthwhile || decided || resumption == max_resumptions) {
            break;
        }
        stop_resume<real_t<V>>(this->executor(), w.r_norms.data(), restarts_after_breakdown(), w.stop.view());
    }
    w.observation = nullptr;
    w.add_details(result.columns);
    if (options.history) {
        result.history = history_rows(w.stop, result);
    }
    return result;
}

template <class V>
void Solver<V>::apply_impl(const Dense<V>& b, Dense<V>& x) const
{
    const auto lease = lease_workspace(b.size().cols);
    auto& w = **lease;
    if (!is_reordered()) {
        x.fill(V{});
        initialize(b, x, Guess::zero, w, {});
        iterate(x, w, {});
        return;
    }
    system_.to->apply(b, w.reordered_b);
    w.reordered_x.fill(V{});
    initialize(w.reordered_b, w.reordered_x, Guess::zero, w, {});
    iterate(w.reordered_x, w, {});
    system_.back->apply(w.reordered_x, x);
}

}  // namespace linden
