#include <linden/stopwatch.hpp>

#include <chrono>

#include "core/base/executor_state.hpp"

namespace linden {
namespace {

class HostStopwatch final : public StopwatchState {
public:
    explicit HostStopwatch(ExecutorState& exec) : exec_(exec) {}

    void start() override
    {
        exec_.synchronize();
        start_ = std::chrono::steady_clock::now();
    }
    double stop() override
    {
        exec_.synchronize();
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

private:
    ExecutorState& exec_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

std::unique_ptr<StopwatchState> ExecutorState::make_stopwatch() { return std::make_unique<HostStopwatch>(*this); }

Stopwatch::Stopwatch(const Executor& exec) : exec_(exec), state_(exec.state().make_stopwatch()) {}

}  // namespace linden
