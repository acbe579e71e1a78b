#pragma once

#include <linden/multigrid/amg.hpp>

#include <string>

namespace linden::tool {

/// An SVG picture of a multigrid hierarchy: for each level a bar for its rows and one for its nonzeros, on logarithmic
/// scales, with the numbers; below them how long each phase of the set-up took.
std::string levels_picture(const AmgReport& report, const std::string& title);

}  // namespace linden::tool
