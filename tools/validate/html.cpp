#include "tools/validate/html.hpp"

#include <algorithm>
#include <cmath>

namespace linden::tool {

std::string figures(double value)
{
    const double size = std::abs(value);
    return formatted(size >= 100 && size < 1e6 ? "%.0f" : "%.3g", value);
}

namespace html {

std::string text_of(const Json& entry, const char* key) { return entry[key].get<std::string>(); }

std::string cell(const std::string& content, const char* kind)
{
    return "<td class=\"" + std::string(kind) + "\">" + content + "</td>";
}

std::string table(const std::vector<std::string>& heads)
{
    std::string html = "<div class=\"wide\"><table>\n<tr>";
    for (const auto& head : heads) {
        html += "<th>" + head + "</th>";
    }
    return html + "</tr>\n";
}

std::string list(const std::vector<std::string>& lines)
{
    std::string html;
    for (const auto& line : lines) {
        html += "<li>" + escaped(line) + "</li>\n";
    }
    return html.empty() ? html : "<ul>" + html + "</ul>\n";
}

std::string folded(const std::string& summary, const std::string& content, bool is_open)
{
    return std::string("<details") + (is_open ? " open" : "") + "><summary>" + summary + "</summary>\n" + content +
           "</details>\n";
}

std::string verdict_tag(const std::string& verdict)
{
    return "<span class=\"verdict " + verdict + "\">" + verdict + "</span>";
}

std::string bars(const std::vector<std::pair<std::string, double>>& values, double full, double least,
                 const std::string& unit, const std::string& title)
{
    if (values.empty()) {
        return {};
    }
    std::size_t longest = 0;
    for (const auto& [name, value] : values) {
        longest = std::max(longest, name.size());
    }
    const double label = 7 * static_cast<double>(longest) + 8, row = 20, room = 200, width = label + room + 90;
    std::string picture = svg::head(width, row * static_cast<double>(values.size()) + 4, title);
    double y = 2;
    for (const auto& [name, value] : values) {
        const double length = std::clamp(value / full, 0.0, 1.0) * room;
        picture += svg::text(label - 6, y + 14, name, svg::Anchor::end, "font-size=\"12\"");
        picture += "<rect x=\"" + svg::coordinate(label) + "\" y=\"" + svg::coordinate(y + 3) + "\" width=\"" +
                   svg::coordinate(length) + "\" height=\"13\" fill=\"" + (value < least ? "#bf8700" : "#1a7f37") +
                   "\"/>\n";
        picture +=
            svg::text(label + length + 6, y + 14, figures(value) + " " + unit, svg::Anchor::start, "font-size=\"12\"");
        y += row;
    }
    const bool fits = width <= 360;  // into any window
    return std::string("<div class=\"wide\"><div class=\"") + (fits ? "small" : "large") + "\">" + picture +
           "</svg></div></div>\n";
}

}  // namespace html
}  // namespace linden::tool
