#pragma once

#include "core/base/check_parameter.hpp"

namespace linden::detail {

/// @throws InvalidParameter unless 0 < omega < 2
inline void check_relaxation(double omega) { check_parameter(omega > 0 && omega < 2, "omega", omega, "0 < omega < 2"); }

}  // namespace linden::detail
