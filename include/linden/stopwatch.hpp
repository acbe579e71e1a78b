#pragma once

#include <linden/executor.hpp>

#include <memory>

namespace linden {

/// The timer of a backend.
class LINDEN_EXPORT StopwatchState {
public:
    virtual ~StopwatchState() = default;
    virtual void start() = 0;
    virtual double stop() = 0;
};

/// Measures how long an executor works, on the device's clock if it has one, else on the host's.
///
///     Stopwatch watch(exec);
///     watch.start();
///     solver->solve(b, x);
///     const double seconds = watch.stop();
class LINDEN_EXPORT Stopwatch {
public:
    explicit Stopwatch(const Executor& exec);

    /// Waits for the work submitted so far, then starts.
    void start() { state_->start(); }
    /// Waits for the work submitted since `start` and returns the seconds it took. May be called several times per
    /// start.
    double stop() { return state_->stop(); }

private:
    Executor exec_;
    std::unique_ptr<StopwatchState> state_;
};

}  // namespace linden
