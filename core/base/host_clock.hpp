#pragma once

#include <chrono>
#include <cstdint>

namespace linden {

/// The clock of the host backends' stopping rules, in nanoseconds.
inline std::int64_t host_clock_ns()
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

/// The clock that the stopping state goes by: all ranks of a solve decide by the same.
template <class Stop>
std::int64_t host_clock_ns(const Stop& stop)
{
    return stop.clock == nullptr ? host_clock_ns() : *stop.clock;
}

}  // namespace linden
