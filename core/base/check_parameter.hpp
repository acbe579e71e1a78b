#pragma once

#include <linden/error.hpp>

#include <string>
#include <string_view>

namespace linden {

/// @throws InvalidParameter{name, value, allowed} unless `is_valid`
inline void check_parameter(bool is_valid, std::string_view name, double value, std::string_view allowed)
{
    if (!is_valid) {
        throw InvalidParameter(name, std::to_string(value), allowed);
    }
}

}  // namespace linden
