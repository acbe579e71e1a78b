#pragma once

#include <cstdint>

#include "core/base/host_device.hpp"

namespace linden {

/// What counters are multiplied by before they are mixed. [SteeleEtAl14]
inline constexpr std::uint64_t mix_step = 0x9E3779B97F4A7C15u;

/// A one-to-one map whose bits each depend on all bits of x: hashes and pseudorandom numbers, the same everywhere.
/// [SteeleEtAl14]
LINDEN_HOST_DEVICE constexpr std::uint64_t mixed(std::uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

}  // namespace linden
