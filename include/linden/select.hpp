#pragma once

#include <cstdint>

namespace linden {

/// How exactly a value of some rank is found.
enum class Selection : std::uint8_t {
    exact,
    approximate,  ///< from fewer bytes; off by 0.1 % of all ranks on average, and by 1 % in the worst of 4000 trials
};

}  // namespace linden
