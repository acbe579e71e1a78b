#pragma once

#include <linden/array.hpp>
#include <linden/stop/stop.hpp>

#include <algorithm>
#include <vector>

#include "core/kernels/stop.hpp"

namespace linden {

/// The stopping state of k columns: one allocation on the executor and its view.
template <class R>
class StopState {
public:
    StopState(const Executor& exec, size_type cols)
        : header_(exec, 1),
          status_(exec, cols),
          counts_(exec, 2 * cols),
          norms_(exec, 4 * cols),
          history_(exec),
          cols_(cols)
    {
    }

    /// Makes room for `rows` rows of history.
    void keep_history(size_type rows) { history_.resize(rows * cols_); }
    size_type history_rows() const { return cols_ == 0 ? 0 : history_.size() / cols_; }
    const Array<R>& history() const { return history_; }

    StopView<R> view()
    {
        StopView<R> v;
        v.cols = cols_;
        v.header = header_.data();
        v.status = status_.data();
        v.iterations = counts_.data();
        v.best_iteration = counts_.data() + cols_;
        v.residual = norms_.data();
        v.tolerance = norms_.data() + cols_;
        v.limit = norms_.data() + 2 * cols_;
        v.best = norms_.data() + 3 * cols_;
        v.history = history_.data();
        v.clock = clock_;
        return v;
    }

    /// Goes by `clock` (see StopView), if it is not null.
    void go_by(const std::int64_t* clock) { clock_ = clock; }

    const Array<StopHeader>& header() const { return header_; }
    const Array<SolveStatus>& status() const { return status_; }
    Array<SolveStatus>& status() { return status_; }
    /// iterations, then best iterations
    const Array<std::int64_t>& counts() const { return counts_; }
    /// residuals, tolerances, limits, best residuals
    const Array<R>& norms() const { return norms_; }

private:
    Array<StopHeader> header_;
    Array<SolveStatus> status_;
    Array<std::int64_t> counts_;
    Array<R> norms_;
    Array<R> history_;
    const std::int64_t* clock_ = nullptr;
    size_type cols_;
};

/// The state of the columns, on the host.
template <class R>
struct StopSnapshot {
    /// As `exec` sees it, which need not be the executor whose work changes it.
    StopSnapshot(StopState<R>& state, const Executor& exec)
    {
        const auto view = state.view();
        const auto cols = static_cast<std::size_t>(view.cols);
        const auto read = [&](auto& to, const auto* from, std::size_t count) {
            to.resize(count);
            copy_bytes(exec, from, detail::host(), to.data(), count * sizeof to[0]);
        };
        read(status, view.status, cols);
        read(counts, view.iterations, cols);
        std::vector<R> norms;
        read(norms, view.residual, 2 * cols);  // tolerances lie behind residuals
        residuals.assign(norms.begin(), norms.begin() + view.cols);
        tolerances.assign(norms.begin() + view.cols, norms.end());
    }
    IterationInfo info() const
    {
        return {counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end()), residuals, tolerances, status};
    }

    std::vector<SolveStatus> status;
    std::vector<std::int64_t> counts;  // iterations
    std::vector<double> residuals;
    std::vector<double> tolerances;
};

}  // namespace linden
