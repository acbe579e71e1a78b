#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <string>

/// What the command line checks of numbers, in its words.
namespace linden::tool {

inline CLI::Validator number(bool (*accept)(double), const std::string& expected)
{
    return CLI::Validator(
        [=](std::string& text) {
            double value = 0;
            const bool good = CLI::detail::lexical_cast(text, value) && accept(value);
            return good ? std::string() : "expected " + expected + ", not '" + text + "'";
        },
        "");
}

inline CLI::Validator integer_from(std::int64_t lowest, std::int64_t highest)
{
    const auto range = highest < std::numeric_limits<int>::max()
                           ? "from " + std::to_string(lowest) + " to " + std::to_string(highest)
                           : "of at least " + std::to_string(lowest);
    return CLI::Validator(
        [=](std::string& text) {
            std::int64_t value = 0;
            const bool is_integer = CLI::detail::lexical_cast(text, value);
            if (is_integer && value >= lowest && value <= highest) {
                return std::string();
            }
            const bool is_large = is_integer && value > highest;
            return "expected an integer " + (is_large ? "of at most " + std::to_string(highest) : range) + ", not '" +
                   text + "'";
        },
        "");
}

}  // namespace linden::tool
