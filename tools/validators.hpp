#pragma once

#include <charconv>
#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "core/base/check_parameter.hpp"

/// What the command line checks of numbers, in its words.
namespace linden::tool {

/// `text` as a whole, in decimal digits, with either sign. False if it is no number of the type.
template <class T>
bool read_number(std::string_view text, T& value)
{
    text.remove_prefix(text.starts_with('+') ? 1 : 0);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
}

inline CLI::Validator number(bool (*accept)(double), const std::string& expected)
{
    return CLI::Validator(
        [=](std::string& text) {
            double value = 0;
            if (read_number(text, value) && accept(value)) {
                return std::string();
            }
            return "expected " + expected + (is_out_of_range<double>(text) ? " that fits a double" : "") + ", not '" +
                   text + "'";
        },
        "");
}

/// `text` becomes what CLI11 reads as the same number: it takes 010 for 8, and what is too long for the largest one.
inline CLI::Validator integer_from(std::int64_t lowest, std::int64_t highest)
{
    return CLI::Validator(
        [=](std::string& text) {
            std::int64_t value = 0;
            const bool is_integer = read_number(text, value);
            if (is_integer && value >= lowest && value <= highest) {
                text = std::to_string(value);
                return std::string();
            }
            const bool is_beyond = is_integer ? value > highest : is_out_of_range<std::int64_t>(text);
            const bool names_both = is_beyond || highest < std::numeric_limits<int>::max();
            const auto from = std::to_string(lowest);
            return "expected an integer " +
                   (names_both ? "from " + from + " to " + std::to_string(highest) : "of at least " + from) +
                   ", not '" + text + "'";
        },
        "");
}

}  // namespace linden::tool
