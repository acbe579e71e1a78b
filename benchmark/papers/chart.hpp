#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "benchmark/papers/experiment.hpp"
#include "tools/svg.hpp"

/// Pictures of the experiments of papers: bars in groups, whole or in parts.
namespace linden::benchmarks {

/// Told apart with the usual kinds of colour blindness (Wong, Nature Methods 8, 2011), and two more.
constexpr std::string_view chart_colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00",
                                              "#56b4e9", "#000000", "#8c6d31", "#999999"};

struct Bar {
    std::string label;
    double value = NAN;
    std::size_t colour = 0;
};

struct BarGroup {
    std::string name;
    std::vector<Bar> bars;
};

struct BarChart {
    std::string title;
    std::vector<BarGroup> groups;
    bool has_own_scales = false;  ///< one for each group; else they share one, on which 1 is marked
};

inline double longest(const std::vector<Bar>& bars)
{
    double length = 0;
    for (const auto& bar : bars) {
        length = bar.value > length ? bar.value : length;
    }
    return length;
}

/// A star stands where a value is not finite.
inline std::string draw(const BarChart& chart)
{
    namespace svg = tool::svg;
    using svg::Anchor;
    constexpr double left = 180, length = 420, step = 16, top = 40;
    double scale = 0;
    for (const auto& group : chart.groups) {
        scale = std::max(scale, longest(group.bars));
    }
    std::string body;
    double y = top;
    for (const auto& group : chart.groups) {
        body += svg::text(10, y += step, svg::escaped(group.name), Anchor::start, "font-weight=\"bold\"");
        const double unit = length / (chart.has_own_scales ? longest(group.bars) : scale);
        for (const auto& bar : group.bars) {
            const double end = left + (std::isfinite(bar.value) ? unit * bar.value : 0);
            const auto colour = std::string(chart_colours[bar.colour % std::size(chart_colours)]);
            body += svg::text(left - 6, y += step, svg::escaped(bar.label), Anchor::end);
            body += svg::line(left, y - 4, end, y - 4, "stroke-width=\"11\" stroke=\"" + colour + "\"");
            const auto value = chart.has_own_scales ? seconds_text(bar.value) : format("%.3g", bar.value);
            body += svg::text(end + 4, y, value.empty() ? "*" : value, Anchor::start);
        }
        y += step / 2;
    }
    if (!chart.has_own_scales && scale >= 1) {
        const double one = left + length / scale;
        body += svg::line(one, top, one, y, "stroke=\"#222\" stroke-dasharray=\"4 3\"");
    }
    return svg::head(left + length + 80, y + step, chart.title) +
           svg::text(10, 24, svg::escaped(chart.title), Anchor::start) + body + "</svg>\n";
}

/// Bars that consist of parts, the same for all.
struct StackedBar {
    std::string label;
    std::vector<double> values;  ///< one for each part
};

struct StackedGroup {
    std::string name;
    std::vector<StackedBar> bars;
};

struct StackedChart {
    std::string title;
    std::vector<std::string> parts;
    std::vector<StackedGroup> groups;
};

/// All bars have the same length.
inline std::string draw(const StackedChart& chart)
{
    namespace svg = tool::svg;
    using svg::Anchor;
    constexpr double left = 180, length = 480, step = 16, column = 220;
    const auto stroke = [](std::size_t part) {
        return "stroke-width=\"11\" stroke=\"" + std::string(chart_colours[part % std::size(chart_colours)]) + "\"";
    };
    double y = 40;
    std::string body = svg::text(10, 24, svg::escaped(chart.title), Anchor::start);
    for (std::size_t i = 0; i < chart.parts.size(); ++i) {
        const double x = 10 + column * static_cast<double>(i % 3);
        y += i % 3 == 0 ? step : 0;
        body += svg::line(x, y - 4, x + 12, y - 4, stroke(i)) +
                svg::text(x + 18, y, svg::escaped(chart.parts[i]), Anchor::start);
    }
    y += step / 2;
    for (const auto& group : chart.groups) {
        body += svg::text(10, y += step, svg::escaped(group.name), Anchor::start, "font-weight=\"bold\"");
        for (const auto& bar : group.bars) {
            const double whole = std::accumulate(bar.values.begin(), bar.values.end(), 0.0);
            double begin = left;
            body += svg::text(left - 6, y += step, svg::escaped(bar.label), Anchor::end);
            for (std::size_t i = 0; whole > 0 && i < bar.values.size(); ++i) {
                const double end = begin + length * bar.values[i] / whole;
                body += svg::line(begin, y - 4, end, y - 4, stroke(i));
                begin = end;
            }
        }
        y += step / 2;
    }
    return svg::head(left + length + 20, y + step, chart.title) + body + "</svg>\n";
}

}  // namespace linden::benchmarks
