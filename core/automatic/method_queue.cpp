#include "core/automatic/method_queue.hpp"

#include <linden/config/config.hpp>
#include <linden/error.hpp>
#include <linden/matrix/automatic_format.hpp>
#include <linden/matrix/formatted.hpp>

#include <algorithm>

#include "core/automatic/rank_methods.hpp"
#include "core/automatic/seconds.hpp"
#include "core/automatic/stop_setter.hpp"
#include "core/distributed/spread_statistics.hpp"
#include "core/distributed/visit_matrix.hpp"
#include "core/factorization/direct_analysis.hpp"
#include "core/matrix/visit_csr.hpp"

// instantiate: class detail::MethodQueue<V>

namespace linden::detail {
namespace {

/// The method's factory with this stopping rule. Direct solvers have a limit of steps of their own.
template <class V>
FactoryPtr<V> factory_of(const Method& method, const Stop& stop)
{
    auto factory = config::parse_factory<V>(method.json, method.name)->copy();
    StopSetter setter(stop, !method.is_direct());
    factory->describe(setter);
    return factory;
}

}  // namespace

template <class V>
MethodQueue<V>::MethodQueue(LinOpPtr<V> matrix, const Stop& stop) : matrix_(std::move(matrix)),
                                                                    stop_(stop)
{
    const Clock::time_point start = Clock::now();
    look();
    report_.look_seconds = seconds_since(start);
    set_up_from(0);
}

template <class V>
void MethodQueue<V>::look()
{
    const bool is_device = !matrix_->executor().is_host();
    const bool is_spread = distributed::visit_if_distributed(*matrix_, [&](const auto& a) {
        const auto ranks = a.communicator();
        const Clock::time_point start = Clock::now();
        statistics_ = distributed::spread_statistics(a);
        methods_ = methods_for_ranks(statistics_, {ranks.size(), is_device, ranks.is_reproducible()});
        expect_as_slow_as(seconds_since(start), statistics_.num_nonzeros / ranks.size());
        ranks_ = " over " + std::to_string(ranks.size()) + (ranks.is_single() ? " rank" : " ranks");
    });
    if (!is_spread) {
        visit_csr("Automatic", *matrix_, [&](const auto& a) {
            const Clock::time_point start = Clock::now();
            statistics_ = statistics(a);
            methods_ = methods_for(statistics_, is_device ? 1 : 0);
            if (!is_device) {
                expect_as_slow_as(seconds_since(start), statistics_.num_nonzeros);
            }
            may_fill_ = !is_device && may_fill(statistics_);
            can_tell_fill_ = !is_device;
            if (may_fill_at_once(statistics_) && methods_.front().is_direct()) {
                defer_factors();
            }
        });
    }
}

template <class V>
void MethodQueue<V>::defer_factors()
{
    constexpr double most_times = 2;
    seconds_of_factors(FillOrdering::amd);
    if (factor_seconds_ > most_times * typical_seconds_of_lu(statistics_)) {
        put_factors_last(0);
    }
}

template <class V>
bool MethodQueue<V>::delays_factors(std::size_t number) const
{
    constexpr std::size_t first_with_long_set_up = 2;
    return can_tell_fill_ && factor_seconds_ == 0 && number >= first_with_long_set_up &&
           !methods_.at(number).is_direct() &&
           std::any_of(methods_.begin() + static_cast<std::ptrdiff_t>(number), methods_.end(),
                       [](const Method& m) { return m.is_direct(); });
}

template <class V>
void MethodQueue<V>::look_at_factors(FillOrdering ordering)
{
    constexpr double most_times = 20;    // two iterative methods that fail take some five
    constexpr double times_of_next = 2;  // which may fail, where factors do not
    seconds_of_factors(ordering);
    const auto next = methods_.begin() + static_cast<std::ptrdiff_t>(number_ + 1);
    if (factor_seconds_ > most_times * typical_seconds_of_lu(statistics_)) {
        put_factors_last(number_ + 1);
    } else if (!next->is_direct() && slowness_ * factor_seconds_ < times_of_next * next->expected_seconds) {
        std::stable_partition(next, methods_.end(), [](const Method& m) { return m.is_direct(); });
    }
}

template <class V>
void MethodQueue<V>::put_factors_last(std::size_t first)
{
    std::stable_partition(methods_.begin() + static_cast<std::ptrdiff_t>(first), methods_.end(),
                          [](const Method& m) { return !m.is_direct(); });
}

template <class V>
void MethodQueue<V>::expect_as_slow_as(double look_seconds, size_type num_entries)
{
    // benchmark/results/2026-11-25-cpu-ranks-automatic.md; on one process 4 to 10 of these 15 ns, scattered entries 21.
    const double quiet_seconds = 1e-4 + 15e-9 * static_cast<double>(num_entries);
    constexpr double most_times = 10;
    slowness_ = std::clamp(look_seconds / quiet_seconds, 1.0, most_times);
    for (auto& method : methods_) {
        method.expected_seconds *= slowness_;
    }
}

template <class V>
bool MethodQueue<V>::may_go_on(const std::exception& error) const
{
    const auto ranks = matrix_->communicator();
    return number_ + 1 < methods_.size() && (ranks.is_single() ? dynamic_cast<const Error*>(&error) != nullptr
                                                               : ranks.is_agreed(std::current_exception()));
}

template <class V>
void MethodQueue<V>::set_up_from(std::size_t number)
{
    for (number_ = number;; ++number_) {
        try {
            set_up(methods_.at(number_));
            return;
        } catch (const std::exception& error) {
            if (!may_go_on(error)) {
                throw;
            }
            if (!report_.attempts.empty()) {
                report_.attempts.back().outcome = error.what();
            }
        }
    }
}

template <class V>
void MethodQueue<V>::set_up(const Method& method)
{
    factories_.push_back(factory_of<V>(method, stop_));
    report_.attempts.emplace_back();
    solver_ = nullptr;  // its memory first
    has_converged_ = false;
    const Clock::time_point start = Clock::now();
    const auto matrix = matrix_for(method);
    report_.attempts.back().format = matrix == matrix_ ? "csr" : "auto";
    const std::shared_ptr<LinOp<V>> made = factories_.back()->make(matrix);
    matrix_->executor().synchronize();
    solver_ = std::static_pointer_cast<Solver<V>>(made);
    report_.attempts.back().set_up_seconds = seconds_since(start);
}

template <class V>
LinOpPtr<V> MethodQueue<V>::matrix_for(const Method& method)
{
    constexpr size_type least_rows = size_type{1} << 18;  // below, devices have whole solves in a kernel for Csr
    const bool is_csr = dynamic_cast<const Formatted<V>*>(matrix_.get()) == nullptr && ranks_.empty();
    if (!is_csr || method.is_direct() || matrix_->size().rows < least_rows) {
        return matrix_;
    }
    if (formatted_ == nullptr) {
        auto applied = automatic_format<V>(matrix_);
        formatted_ = applied == matrix_ ? matrix_ : share(Formatted<V>(matrix_, std::move(applied)));
    }
    return formatted_;
}

template <class V>
auto MethodQueue<V>::state() const -> InUse
{
    const bool is_last = number_ + 1 == methods_.size();
    return {.number = number_,
            .solver = solver_,
            .set_up_seconds = report_.attempts.back().set_up_seconds,
            .next_seconds = is_last ? 0 : methods_[number_ + 1].expected_seconds,
            .can_look_closer = can_tell_fill_ && !is_last && methods_[number_ + 1].is_direct(),
            .may_look_closer = may_fill_ && !is_last && methods_[number_ + 1].is_direct(),
            .is_hermitian = statistics_.is_nearly_hermitian,
            .is_last = is_last,
            .has_converged = has_converged_};
}

template <class V>
auto MethodQueue<V>::in_use() const -> InUse
{
    const std::lock_guard lock(access_);
    return state();
}

template <class V>
double MethodQueue<V>::seconds_of_factors(FillOrdering ordering)
{
    const Clock::time_point start = Clock::now();
    const double operations = most_lu_operations(*matrix_, ordering);
    const double order_seconds = seconds_since(start);
    factor_seconds_ = detail::seconds_of_factors(operations, matrix_->size().rows);
    const double seconds = order_seconds + slowness_ * factor_seconds_;
    for (auto& method : methods_) {
        if (method.is_direct()) {
            method.expected_seconds = seconds;
        }
    }
    may_fill_ = false;  // known from now on
    can_tell_fill_ = can_tell_fill_ && ordering != FillOrdering::automatic;
    return seconds;
}

template <class V>
bool MethodQueue<V>::has_time_after(const InUse& method, double seconds)
{
    const auto start = Clock::now();
    double expected = method.next_seconds;
    if (method.can_look_closer && method.may_be_late(seconds)) {
        // The set-up begins with an order, too: no less than the time of a look.
        const double look_seconds = 2e-6 * static_cast<double>(statistics_.num_nonzeros);
        expected = look_seconds < seconds ? seconds_by_fill(method.number, FillOrdering::automatic)
                                          : std::max(expected, look_seconds);
    }
    return seconds_since(start) + expected <= seconds;
}

template <class V>
double MethodQueue<V>::seconds_by_fill(std::size_t number, FillOrdering ordering)
{
    const std::lock_guard lock(access_);
    look_at_factors(ordering);
    return methods_.at(number + 1).expected_seconds;
}

template <class V>
void MethodQueue<V>::note(std::size_t number, const SolveResult& result, double seconds)
{
    const std::lock_guard lock(access_);
    if (number != number_) {
        return;
    }
    auto& attempt = report_.attempts.back();
    attempt.status = result.status();
    attempt.iterations = result.iterations();
    attempt.relative_residual = result.relative_residual();
    attempt.solve_seconds = seconds;
    has_converged_ = has_converged_ || result.converged();
}

template <class V>
auto MethodQueue<V>::leave(std::size_t number, const std::string& outcome) -> InUse
{
    const std::lock_guard lock(access_);
    if (number == number_) {
        report_.attempts.back().outcome = outcome;
        if (state().may_look_closer || delays_factors(number + 1)) {
            look_at_factors(FillOrdering::amd);
        }
        set_up_from(number + 1);
    }
    return state();
}

template <class V>
void MethodQueue<V>::update(LinOpPtr<V> matrix)
{
    const std::lock_guard lock(access_);
    matrix_ = std::move(matrix);
    formatted_ = nullptr;
    solver_->update_values(matrix_for(methods_.at(number_)));
}

template <class V>
AutomaticReport MethodQueue<V>::report() const
{
    const std::lock_guard lock(access_);
    AutomaticReport report = report_;
    report.matrix = description_of(statistics_) + ranks_;
    for (std::size_t i = 0; i < report.attempts.size(); ++i) {
        auto& attempt = report.attempts[i];
        auto words = config::to_short<V>(*factories_[i]);
        attempt.solver = std::move(words.text);
        attempt.preconditioner = std::move(words.preconditioner);
        attempt.json = config::to_json<V>(factories_[i]);
    }
    return report;
}

}  // namespace linden::detail
