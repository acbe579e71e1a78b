#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>

namespace linden::omp {

using Nanoseconds = std::int64_t;

/// How many threads run the parts of the next region.
struct TeamPlan {
    int threads;
    bool is_measured;  ///< whether its threads are to read their processor times, about a microsecond each
};

/// What a region took.
struct RegionTimes {
    Nanoseconds span;    ///< from start to end; where measured, without what the caller itself spent off the processor
    Nanoseconds waited;  ///< how much of that the caller waited for others
    Nanoseconds work;    ///< processor time of all threads without their waits; counts where measured alone
};

/// Finds from the times of regions how many threads are worth it while other processes want the processors, too. A
/// region ends when its last thread does; one that the system has taken off its processor holds up all others, for
/// milliseconds. Where regions last longer than all their work would take one thread, half as many threads run them,
/// down to the caller alone. Now and then, ever less often, as many as before are tried again.
///
/// Parts of the work are not threads: results have the same bits with any number of threads. Times come from the
/// caller, in nanoseconds from any origin. May be called from several threads at once.
class Load {
public:
    static constexpr Nanoseconds check_time = 10'000'000;   ///< how long regions are measured after a doubt
    static constexpr Nanoseconds quiet_time = 50'000'000;   ///< how long doubts do not count after one was unfounded
    static constexpr Nanoseconds least_doubt = 200'000;     ///< a shorter wait raises none
    static constexpr Nanoseconds verdict_span = 2'000'000;  ///< so much of regions decides
    static constexpr Nanoseconds trial_span = 1'000'000;    ///< the same where more threads are tried again
    static constexpr Nanoseconds least_pause = 20'000'000;  ///< before the first trial
    static constexpr Nanoseconds greatest_pause = 1'000'000'000;  ///< between trials that fail

    /// `is_full()` says whether others have work for all processors. It is a hint alone, since what the system tells
    /// concerns the whole machine: where it is true a process begins with one thread, and trials but for those after
    /// the greatest pause are put off. Null: never.
    explicit Load(bool (*is_full)() = nullptr) : is_full_(is_full)
    {
        if (is_full != nullptr && is_full()) {
            limit_ = 1;
        }
    }

    /// For a region that is worth `wanted` threads, at least 1, and starts now.
    TeamPlan plan(int wanted, Nanoseconds now);
    /// After a region that ran by `plan`, wanted for `wanted` threads, and ends now.
    void report(int wanted, TeamPlan plan, const RegionTimes& times, Nanoseconds now);
    /// At most so many threads run regions at present, but for trials.
    int limit() const { return limit_.load(std::memory_order_relaxed); }

private:
    bool may_try(Nanoseconds now);
    void check_from(Nanoseconds now);
    void decide(int wanted, int threads, Nanoseconds now);

    bool (*is_full_)();
    std::atomic<int> limit_{std::numeric_limits<int>::max()};
    std::atomic<Nanoseconds> check_end_{std::numeric_limits<Nanoseconds>::min()};
    std::atomic<Nanoseconds> next_trial_{std::numeric_limits<Nanoseconds>::min()};
    std::mutex deciding_;  // guards what follows
    Nanoseconds span_ = 0;
    Nanoseconds work_ = 0;
    Nanoseconds quiet_end_ = std::numeric_limits<Nanoseconds>::min();
    Nanoseconds pause_ = least_pause;
    Nanoseconds last_cut_ = std::numeric_limits<Nanoseconds>::min();
};

}  // namespace linden::omp
