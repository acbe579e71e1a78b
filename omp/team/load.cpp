#include "omp/team/load.hpp"

#include <algorithm>

namespace linden::omp {

TeamPlan Load::plan(int wanted, Nanoseconds now)
{
    const int limit = limit_.load(std::memory_order_relaxed);
    if (wanted > limit && now >= next_trial_.load(std::memory_order_relaxed) && may_try(now)) {
        return {limit > wanted / 2 ? wanted : 2 * limit, true};
    }
    const int threads = std::min(wanted, limit);
    return {threads, threads > 1 && now < check_end_.load(std::memory_order_relaxed)};
}

bool Load::may_try(Nanoseconds now)
{
    if (is_full_ == nullptr) {
        return true;
    }
    const std::unique_lock lock(deciding_, std::try_to_lock);
    if (!lock.owns_lock() || (pause_ < greatest_pause && is_full_())) {
        if (lock.owns_lock()) {
            pause_ = std::min(2 * pause_, greatest_pause);
            next_trial_.store(now + pause_, std::memory_order_relaxed);
        }
        return false;
    }
    return true;
}

void Load::report(int wanted, TeamPlan plan, const RegionTimes& times, Nanoseconds now)
{
    const bool is_doubtful = times.waited > std::max(least_doubt, times.span / 2);
    if (plan.threads == 1 || (!plan.is_measured && !is_doubtful)) {
        return;
    }
    const std::unique_lock lock(deciding_, std::try_to_lock);
    if (!lock.owns_lock()) {
        return;  // another caller decides
    }
    if (!plan.is_measured) {
        if (now >= quiet_end_) {
            check_from(now);
        }
        return;
    }
    span_ += times.span;
    work_ += times.work;
    if (span_ >= (plan.threads > limit() ? trial_span : verdict_span)) {
        decide(wanted, plan.threads, now);
    }
}

void Load::check_from(Nanoseconds now)
{
    span_ = 0;
    work_ = 0;
    check_end_.store(now + check_time, std::memory_order_relaxed);
}

void Load::decide(int wanted, int threads, Nanoseconds now)
{
    const bool is_worth_it = work_ > span_;
    const bool is_trial = threads > limit();
    const Nanoseconds price = 20 * span_;  // so that trials take a twentieth of the time at most
    check_from(now);
    if (!is_worth_it) {
        // Soon after the last time the load is one that stays.
        const bool is_again = is_trial || (last_cut_ > quiet_end_ && now - last_cut_ < 4 * pause_);
        pause_ = std::min(std::max(is_again ? 2 * pause_ : least_pause, price), greatest_pause);
        last_cut_ = now;
        limit_.store(is_trial ? limit() : std::max(1, threads / 2), std::memory_order_relaxed);
        next_trial_.store(now + pause_, std::memory_order_relaxed);
        check_end_.store(now, std::memory_order_relaxed);
    } else if (is_trial) {
        limit_.store(threads == wanted ? std::numeric_limits<int>::max() : threads, std::memory_order_relaxed);
    } else {
        check_end_.store(now, std::memory_order_relaxed);
        quiet_end_ = now + quiet_time;
    }
}

}  // namespace linden::omp
