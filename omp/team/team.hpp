#pragma once

#include "omp/team/load.hpp"

/// The one place where this folder's kernels get threads.
namespace linden::omp {

/// Regions of a thread run on it alone for so long before a team is made for them, about what that takes: small systems
/// are solved by then.
#if defined(__SANITIZE_THREAD__)
inline constexpr Nanoseconds time_alone = 0;
#else
inline constexpr Nanoseconds time_alone = 2'000'000;
#endif

/// The load as all executors of the process see it: it is the machine's.
Load& process_load();

/// Ends the time alone of the calling thread, whose regions are going to be large.
void end_time_alone();

using TeamFunction = void (*)(const void* body, int thread, int threads);

void run_team(int wanted, TeamFunction function, const void* body);

/// Calls body(thread, threads) for all threads of a team of at most `wanted`: fewer where OpenMP grants fewer, or where
/// others want the processors (`Load`); the caller alone where the team has one thread, before the caller's regions
/// have taken `time_alone`, and in processes forked from one that has had a team.
template <class Body>
void run_team(int wanted, const Body& body)
{
    run_team(
        wanted,
        [](const void* of_caller, int thread, int threads) { (*static_cast<const Body*>(of_caller))(thread, threads); },
        &body);
}

}  // namespace linden::omp
