#include "tools/svg_compare.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "tools/formatted.hpp"
#include "tools/svg.hpp"

namespace linden::tool {
namespace {

using svg::Anchor;
using svg::coordinate;

constexpr double width = 960, height = 500;
constexpr double left = 80, right = 640, top = 56, bottom = 440;

struct Axes {
    int low = -1, high = 0;
    double seconds = 0;

    double x(double time) const { return left + (right - left) * time / seconds; }
    double y(double residual) const { return bottom - (bottom - top) * (std::log10(residual) - low) / (high - low); }
};

bool can_be_shown(double residual) { return residual > 0 && std::isfinite(residual); }

Axes axes_of(const std::vector<TimedCurve>& curves, double tolerance)
{
    double smallest = std::numeric_limits<double>::infinity(), largest = 0;
    Axes axes;
    const auto include = [&](double residual) {
        if (can_be_shown(residual)) {
            smallest = std::min(smallest, residual);
            largest = std::max(largest, residual);
        }
    };
    include(tolerance);
    for (const auto& curve : curves) {
        for (const auto& [time, residual] : curve.points) {
            include(residual);
            axes.seconds = std::max(axes.seconds, time);
        }
    }
    if (largest > 0) {
        axes.low = static_cast<int>(std::floor(std::log10(smallest)));
        axes.high = std::max(static_cast<int>(std::ceil(std::log10(largest))), axes.low + 1);
    }
    axes.seconds = axes.seconds > 0 ? axes.seconds : 1;
    return axes;
}

std::string grid(const Axes& axes)
{
    constexpr std::string_view grey = "stroke=\"#ddd\"";
    std::string picture;
    const int step = (axes.high - axes.low + 9) / 10;
    for (int exponent = axes.high; exponent >= axes.low; exponent -= step) {
        const double y = axes.y(std::pow(10.0, exponent));
        picture +=
            svg::line(left, y, right, y, grey) +
            svg::text(left - 8, y + 5, "10<tspan dy=\"-5\" font-size=\"10\">" + std::to_string(exponent) + "</tspan>",
                      Anchor::end);
    }
    // Ticks are whole numbers: of the largest power of ten of a second that leaves some.
    const double unit = std::pow(10.0, std::floor(std::log10(axes.seconds)) - 1);
    for (const double t : svg::ticks(axes.seconds / unit, 6)) {
        const double x = axes.x(t * unit);
        picture +=
            svg::line(x, top, x, bottom, grey) + svg::text(x, bottom + 18, formatted("%.3g", t * unit), Anchor::middle);
    }
    return picture;
}

/// About a thousand points at most.
std::string path_of(const TimedCurve& curve, const Axes& axes, std::string_view colour)
{
    const auto stride = std::max<std::size_t>(1, curve.points.size() / 1000);
    std::string path;
    bool is_broken = true;
    for (std::size_t k = 0; k < curve.points.size(); k += k + stride < curve.points.size() ? stride : 1) {
        const auto& [time, residual] = curve.points[k];
        if (!can_be_shown(residual)) {
            is_broken = true;
            continue;
        }
        path += (is_broken ? " M" : " L") + coordinate(axes.x(time)) + " " + coordinate(axes.y(residual));
        is_broken = false;
    }
    return "<path d=\"" + (path.empty() ? path : path.substr(1)) +
           "\" fill=\"none\" stroke-width=\"1.8\" stroke-linejoin=\"round\" stroke=\"" + std::string(colour) + "\"/>\n";
}

}  // namespace

std::string comparison_plot(const std::string& title, const std::vector<TimedCurve>& curves, double tolerance)
{
    const auto axes = axes_of(curves, tolerance);
    const auto middle = coordinate((top + bottom) / 2);
    auto picture = svg::head(width, height, title) + grid(axes) +
                   svg::text(left, 28, svg::escaped(title), Anchor::start, "font-size=\"16\" font-weight=\"bold\"") +
                   svg::text((left + right) / 2, bottom + 44, "seconds, set-up included", Anchor::middle) +
                   svg::text(22, (top + bottom) / 2, "relative residual ||r|| / ||b||", Anchor::middle,
                             "transform=\"rotate(-90 22 " + middle + ")\"");
    if (can_be_shown(tolerance)) {
        const double y = axes.y(tolerance);
        picture += svg::line(left, y, right, y, "stroke=\"#a00\" stroke-dasharray=\"6 4\"");
    }
    for (std::size_t k = 0; k < curves.size(); ++k) {
        const auto colour = svg::curve_colour(k);
        const double y = top + 18 + 20 * static_cast<double>(k);
        picture += path_of(curves[k], axes, colour) +
                   svg::line(right + 16, y - 4, right + 40, y - 4,
                             "stroke-width=\"1.8\" stroke=\"" + std::string(colour) + "\"") +
                   svg::text(right + 46, y, svg::escaped(curves[k].name), Anchor::start, "font-size=\"11\"");
    }
    return picture + "</svg>\n";
}

}  // namespace linden::tool
