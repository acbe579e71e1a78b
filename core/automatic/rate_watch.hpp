#pragma once

#include <linden/stop/stop.hpp>

#include <memory>
#include <vector>

#include "core/automatic/seconds.hpp"

namespace linden::detail {

/// Ends a solve whose rate says that it would take longer than another method, or for ever. Rates come from the second
/// half of the time so far, since many solves begin slowly. Passes on to the user's observer what it sees.
class RateWatch final : public SolveObserver {
public:
    /// Nothing ends before `patience` seconds; with `may_leave` false, nothing but what `user` ends, who may be null.
    /// @param other_seconds  what the other method is expected to take; 0 where nobody knows, and then a solve ends
    /// that
    ///     would take ten times as long again
    RateWatch(double patience, double other_seconds, bool may_leave, std::shared_ptr<SolveObserver> user)
        : patience_(patience),
          other_seconds_(other_seconds),
          may_leave_(may_leave),
          user_(std::move(user))
    {
    }

    bool observe(const IterationInfo& info) override;

    bool has_left() const { return has_left_; }

private:
    static constexpr double most_times_again = 10;
    /// Of the other's expected time: a rate in hand is surer than an expectation.
    static constexpr double most_of_other = 1.5;
    /// The least log of residual over tolerance that was seen until then.
    struct Sample {
        double seconds, distance;
    };
    bool is_hopeless(double seconds, double distance);

    double patience_, other_seconds_;
    bool may_leave_;
    std::shared_ptr<SolveObserver> user_;
    bool has_left_ = false;
    Clock::time_point start_ = Clock::now();
    std::vector<Sample> samples_;
};

}  // namespace linden::detail
