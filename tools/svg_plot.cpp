#include "tools/svg_plot.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "tools/svg.hpp"

namespace linden::tool {
namespace {

using svg::Anchor;
using svg::coordinate;

constexpr double width = 800, height = 500;
constexpr double left = 80, right = 776, top = 64, bottom = 440;

/// The ranges of both axes and their map to the picture.
class Axes {
public:
    explicit Axes(const PlotData& data)
    {
        double smallest = std::numeric_limits<double>::infinity();
        double largest = 0;
        const auto include = [&](double value) {
            if (value > 0 && std::isfinite(value)) {
                smallest = std::min(smallest, value);
                largest = std::max(largest, value);
            }
        };
        for (const auto& row : data.history) {
            std::for_each(row.begin(), row.end(), include);
        }
        include(data.tolerance);
        if (largest > 0) {
            low_ = static_cast<int>(std::floor(std::log10(smallest)));
            high_ = std::max(static_cast<int>(std::ceil(std::log10(largest))), low_ + 1);
        }
        last_ = data.history.size() < 2 ? 1 : static_cast<double>(data.history.size() - 1);
    }

    int low() const { return low_; }
    int high() const { return high_; }
    double last() const { return last_; }
    double x(double iteration) const { return left + (right - left) * iteration / last_; }
    double y(double exponent) const { return bottom - (bottom - top) * (exponent - low_) / (high_ - low_); }

private:
    int low_ = -1;
    int high_ = 0;
    double last_ = 1;
};

/// 10 to a power, the exponent raised.
std::string power_of_ten(int exponent)
{
    return "10<tspan dy=\"-5\" font-size=\"10\">" + std::to_string(exponent) + "</tspan>";
}

std::string grid(const Axes& axes)
{
    constexpr std::string_view grey = "stroke=\"#ddd\"";
    std::string picture;
    const int decades = axes.high() - axes.low();
    const int step = (decades + 9) / 10;
    for (int exponent = axes.high(); exponent >= axes.low(); exponent -= step) {
        const double y = axes.y(exponent);
        picture += svg::line(left, y, right, y, grey) + svg::text(left - 8, y + 5, power_of_ten(exponent), Anchor::end);
    }
    for (const double t : svg::ticks(axes.last(), 8)) {
        const double x = axes.x(t);
        picture += svg::line(x, top, x, bottom, grey) +
                   svg::text(x, bottom + 18, std::to_string(static_cast<long long>(t)), Anchor::middle);
    }
    return picture + "<rect x=\"" + coordinate(left) + "\" y=\"" + coordinate(top) + "\" width=\"" +
           coordinate(right - left) + "\" height=\"" + coordinate(bottom - top) +
           "\" fill=\"none\" stroke=\"#444\"/>\n";
}

std::string labels(const PlotData& data)
{
    const auto middle = coordinate((top + bottom) / 2);
    return svg::text(left, 28, svg::escaped(data.title), Anchor::start, "font-size=\"16\" font-weight=\"bold\"") +
           svg::text(left, 48, svg::escaped(data.subtitle), Anchor::start, "fill=\"#555\"") +
           svg::text((left + right) / 2, bottom + 44, "iteration", Anchor::middle) +
           svg::text(22, (top + bottom) / 2, "relative residual ||r|| / ||b||", Anchor::middle,
                     "transform=\"rotate(-90 22 " + middle + ")\"");
}

/// The line of one column. Where there are more iterations than a printer could tell apart, each stretch of them is
/// drawn by its smallest and its largest value, which keeps every peak.
std::string curve(const PlotData& data, std::size_t col, const Axes& axes)
{
    constexpr std::size_t max_stretches = 1000;
    const auto rows = data.history.size();
    const auto stretch = std::max<std::size_t>(1, rows / max_stretches);
    std::string path;
    bool broken = true;
    const auto add = [&](std::size_t row) {
        const double value = data.history[row][col];
        if (!(value > 0) || !std::isfinite(value)) {
            broken = true;
            return;
        }
        path += (broken ? " M" : " L") + coordinate(axes.x(static_cast<double>(row))) + " " +
                coordinate(axes.y(std::log10(value)));
        broken = false;
    };
    for (std::size_t begin = 0; begin < rows; begin += stretch) {
        const auto end = std::min(begin + stretch, rows);
        auto smallest = begin;
        auto largest = begin;
        for (auto row = begin; row < end; ++row) {
            smallest = data.history[row][col] < data.history[smallest][col] ? row : smallest;
            largest = data.history[row][col] > data.history[largest][col] ? row : largest;
        }
        add(std::min(smallest, largest));
        if (smallest != largest) {
            add(std::max(smallest, largest));
        }
    }
    return "<path d=\"" + (path.empty() ? path : path.substr(1)) + "\" fill=\"none\" stroke-width=\"" +
           (rows > max_stretches / 2 ? "1" : "1.8") + "\" stroke-linejoin=\"round\" stroke=\"" +
           std::string(svg::curve_colour(col)) + "\"/>\n";
}

std::string legend(std::size_t num_columns)
{
    std::string picture;
    for (std::size_t col = 0; num_columns > 1 && col < std::min(num_columns, std::size(svg::curve_colours)); ++col) {
        const double y = top + 18 + 18 * static_cast<double>(col);
        picture += svg::line(right - 110, y - 4, right - 86, y - 4,
                             "stroke-width=\"1.8\" stroke=\"" + std::string(svg::curve_colour(col)) + "\"") +
                   svg::text(right - 80, y, "column " + std::to_string(col + 1), Anchor::start);
    }
    return picture;
}

std::string tolerance_line(const PlotData& data, const Axes& axes)
{
    if (!(data.tolerance > 0) || !std::isfinite(data.tolerance)) {
        return {};
    }
    const double y = axes.y(std::log10(data.tolerance));
    return svg::line(left, y, right, y, "stroke=\"#a00\" stroke-dasharray=\"6 4\"") +
           svg::text(left + 8, y - 6, "tolerance", Anchor::start, "fill=\"#a00\"");
}

}  // namespace

std::string residual_plot(const PlotData& data)
{
    const Axes axes(data);
    const auto num_columns = data.history.empty() ? 0 : data.history.front().size();
    std::string picture = svg::head(width, height, data.title) + grid(axes) + labels(data) + tolerance_line(data, axes);
    for (std::size_t col = 0; col < num_columns; ++col) {
        picture += curve(data, col, axes);
    }
    return picture + legend(num_columns) + "</svg>\n";
}

}  // namespace linden::tool
