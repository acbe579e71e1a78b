#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "benchmark/papers/experiment.hpp"
#include "tools/svg.hpp"

/// Pictures of the experiments of papers: bars in groups.
namespace linden::benchmarks {

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
    constexpr std::string_view colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"};
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
            const auto colour = std::string(colours[bar.colour % std::size(colours)]);
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

}  // namespace linden::benchmarks
