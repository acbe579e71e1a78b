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
/// The counter and the system's clock at one time.
struct Reading {
    unsigned long long ticks = __rdtsc();
    Nanoseconds time = system_time();
};

const Reading& first_reading()
{
    static const Reading reading;
    return reading;
}

/// Nanoseconds per tick, from a quarter of a millisecond at least since the first reading.
double length_of_tick()
{
    const Reading first = first_reading();
    Reading last;
    while (last.time - first.time < 250'000) {
        last = {};
    }
    return static_cast<double>(last.time - first.time) / static_cast<double>(last.ticks - first.ticks);
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

Nanoseconds early_now()
{
#if defined(__x86_64__)
    first_reading();
#endif
    return system_time();
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
