#pragma once

#include <linden/error.hpp>

#include <string>

namespace linden::detail {

/// @throws InvalidParameter unless 0 < omega < 2
inline void check_relaxation(double omega)
{
    if (!(omega > 0 && omega < 2)) {
        throw InvalidParameter("omega", std::to_string(omega), "0 < omega < 2");
    }
}

}  // namespace linden::detail
