#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tools/formatted.hpp"
#include "tools/svg.hpp"
#include "tools/validate/report.hpp"

/// Pieces of the page that shows a report.
namespace linden::tool::html {

using svg::escaped;

std::string text_of(const Json& entry, const char* key);

/// A cell of a table; `content` is HTML. The default kind is a number.
std::string cell(const std::string& content, const char* kind = "n");
/// A box that scrolls by itself, with a table of these column heads; `table_end` closes both.
std::string table(const std::vector<std::string>& heads);
inline constexpr const char* table_end = "</table></div>\n";

std::string list(const std::vector<std::string>& lines);
/// Something that is folded until it is wanted; `content` is HTML.
std::string folded(const std::string& summary, const std::string& content, bool is_open = false);
std::string verdict_tag(const std::string& verdict);

/// A bar per line with its number; bars end at `full`. Those below `least` have another colour.
std::string bars(const std::vector<std::pair<std::string, double>>& values, double full, double least,
                 const std::string& unit, const std::string& title);

/// Kernels by domain and backend, how far from the reference.
std::string kernels_section(const Json& report);
/// The worst call of each kernel, and how to repeat it.
std::string calls_section(const Json& report);
/// Kernels that were not inspected, by reason.
std::string gaps_section(const Json& report);
std::string comparison_section(const Comparison& comparison);

}  // namespace linden::tool::html
