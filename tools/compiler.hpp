#pragma once

namespace linden::tool {

/// What this program was compiled by.
constexpr const char* compiler()
{
#if defined(__clang__)
    return "Clang " __clang_version__;
#elif defined(__GNUC__)
    return "GCC " __VERSION__;
#else
    return "unknown";
#endif
}

}  // namespace linden::tool
