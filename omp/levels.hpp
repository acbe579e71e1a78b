#pragma once

#include "core/kernels/triangular.hpp"
#include "omp/parallel.hpp"
#include "omp/wait.hpp"

/// How rows in the order of levels are spread over threads.
namespace linden::omp {

/// The rows of some levels, with about so much work per row. A stretch of levels is done by one thread.
template <class I>
struct LevelSchedule {
    const I* level_ptrs;
    LevelRange range;
    size_type values_per_row;

    /// Waking a thread that spins, and waiting for it, takes about as long as so many values.
    static constexpr size_type min_shared_work = 1024;

    /// Whether one thread does the level faster than several that wait for each other.
    bool is_thin(size_type level) const
    {
        return (size_type{level_ptrs[level + 1]} - level_ptrs[level]) * values_per_row < min_shared_work;
    }
    /// The levels from `first` on that one thread does without a barrier; at least one level.
    size_type end_of_stretch(size_type first) const
    {
        size_type last = first + 1;
        while (is_thin(first) && last < range.last_level && is_thin(last)) {
            ++last;
        }
        return last;
    }
    bool has_only_thin_levels() const
    {
        return range.first_level == range.last_level ||
               (is_thin(range.first_level) && end_of_stretch(range.first_level) == range.last_level);
    }
};

template <class I>
int num_threads_for(const Executor& exec, const LevelSchedule<I>& levels)
{
    const size_type work = (levels.range.last_row - levels.range.first_row) * levels.values_per_row;
    return work < min_parallel_work || levels.has_only_thin_levels() ? 1 : num_threads(exec);
}

/// Where the share of part `part` begins of `parts` of the rows [begin, end) of a level: never inside a run.
template <class Follows>
size_type begin_of_share(size_type begin, size_type end, int part, int parts, const Follows& follows)
{
    size_type p = begin + RowPartition(end - begin).first(part, parts);
    while (p > begin && p < end && follows(p)) {
        ++p;
    }
    return p;
}

/// What the threads of a team share that goes through levels. Where it waits most of the time after levels that all
/// shared, some thread is without a processor, and one does the rest.
class LevelTeam {
public:
    /// After a level; false: thread 0 does all levels to come, without barriers.
    bool goes_on(int threads, bool was_shared, WaitMeter& meter)
    {
        barrier_.wait(threads, [&] { is_over_ = is_stalled(threads); });
        const auto waited = meter.since_last();
        if (was_shared && waited > 0) {
            waited_.fetch_add(waited, std::memory_order_relaxed);
        }
        return !is_over_;
    }

private:
    bool is_stalled(int threads) const
    {
        const auto waited = waited_.load(std::memory_order_relaxed);
        return waited > least_stall && 4 * waited > 3 * (threads - 1) * (early_now() - begin_);
    }

    SpinBarrier barrier_;
    std::atomic<Nanoseconds> waited_{0};
    bool is_over_ = false;
    Nanoseconds begin_ = early_now();
};

/// The share of one thread of a team of `threads`.
template <class I, class Follows, class Body>
void run_levels_of_thread(const LevelSchedule<I>& levels, int thread, int threads, LevelTeam& team,
                          const Follows& follows, const Body& body)
{
    WaitMeter meter;
    size_type last = 0;
    for (size_type level = levels.range.first_level; level < levels.range.last_level; level = last) {
        last = levels.end_of_stretch(level);
        const size_type begin = levels.level_ptrs[level];
        const size_type end = levels.level_ptrs[last];
        const bool is_shared = !levels.is_thin(level);
        if (is_shared) {
            body(begin_of_share(begin, end, thread, threads, follows),
                 begin_of_share(begin, end, thread + 1, threads, follows));
        } else if (thread == 0) {
            body(begin, end);
        }
        if (last < levels.range.last_level && !team.goes_on(threads, is_shared, meter)) {
            if (thread == 0) {
                body(end, levels.range.last_row);
            }
            return;
        }
    }
}

/// Calls body(begin, end) for parts of the rows in the order of their levels, none before all rows of earlier levels:
/// one parallel region, in which levels are shared out and stretches of thin ones are one thread's. One thread gets all
/// rows at once. follows(p): whether position p needs position p - 1, of the same level, and so is of its run.
template <class I, class Follows, class Body>
void run_levels(const Executor& exec, const LevelSchedule<I>& levels, const Follows& follows, const Body& body)
{
    const int wanted = num_threads_for(exec, levels);
    if (wanted == 1) {
        body(levels.range.first_row, levels.range.last_row);
        return;
    }
    LevelTeam team;
    run_team(wanted, [&](int thread, int threads) {
        if (threads == 1) {
            body(levels.range.first_row, levels.range.last_row);
        } else {
            run_levels_of_thread(levels, thread, threads, team, follows, body);
        }
    });
}

}  // namespace linden::omp
