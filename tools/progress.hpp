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

/// A criterion that never stops a solve: it shows iteration, residual and rate on a line of the terminal, ten times a
/// second at most.
class Progress final : public StoppingCriterion {
public:
    /// `rhs_norms`: ||b|| of each column, which residuals are shown relative to.
    explicit Progress(std::vector<double> rhs_norms);

    SolveStatus check(const IterationInfo& info) override;

private:
    using Clock = std::chrono::steady_clock;

    std::vector<double> rhs_norms_;
    Clock::time_point start_;
    Clock::time_point next_;
};

}  // namespace linden::tool
