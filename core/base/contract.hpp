#pragma once

#include <cstdint>

namespace linden {

/// Arguments of a kernel, counted from 0.
struct ArgumentSet {
    std::uint32_t bits = 0;

    constexpr bool contains(int argument) const { return (bits >> argument & 1u) != 0; }
};

constexpr ArgumentSet arguments(auto... numbers) { return {((std::uint32_t{1} << numbers) | ... | 0u)}; }

/// How what a backend computes may differ from the reference, where it is not the default; stands beside the kernel's
/// declaration.
///
/// Numbers in an array may differ by (eps + 2 sqrt(m)) u times the largest number that the kernel writes there, where u
/// is the unit roundoff and m the numbers it reads per number that it writes; or by a few times what the reference's
/// own result differs by when its input changes in the last place. What such a change decides otherwise may be decided
/// otherwise. All else is the same, and what a kernel does not write stays. Two runs give the same bits.
struct Contract {
    double eps = 4;            ///< 0: the same bits as the reference has, whatever the values
    ArgumentSet scratch = {};  ///< left in any state
    ArgumentSet host = {};     ///< one value each, in host memory on every backend
    ArgumentSet own = {};      ///< results that only the same backend understands, such as the size of its workspace
    bool needs_state = false;  ///< a workspace is read that another kernel of the same backend has filled
    bool repeats = true;       ///< two runs give the same bits
};

}  // namespace linden
