#pragma once

#include <linden/executor.hpp>

namespace linden::benchmarks {

/// What an executor's memory gives, in bytes per second; the best of several runs over blocks that no cache holds.
/// Bytes are those that the loop names: what a cache reads before it is overwritten does not count, as in STREAM.
struct Bandwidth {
    double copy;   ///< a := b, 2 words
    double triad;  ///< a := b + s c, 3 words
};

/// Measured at the first call for a backend. On hosts by loops of this file, on as many threads as the executor has;
/// on devices by the copy of the runtime and by the kernel dense::combine, whose traffic is that of the triad.
const Bandwidth& bandwidth(const Executor& exec);

}  // namespace linden::benchmarks
