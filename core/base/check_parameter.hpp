#pragma once

#include <linden/error.hpp>

#include <charconv>
#include <iterator>
#include <string_view>
#include <system_error>

namespace linden {

/// @throws InvalidParameter{name, value, allowed} unless `is_valid`; whole numbers are written without a point
inline void check_parameter(bool is_valid, std::string_view name, double value, std::string_view allowed)
{
    if (!is_valid) {
        char digits[32];  // -1e-09 is not -0.000000
        const auto end = std::to_chars(std::begin(digits), std::end(digits), value).ptr;
        throw InvalidParameter(name, {std::begin(digits), end}, allowed);
    }
}

/// Whether `text` is a number that T cannot hold.
template <class T>
bool is_out_of_range(std::string_view text)
{
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc::result_out_of_range && end == text.data() + text.size();
}

}  // namespace linden
