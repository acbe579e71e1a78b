#pragma once

#include <linden/storage_precision.hpp>

#include <string_view>

/// Names and help texts of parameters that several operators have.
namespace linden::config {

using detail::storage_names;
inline constexpr std::string_view direction_names[] = {"symmetric", "forward", "backward"};  // SweepDirection
inline constexpr std::string_view shift_meaning = "adds shift * ||a_i||_2 to a_ii before the factorization";

}  // namespace linden::config
