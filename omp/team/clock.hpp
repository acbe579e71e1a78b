#pragma once

#include "omp/team/load.hpp"

/// Clocks that regions are timed with.
namespace linden::omp {

/// Nanoseconds since some origin. The processor's counter where there is one: the system's clock takes up to a quarter
/// of a microsecond on virtual machines.
Nanoseconds now();

/// The system's clock, another origin. The first call of now() takes a quarter of a millisecond to learn the counter's
/// rate, unless this was called that long before.
Nanoseconds early_now();

/// What the calling thread has spent.
struct ThreadTimes {
    Nanoseconds wall = 0;
    Nanoseconds processor = 0;

    static ThreadTimes read();
    ThreadTimes operator-(const ThreadTimes& other) const { return {wall - other.wall, processor - other.processor}; }
    ThreadTimes& operator+=(const ThreadTimes& other)
    {
        wall += other.wall;
        processor += other.processor;
        return *this;
    }
};

/// What the calling thread has spent in waits for others, those alone that lasted (wait.hpp).
ThreadTimes& waited_times();

}  // namespace linden::omp
