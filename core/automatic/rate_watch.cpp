#include "core/automatic/rate_watch.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace linden::detail {
namespace {

/// How far the column that is furthest from its tolerance is from it, as a logarithm. Infinite for tolerances of zero.
double distance_to_goal(const IterationInfo& info)
{
    double most = 0;
    for (std::size_t col = 0; col < info.statuses.size(); ++col) {
        if (info.statuses[col] == SolveStatus::running) {
            const double distance = std::log(info.residual_norms[col] / info.tolerances[col]);
            most = distance > most || std::isnan(distance) ? distance : most;
        }
    }
    return most;
}

}  // namespace

bool RateWatch::observe(const IterationInfo& info)
{
    if (user_ != nullptr && !user_->observe(info)) {
        return false;
    }
    const double distance = distance_to_goal(info);
    if (may_leave_ && std::isfinite(distance)) {
        const double seconds = seconds_since(start_);
        samples_.push_back({seconds, samples_.empty() ? distance : std::min(samples_.back().distance, distance)});
        has_left_ = info.iteration >= patience_.iterations && is_hopeless(seconds) && is_in_time(seconds) &&
                    !looks_closer(seconds) && is_in_time(seconds);
    }
    return !has_left_;
}

bool RateWatch::looks_closer(double seconds)
{
    if (!other_.closer) {
        return false;
    }
    const auto begin = Clock::now();
    other_.seconds = std::exchange(other_.closer, nullptr)();
    patience_.seconds = std::max(patience_.seconds, patience_after_look * other_.seconds);
    start_ += Clock::now() - begin;  // the look is not part of the solve
    if (other_.limit_seconds > 0) {
        other_.limit_seconds = std::max(other_.limit_seconds - seconds_since(begin), 1e-9);
    }
    return !is_hopeless(seconds);
}

bool RateWatch::is_hopeless(double seconds) const
{
    if (seconds < patience_.seconds) {
        return false;
    }
    const double least = samples_.back().distance;
    const auto half =
        std::find_if(samples_.begin(), samples_.end(), [&](const Sample& s) { return s.seconds >= seconds / 2; });
    const double gain = half->distance - least;
    const double needed = least / gain * (seconds - half->seconds);
    const double most = other_.seconds > 0 ? most_of_other * other_.seconds : most_times_again * seconds;
    return half->seconds < seconds && !(needed <= most);
}

}  // namespace linden::detail
