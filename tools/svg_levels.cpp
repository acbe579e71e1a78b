#include "tools/svg_levels.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <numeric>
#include <sstream>

#include "tools/svg.hpp"

namespace linden::tool {
namespace {

using svg::Anchor;
using svg::coordinate;

constexpr double width = 800, left = 60, right = 560, top = 64, level_height = 44, phases_height = 70;
/// Told apart with the usual kinds of colour blindness (Wong, Nature Methods 8, 2011).
constexpr std::string_view colours[] = {"#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9"};

std::string bar(double x, double y, double length, double height, std::string_view colour)
{
    return "<rect x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + "\" width=\"" + coordinate(length) +
           "\" height=\"" + coordinate(height) + "\" fill=\"" + std::string(colour) + "\"/>\n";
}

std::string fixed(double value, int digits)
{
    std::ostringstream out;
    out << std::fixed << std::setprecision(digits) << value;
    return out.str();
}

/// A level's bars begin at its number.
std::string level_bars(const AmgLevelReport& level, std::size_t number, double y, double most)
{
    const auto length = [&](size_type count) {
        return (right - left) * std::log10(1 + static_cast<double>(count)) / std::log10(1 + most);
    };
    const auto per_row = static_cast<double>(level.nonzeros) / static_cast<double>(std::max<size_type>(level.rows, 1));
    const std::string numbers = std::to_string(level.rows) + " rows, " + std::to_string(level.nonzeros) + " entries, " +
                                fixed(per_row, 1) + " per row";
    return svg::text(left - 10, y + 20, std::to_string(number), Anchor::end) +
           bar(left, y, length(level.rows), 14, colours[0]) +
           bar(left, y + 16, length(level.nonzeros), 14, colours[1]) +
           svg::text(left, y + 42, numbers, Anchor::start, "font-size=\"11\" fill=\"#555\"");
}

std::string phase_bars(const AmgReport& report, double y)
{
    const double all = std::accumulate(report.seconds.begin(), report.seconds.end(), 0.0);
    std::string picture = svg::text(left, y - 6, "set-up, " + fixed(1e3 * all, 2) + " ms", Anchor::start);
    double x = left, label = left;
    for (std::size_t phase = 0; phase < num_amg_phases; ++phase) {
        const double length = all > 0 ? (width - 2 * left) * report.seconds[phase] / all : 0;
        const auto text = std::string(name(static_cast<AmgPhase>(phase))) + " " + fixed(1e3 * report.seconds[phase], 2);
        picture += bar(x, y, length, 14, colours[phase]) + bar(label, y + 22, 8, 8, colours[phase]) +
                   svg::text(label + 12, y + 30, text, Anchor::start, "font-size=\"11\"");
        x += length;
        label += (width - 2 * left) / num_amg_phases;
    }
    return picture;
}

}  // namespace

std::string levels_picture(const AmgReport& report, const std::string& title)
{
    double most = 1;
    for (const auto& level : report.levels) {
        most = std::max(most, static_cast<double>(level.nonzeros));
    }
    const double step = level_height + 8;
    const double bottom = top + step * static_cast<double>(report.levels.size());
    std::string picture = svg::head(width, bottom + phases_height, title) +
                          svg::text(left, 28, svg::escaped(title), Anchor::start, "font-size=\"16\"") +
                          svg::text(left, 48,
                                    std::string(name(report.cycle)) + " cycle, operator complexity " +
                                        fixed(report.operator_complexity(), 2) + "; rows and entries, logarithmic",
                                    Anchor::start, "fill=\"#555\"");
    for (std::size_t l = 0; l < report.levels.size(); ++l) {
        picture += level_bars(report.levels[l], l, top + step * static_cast<double>(l), most);
    }
    return picture + phase_bars(report, bottom + 20) + "</svg>\n";
}

}  // namespace linden::tool
