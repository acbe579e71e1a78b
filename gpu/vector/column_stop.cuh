#pragma once

#include "core/kernels/stop.hpp"
#include "gpu/device/device.cuh"

namespace linden::LINDEN_GPU_NAMESPACE {

/// The time that a solve goes by, in nanoseconds: that of rank 0 where there are several.
template <class R>
__device__ inline std::int64_t time_of(const StopView<R>& stop)
{
    return stop.clock != nullptr ? *stop.clock : static_cast<std::int64_t>(global_timer_ns());
}

/// The stopping state of one column, taken from memory at once and put back: who works through the rule value by value
/// would wait for memory at each.
template <class R>
struct ColumnStop {
    StopHeader header;
    SolveStatus status;
    std::int64_t iterations, best_iteration;
    R residual, tolerance, limit, best;

    __device__ void load(const StopView<R>& s, size_type col = 0)
    {
        header = *s.header;
        status = s.status[col];
        iterations = s.iterations[col];
        best_iteration = s.best_iteration[col];
        residual = s.residual[col];
        tolerance = s.tolerance[col];
        limit = s.limit[col];
        best = s.best[col];
    }
    /// All but the header and what a solve does not change.
    __device__ void store(const StopView<R>& s, size_type col = 0) const
    {
        s.status[col] = status;
        s.iterations[col] = iterations;
        s.best_iteration[col] = best_iteration;
        s.residual[col] = residual;
        s.best[col] = best;
    }
    __device__ bool is_running() const { return status == SolveStatus::running; }

    /// Ends an iteration of the column with the residual norm `norm`; returns the number of columns that still run, 0
    /// or 1. The history is written where it is.
    __device__ std::int32_t end_iteration(const StopView<R>& s, size_type col, R norm)
    {
        return end_iteration(s, col, norm, time_of(s));
    }
    __device__ std::int32_t end_iteration(const StopView<R>& s, size_type col, R norm, std::int64_t now)
    {
        return check_column(view(s, col), 0, norm, now) ? 1 : 0;
    }

    /// What is here as a state of one column; the history is that of `s`.
    __device__ StopView<R> view(const StopView<R>& s, size_type col = 0)
    {
        StopView<R> here = s;
        here.header = &header;
        here.status = &status;
        here.iterations = &iterations;
        here.best_iteration = &best_iteration;
        here.residual = &residual;
        here.tolerance = &tolerance;
        here.limit = &limit;
        here.best = &best;
        here.history = s.history + col;
        return here;
    }
};

}  // namespace linden::LINDEN_GPU_NAMESPACE
