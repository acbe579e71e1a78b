#include "omp/team/clock.hpp"

#include <ctime>

#include <chrono>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace linden::omp {
namespace {

Nanoseconds system_time()
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

#if defined(__x86_64__)
/// Nanoseconds per tick, from a quarter of a millisecond.
double length_of_tick()
{
    const auto ticks = __rdtsc();
    const auto begin = system_time();
    auto end = begin;
    while (end - begin < 250'000) {
        end = system_time();
    }
    return static_cast<double>(end - begin) / static_cast<double>(__rdtsc() - ticks);
}
#endif

}  // namespace

Nanoseconds now()
{
#if defined(__x86_64__)
    static const double nanoseconds = length_of_tick();
    return static_cast<Nanoseconds>(static_cast<double>(__rdtsc()) * nanoseconds);
#else
    return system_time();
#endif
}

ThreadTimes ThreadTimes::read()
{
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return {now(), Nanoseconds{time.tv_sec} * 1'000'000'000 + time.tv_nsec};
}

ThreadTimes& waited_times()
{
    static thread_local ThreadTimes times;
    return times;
}

}  // namespace linden::omp
