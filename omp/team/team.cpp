#include "omp/team/team.hpp"

#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

#include "omp/team/clock.hpp"
#include "omp/thread_sanitizer.hpp"

namespace linden::omp {
namespace {

/// Whether other threads of the machine can run on all processors that it has now. The fourth of the values is
/// RUNNABLE/ALL, with the calling thread.
bool others_fill_processors()
{
    int runnable = 0;
    std::FILE* const file = std::fopen("/proc/loadavg", "r");  // streams would set up their locales first, 0.3 ms
    const bool is_read = file != nullptr && std::fscanf(file, "%*f %*f %*f %d", &runnable) == 1;
    if (file != nullptr) {
        std::fclose(file);
    }
    return is_read && runnable > sysconf(_SC_NPROCESSORS_ONLN);
}

/// Whether this process has been forked from one that had a team: its threads are not here, and OpenMP, which does not
/// know, would wait for them for ever.
std::atomic<bool> has_lost_team{false};

void lose_team_in_children()
{
    [[maybe_unused]] static const int registered =
        pthread_atfork(nullptr, nullptr, [] { has_lost_team.store(true, std::memory_order_relaxed); });
}

struct Region {
    TeamFunction function;
    const void* body;
    bool is_measured;
    std::atomic<Nanoseconds> work{0};

    /// What the thread did, apart from its waits, and the time that the system kept it from that.
    ThreadTimes run(int thread, int threads)
    {
        const auto waited = waited_times();
        const auto begin = ThreadTimes::read();
        function(body, thread, threads);
        const auto times = (ThreadTimes::read() - begin) - (waited_times() - waited);
        work.fetch_add(times.processor, std::memory_order_relaxed);
        return times;
    }
};

/// Returns when the caller's share ended, and adds to `off` what it spent off its processor.
__attribute__((no_sanitize("thread"))) Nanoseconds fork(Region& region, int wanted, Nanoseconds& off)
{
    Nanoseconds end_of_own = 0;
    char start = 0;
    char end = 0;
    announce(&start);
#pragma omp parallel num_threads(wanted)
    {
        observe(&start);
        const int thread = omp_get_thread_num();
        ThreadTimes times;
        if (region.is_measured) {
            times = region.run(thread, omp_get_num_threads());
        } else {
            region.function(region.body, thread, omp_get_num_threads());
        }
        if (thread == 0) {
            end_of_own = now();
            off = std::max<Nanoseconds>(times.wall - times.processor, 0);
        }
        announce(&end);
    }
    observe(&end);
    return end_of_own;
}

/// The largest team of a thread so far, and how long its regions had no team.
struct Teams {
    int started = 1;
    Nanoseconds alone = 0;
};

Teams& teams_of_caller()
{
    static thread_local Teams teams;
    return teams;
}

/// Runs the region on the caller alone, if it is too early for a team.
bool run_alone(int wanted, TeamFunction function, const void* body)
{
    auto& teams = teams_of_caller();
    if (wanted <= teams.started || teams.alone >= time_alone) {
        return false;
    }
    const auto begin = early_now();
    function(body, 0, 1);
    teams.alone += early_now() - begin;
    return true;
}

/// Moves the calling thread to the processor that lies `distance` behind `from`, of those that it may run on, and lets
/// the system move it from there.
void move_thread([[maybe_unused]] int from, [[maybe_unused]] int distance)
{
#if defined(__linux__)
    cpu_set_t allowed;
    if (from < 0 || sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < 2) {
        return;
    }
    int to = from;
    for (int left = distance % CPU_COUNT(&allowed); left > 0; left -= CPU_ISSET(to, &allowed) ? 1 : 0) {
        to = (to + 1) % CPU_SETSIZE;
    }
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(to, &one);
    if (sched_setaffinity(0, sizeof one, &one) == 0) {
        sched_setaffinity(0, sizeof allowed, &allowed);
    }
#endif
}

int processor_of_caller()
{
#if defined(__linux__)
    return sched_getcpu();
#else
    return -1;
#endif
}

/// Makes threads, each on a processor of its own: a new thread often begins on that of the one that made it, and the
/// one that waits there for the other, awake as OpenMP's threads do, keeps it off for ticks of the system's clock, 4 to
/// 16 ms.
__attribute__((no_sanitize("thread"))) void start_threads(int wanted)
{
    auto& teams = teams_of_caller();
    if (wanted <= teams.started) {
        return;
    }
    std::atomic<int> arrived{0};
    const int maker = processor_of_caller();
#pragma omp parallel num_threads(wanted)
    {
        if (const int thread = omp_get_thread_num(); thread > 0) {
            move_thread(maker, thread);
        }
        arrived.fetch_add(1, std::memory_order_relaxed);
        while (omp_get_thread_num() == 0 && arrived.load(std::memory_order_relaxed) < omp_get_num_threads()) {
            std::this_thread::sleep_for(std::chrono::microseconds(20));
        }
    }
    teams.started = wanted;
}

}  // namespace

Load& process_load()
{
    static Load load(others_fill_processors);
    return load;
}

void end_time_alone()
{
    early_now();
    teams_of_caller().alone = time_alone;
}

void run_team(int wanted, TeamFunction function, const void* body)
{
    if (has_lost_team.load(std::memory_order_relaxed)) {
        function(body, 0, 1);
        return;
    }
    if (run_alone(wanted, function, body)) {
        return;
    }
    Load& load = process_load();
    const auto plan = load.plan(wanted, now());
    if (plan.threads == 1) {
        function(body, 0, 1);
        return;
    }
    lose_team_in_children();
    start_threads(plan.threads);
    const auto begin = now();
    Region region{function, body, plan.is_measured};
    const auto waited = waited_times().wall;
    Nanoseconds off = 0;
    const auto end_of_own = fork(region, plan.threads, off);
    const auto end = now();
    const auto span = end - begin - off;
    load.report(wanted, plan, {span, end - end_of_own + waited_times().wall - waited, region.work.load()}, end);
}

}  // namespace linden::omp
