#pragma once

#include <linden/stop/stop.hpp>

#include <chrono>
#include <string_view>
#include <vector>

namespace linden::tool {

/// Whether standard output is a terminal.
bool is_terminal();

/// Writes `text` over the current line of the terminal; an empty one clears it.
void show_line(std::string_view text);

/// Watches a solve: ends it when a signal was noted, and shows iteration, residual and rate on a line of the terminal
/// if there is somebody to show them to.
class Watcher final : public SolveObserver {
public:
    /// `rhs_norms`: ||b|| of each column, which residuals are shown relative to.
    Watcher(std::vector<double> rhs_norms, bool shows);

    bool observe(const IterationInfo& info) override;

private:
    using Clock = std::chrono::steady_clock;

    std::vector<double> rhs_norms_;
    bool shows_;
    Clock::time_point start_;
};

}  // namespace linden::tool
