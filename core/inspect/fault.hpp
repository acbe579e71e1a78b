#pragma once

#include <cstdint>
#include <string_view>

namespace linden::inspect {

/// Faults that an inspector plants in what kernels leave, to see whether it finds them.
enum class Fault : std::uint8_t {
    none,
    flipped_bit,   ///< the highest of the mantissa, or the lowest of an integer, of an element that was written
    skipped_item,  ///< an element that was to be written has its old value
    late_write,    ///< as skipped_item, in one of two runs
    other_order,   ///< the last place of a number, in one of two runs, as sums by atomics have it
    stray_write,   ///< a byte of what is only read changes
    lost_nan       ///< what is no number reads 0
};
inline constexpr int num_faults = 7;  ///< with none

constexpr std::string_view name(Fault f)
{
    constexpr std::string_view names[] = {"none",        "flipped bit", "skipped item", "late write",
                                          "other order", "stray write", "lost NaN"};
    return names[static_cast<int>(f)];
}

}  // namespace linden::inspect
