#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "benchmark/papers/chart.hpp"
#include "tools/svg.hpp"

/// Pictures of the experiments of papers: lines over whole numbers.
namespace linden::benchmarks {

struct Line {
    std::string label;
    std::vector<double> values;  ///< one for each place; a gap where one is not finite
    bool is_dashed = false;      ///< so that a line below it shows
};

struct LinePanel {
    std::string name;
    std::vector<Line> lines;
};

struct LineChart {
    std::string title;
    std::string across, upwards;      ///< what the axes show
    std::vector<std::string> places;  ///< across
    bool is_logarithmic = false;      ///< upwards; else from 0
    std::vector<LinePanel> panels{};
};

/// The axis upwards of a panel.
class LineAxis {
public:
    static constexpr double height = 220;

    LineAxis(const LinePanel& panel, bool is_logarithmic, double bottom)
        : is_logarithmic_(is_logarithmic),
          bottom_(bottom)
    {
        double smallest = INFINITY, largest = 0;
        for (const auto& line : panel.lines) {
            for (const double value : line.values) {
                if (has(value)) {
                    smallest = std::min(smallest, value);
                    largest = std::max(largest, value);
                }
            }
        }
        if (is_logarithmic && largest > 0) {
            low_ = std::floor(std::log10(smallest));
            high_ = std::max(std::ceil(std::log10(largest)), low_ + 1);
        } else {
            high_ = std::max(largest, 1.0);
        }
    }

    bool has(double value) const { return std::isfinite(value) && (value > 0 || !is_logarithmic_); }
    double y(double value) const
    {
        return bottom_ - height * ((is_logarithmic_ ? std::log10(value) : value) - low_) / (high_ - low_);
    }
    /// Values that have a line of the grid.
    std::vector<double> ticks() const
    {
        if (!is_logarithmic_) {
            return tool::svg::ticks(high_, 5);
        }
        std::vector<double> result;
        for (double exponent = low_; exponent <= high_; ++exponent) {
            result.push_back(std::pow(10, exponent));
        }
        return result;
    }

private:
    bool is_logarithmic_;
    double bottom_;
    double low_ = 0;
    double high_ = 1;
};

inline std::string stroke(const Line& line, const std::string& colour)
{
    return "stroke-width=\"1.6\" stroke=\"" + colour + "\"" + (line.is_dashed ? " stroke-dasharray=\"6 6\"" : "");
}

/// `x`: of each place.
inline std::string curve(const Line& line, const std::vector<double>& x, const LineAxis& axis,
                         const std::string& colour)
{
    std::string path, marks;
    bool is_broken = true;
    for (std::size_t i = 0; i < line.values.size(); ++i) {
        is_broken = is_broken || !axis.has(line.values[i]);
        if (axis.has(line.values[i])) {
            const auto at = tool::svg::coordinate(x[i]), y = tool::svg::coordinate(axis.y(line.values[i]));
            path.append(is_broken ? " M" : " L").append(at).append(" ").append(y);
            marks += "<circle cx=\"" + at + "\" cy=\"" + y + "\" r=\"2.5\" fill=\"" + colour + "\"/>\n";
            is_broken = false;
        }
    }
    return "<path d=\"" + (path.empty() ? path : path.substr(1)) + "\" fill=\"none\" " + stroke(line, colour) + "/>\n" +
           marks;
}

/// With its names of axes and lines; `top`: where it begins.
inline std::string draw(const LineChart& chart, const LinePanel& panel, double top)
{
    namespace svg = tool::svg;
    using svg::Anchor;
    constexpr double left = 60, length = 420, step = 16;
    const double bottom = top + step + LineAxis::height;
    const LineAxis axis(panel, chart.is_logarithmic, bottom);
    std::vector<double> x;
    std::string body = svg::text(10, top + 4, svg::escaped(panel.name), Anchor::start, "font-weight=\"bold\"");
    for (const double value : axis.ticks()) {
        body += svg::line(left, axis.y(value), left + length, axis.y(value), "stroke=\"#ddd\"") +
                svg::text(left - 6, axis.y(value) + 4, format("%g", value), Anchor::end);
    }
    for (std::size_t i = 0; i < chart.places.size(); ++i) {
        const auto steps = static_cast<double>(std::max<std::size_t>(chart.places.size() - 1, 1));
        x.push_back(left + length * static_cast<double>(i) / steps);
        body += svg::text(x.back(), bottom + 16, svg::escaped(chart.places[i]), Anchor::middle);
    }
    body += svg::text(left + length / 2, bottom + 32, svg::escaped(chart.across), Anchor::middle);
    for (std::size_t i = 0; i < panel.lines.size(); ++i) {
        const auto colour = std::string(chart_colours[i % std::size(chart_colours)]);
        const double y = top + step + step * static_cast<double>(i) + 8;
        body += curve(panel.lines[i], x, axis, colour) +
                svg::line(left + length + 16, y - 4, left + length + 40, y - 4, stroke(panel.lines[i], colour)) +
                svg::text(left + length + 46, y, svg::escaped(panel.lines[i].label), Anchor::start);
    }
    return body;
}

inline std::string draw(const LineChart& chart)
{
    namespace svg = tool::svg;
    constexpr double width = 800, room = LineAxis::height + 80;
    std::string body = svg::text(10, 24, svg::escaped(chart.title + ": " + chart.upwards), svg::Anchor::start);
    double y = 48;
    for (const auto& panel : chart.panels) {
        body += draw(chart, panel, y);
        y += room;
    }
    return svg::head(width, y, chart.title) + body + "</svg>\n";
}

}  // namespace linden::benchmarks
