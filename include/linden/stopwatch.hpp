#pragma once

#include <linden/executor.hpp>

#include <memory>

namespace linden {

/// What a backend measures time with.
class LINDEN_EXPORT StopwatchState {
public:
    virtual ~StopwatchState() = default;
    virtual void start() = 0;
    virtual double stop() = 0;
};

/// Measures how long an executor works: on the device's own clock where there is one, else on the host's.
///
///     Stopwatch watch(exec);
///     watch.start();
///     solver->solve(b, x);
///     const double seconds = watch.stop();
class LINDEN_EXPORT Stopwatch {
public:
    explicit Stopwatch(const Executor& exec);

    /// Waits for what the executor has been asked for so far, then starts.
    void start() { state_->start(); }
    /// Waits for what it has been asked for since, and returns the seconds that this took. Starts may be stopped
    /// several times.
    double stop() { return state_->stop(); }

private:
    Executor exec_;
    std::unique_ptr<StopwatchState> state_;
};

}  // namespace linden
