#pragma once

#include <linden/multigrid/amg.hpp>

#include <chrono>

namespace linden::detail {

/// How long the host is in each phase of a set-up. Nobody waits for it: work on a device that has not ended counts for
/// the phase that waits for it.
class PhaseClock {
public:
    explicit PhaseClock(AmgReport& report) : report_(report), since_(Clock::now()) {}
    PhaseClock(const PhaseClock&) = delete;
    PhaseClock& operator=(const PhaseClock&) = delete;
    ~PhaseClock() { enter(phase_); }

    AmgPhase phase() const { return phase_; }
    void enter(AmgPhase phase)
    {
        const auto now = Clock::now();
        report_.seconds[static_cast<std::size_t>(phase_)] += std::chrono::duration<double>(now - since_).count();
        phase_ = phase;
        since_ = now;
    }

private:
    using Clock = std::chrono::steady_clock;
    AmgReport& report_;
    AmgPhase phase_ = AmgPhase::matrix;
    Clock::time_point since_;
};

}  // namespace linden::detail
