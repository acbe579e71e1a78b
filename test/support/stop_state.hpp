#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "core/solver/workspace.hpp"
#include "test/support/backends.hpp"
#include "test/support/compare.hpp"

/// The stopping state as plain host values, for tests of the kernels that work on it.
namespace linden::test {

template <class R>
struct StopValues {
    StopHeader header{};
    std::vector<SolveStatus> status;
    std::vector<std::int64_t> counts;  // iterations, then best iterations
    std::vector<R> norms;              // residuals, tolerances, limits, best residuals
    std::vector<R> history;

    /// `cols` columns that have done `iteration` iterations, and run on while residuals are above `tolerance`.
    static StopValues running(std::size_t cols, R tolerance = 0, std::int64_t iteration = 0)
    {
        constexpr R infinity = std::numeric_limits<R>::infinity();
        StopValues s;
        s.header.running = static_cast<std::int32_t>(cols);
        s.header.max_iterations = 1000;
        s.status.assign(cols, SolveStatus::running);
        s.counts.assign(2 * cols, iteration);
        s.norms.assign(4 * cols, infinity);
        for (std::size_t col = 0; col < cols; ++col) {
            s.norms[cols + col] = tolerance;
        }
        return s;
    }

    std::size_t cols() const { return status.size(); }
    R residual(std::size_t col) const { return norms[col]; }

    /// Stops a column, as it would have been some iterations ago.
    void stop(std::size_t col, SolveStatus why)
    {
        header.running -= status[col] == SolveStatus::running;
        status[col] = why;
        norms[col] = R{7};
    }
};

/// The state with these values on `exec`.
template <class R>
StopState<R> stop_state(const Executor& exec, const StopValues<R>& values)
{
    const auto cols = static_cast<size_type>(values.cols());
    StopState<R> state(exec, cols);
    state.keep_history(cols == 0 ? 0 : static_cast<size_type>(values.history.size()) / cols);
    const auto view = state.view();
    const auto& host = reference_executor();
    copy_bytes(host, &values.header, exec, view.header, sizeof values.header);
    copy_bytes(host, values.status.data(), exec, view.status, values.status.size() * sizeof(SolveStatus));
    copy_bytes(host, values.counts.data(), exec, view.iterations, values.counts.size() * sizeof(std::int64_t));
    copy_bytes(host, values.norms.data(), exec, view.residual, values.norms.size() * sizeof(R));
    copy_bytes(host, values.history.data(), exec, view.history, values.history.size() * sizeof(R));
    return state;
}

template <class R>
StopValues<R> values_of(const StopState<R>& state)
{
    return {state.header().to_host()[0], state.status().to_host(), state.counts().to_host(), state.norms().to_host(),
            state.history().to_host()};
}

/// Same decisions and counts; norms within k * eps of the largest.
template <class R>
void expect_same_state(const StopValues<R>& actual, const StopValues<R>& expected, double k)
{
    EXPECT_EQ(actual.header.running, expected.header.running);
    EXPECT_EQ(actual.header.max_iterations, expected.header.max_iterations);
    EXPECT_EQ(actual.header.stagnation_iterations, expected.header.stagnation_iterations);
    EXPECT_EQ(actual.header.history_capacity, expected.header.history_capacity);
    EXPECT_EQ(actual.status, expected.status);
    EXPECT_EQ(actual.counts, expected.counts);
    expect_near(actual.norms, expected.norms, k);
    expect_near(actual.history, expected.history, k);
}

}  // namespace linden::test
