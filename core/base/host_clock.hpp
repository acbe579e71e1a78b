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

}  // namespace linden
