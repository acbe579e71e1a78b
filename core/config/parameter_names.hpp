#pragma once

#include <string_view>

/// What parameters of several operators are called.
namespace linden::config {

inline constexpr std::string_view storage_names[] = {"same", "single", "half"};              // StoragePrecision
inline constexpr std::string_view direction_names[] = {"symmetric", "forward", "backward"};  // SweepDirection
inline constexpr std::string_view shift_meaning = "so much of its row's norm is added to each diagonal entry";

}  // namespace linden::config
