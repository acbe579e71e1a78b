#pragma once

#include <linden/executor.hpp>

#include <cstdio>

namespace linden::tool {

/// A line on standard error where there are fewer processors than `threads`.
inline void warn_of_threads(int threads)
{
    const auto omp = backend_info(Backend::omp);
    const int available = omp.devices.empty() ? 0 : omp.devices.front().num_units;
    if (available > 0 && threads > available) {
        std::fprintf(stderr, "linden: --threads %d: only %d %s (affinity, quota)\n", threads, available,
                     available == 1 ? "processor is available" : "processors are available");
    }
}

}  // namespace linden::tool
