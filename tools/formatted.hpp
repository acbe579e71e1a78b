#pragma once

#include <cstdio>
#include <string>

namespace linden::tool {

/// printf for one number.
template <class T>
std::string formatted(const char* pattern, T value)
{
    char text[64];
    std::snprintf(text, sizeof text, pattern, value);
    return text;
}

}  // namespace linden::tool
