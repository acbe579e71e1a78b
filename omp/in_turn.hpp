#pragma once

#include <atomic>

#include "omp/team/team.hpp"

/// Work whose pieces differ in length.
namespace linden::omp {

/// Calls run(thread, i) for first <= i < end, by any of so many threads: in order, each by the first thread that is
/// free.
template <class Run>
void run_in_turn(size_type first, size_type end, int threads, const Run& run)
{
    if (first >= end) {
        return;
    }
    std::atomic<size_type> next{first};
    run_team(threads, [&](int thread, int) {
        for (size_type i = next++; i < end; i = next++) {
            run(thread, i);
        }
    });
}

}  // namespace linden::omp
