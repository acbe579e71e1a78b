#pragma once

#include "gpu/device/memory_order.cuh"
#include "gpu/vector/column_stop.cuh"

/// How the host sees a solve in one kernel, whose stopping state is in shared memory, and ends it
/// (doc/decisions/0022-observers-move-the-deadline.md). All blocks go by the time that block 0 tells.
namespace linden::cuda {

/// Block 0 looks at the deadline in memory, and shows the state there, once in so many iterations.
inline constexpr std::int64_t iterations_between_looks = 32;
/// The time of a solve that the host has ended.
inline constexpr std::int64_t end_of_time = INT64_MAX;

/// Takes the state from memory, the history in block 0 only. A deadline that the host has moved meanwhile counts from
/// the next look on: the other blocks may not have seen it. Called by one thread of each block.
template <class R>
__device__ inline void load_watched(const StopView<R>& stop, ColumnStop<R>& local)
{
    local.load(stop);
    StopHeader& header = local.header;
    if (header.deadline == 0 || header.deadline == ended_deadline) {
        header.deadline = end_of_time;
    }
    if (block_id() != 0) {
        header.history_capacity = 0;
    }
}

/// The time in nanoseconds, for the note of GridExchange::sum.
template <class R>
__device__ inline std::uint64_t watched_time(const StopView<R>& stop, const ColumnStop<R>& local)
{
    if (block_id() == 0 && thread_id() == 0 && local.iterations % iterations_between_looks == 0) {
        local.store(stop);
        if (load_relaxed(&stop.header->deadline) == ended_deadline) {
            return end_of_time;
        }
    }
    return global_timer_ns();
}

}  // namespace linden::cuda
