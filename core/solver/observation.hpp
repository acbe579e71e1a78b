#pragma once

#include <linden/distributed/communicator.hpp>
#include <linden/executor.hpp>
#include <linden/stop/stop.hpp>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "core/solver/stop_state.hpp"

namespace linden {

/// Lets an observer see one solve, and ends the solve if the observer says so: by moving the deadline of the stopping
/// rule into the past, which every method asks on the executor after each iteration anyway
/// (doc/decisions/0022-observers-move-the-deadline.md).
///
/// On hosts the solver calls `look` between iterations. On a device, which runs the iterations by itself, a thread
/// looks through a second executor, whose stream does not wait for the solve.
template <class V>
class Observation {
public:
    /// Begins once the rule has started. Does nothing without an observer.
    Observation(SolveObserver* observer, const Executor& exec, StopState<real_t<V>>& stop);
    ~Observation();
    Observation(const Observation&) = delete;
    Observation& operator=(const Observation&) = delete;

    /// Whether `look` has to be called.
    bool is_between_iterations() const { return observer_ != nullptr && exec_.is_host(); }
    /// Shows the state to the observer if it is time; on several ranks to that of rank 0, whose verdict is that of all.
    /// Each verdict says after how many calls the next one is due, so that the others need no messages.
    void look(const Communicator& ranks);
    /// Whether the observer has ended the solve.
    bool has_ended() const;
    /// The status of a column that the rule gave `status`.
    SolveStatus verdict(SolveStatus status) const
    {
        return status == SolveStatus::time && has_ended() ? SolveStatus::interrupted : status;
    }

private:
    using Clock = std::chrono::steady_clock;

    void look_here();
    /// How many calls of `look` are made until it is time, if they come as those so far: at least one, and at most as
    /// many as there were, since times vary.
    std::int64_t calls_to_wait() const;
    void show(const Executor& exec);
    void end(const Executor& exec);
    void move_deadline(const Executor& exec);
    void watch();

    SolveObserver* observer_;
    Executor exec_;
    StopState<real_t<V>>& stop_;
    Clock::time_point start_;
    Clock::time_point next_;
    bool has_ended_ = false;
    std::int64_t num_calls_ = 0, next_call_ = 1;  // of `look`; on several ranks, which agree in few of them

    mutable std::mutex mutex_;  // of has_ended_ and is_over_, where there is a thread
    std::condition_variable over_;
    bool is_over_ = false;
    std::thread thread_;
};

}  // namespace linden
