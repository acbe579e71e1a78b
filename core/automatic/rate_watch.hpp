#pragma once

#include <linden/stop/stop.hpp>

#include <functional>
#include <memory>
#include <vector>

#include "core/automatic/seconds.hpp"

namespace linden::detail {

/// Ends a solve whose rate says that it would take longer than another method, or for ever. Rates come from the second
/// half of the time so far, since many solves begin slowly. Passes on to the user's observer what it sees.
class RateWatch final : public SolveObserver {
public:
    /// Of what the other method takes, the time before a solve is judged: by a typical time, and by a closer look. That
    /// finds the other to be slow, and slow beginnings are frequent.
    static constexpr double patience_of_other = 0.2, patience_after_look = 0.5;
    /// On devices, where the next is multigrid: before the middle of a grid has seen its border, CG does not get on.
    static constexpr double patience_at_device = 0.3;

    /// What another method promises.
    struct Other {
        double seconds = 0;  ///< it is expected to take; 0 where nobody knows: then ten times as long again is too long
        /// Seconds by a closer look, asked for once, before the first solve that would end; empty: there is none.
        std::function<double()> closer = {};
        /// That are left for this method and the other: one that would take longer is not worth it. 0: no limit.
        double limit_seconds = 0;
    };

    /// What a solve has before it is judged.
    struct Patience {
        Patience(double for_seconds, size_type for_iterations = 0) : seconds(for_seconds), iterations(for_iterations) {}
        double seconds;
        size_type iterations;
    };

    /// Nothing ends before `patience`; with `may_leave` false, nothing but what `user` ends, who may be null.
    RateWatch(Patience patience, Other other, bool may_leave, std::shared_ptr<SolveObserver> user)
        : patience_(patience),
          other_(std::move(other)),
          may_leave_(may_leave),
          user_(std::move(user))
    {
    }

    bool observe(const IterationInfo& info) override;

    bool has_left() const { return has_left_; }

private:
    static constexpr double most_times_again = 10;
    /// Of the other's expected time: a rate in hand is surer than an expectation.
    static constexpr double most_of_other = 1.25;
    /// The least log of residual over tolerance that was seen until then.
    struct Sample {
        double seconds, distance;
    };
    bool is_hopeless(double seconds) const;
    /// Whether the other method is expected to end within the limit.
    bool is_in_time(double seconds) const
    {
        return other_.limit_seconds == 0 || seconds + other_.seconds <= other_.limit_seconds;
    }
    /// Whether the other method takes longer than it seemed, so that this one goes on.
    bool looks_closer(double seconds);

    Patience patience_;
    Other other_;
    bool may_leave_;
    std::shared_ptr<SolveObserver> user_;
    bool has_left_ = false;
    Clock::time_point start_ = Clock::now();
    std::vector<Sample> samples_;
};

}  // namespace linden::detail
