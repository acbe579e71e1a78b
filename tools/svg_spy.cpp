#include "tools/svg_spy.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "tools/svg.hpp"

namespace linden::tool {
namespace {

using svg::Anchor;
using svg::coordinate;

constexpr double left = 76, top = 92, longest_side = 560;
/// Shades from the lightest that is still seen on white to the darkest.
constexpr std::array<std::string_view, 6> shades{"#b8cbe0", "#8fafd3", "#658fc2", "#3f6fab", "#23508a", "#0b2c5c"};

/// The shade of a square with `count` entries, where `most` is the largest count. The logarithm keeps thin parts of a
/// pattern apart beside a dense diagonal.
std::size_t shade_of(size_type count, size_type most)
{
    const double density = most == 1 ? 1 : std::log(static_cast<double>(count)) / std::log(static_cast<double>(most));
    return std::min(static_cast<std::size_t>(density * shades.size()), shades.size() - 1);
}

/// Squares as runs along rows, one path per shade, which keeps large pictures small.
std::string squares(const DensityGrid& grid, double side)
{
    std::array<std::string, shades.size()> paths;
    const auto cells = grid.cells();
    size_type most = 1;
    for (size_type row = 0; row < cells.rows; ++row) {
        for (size_type col = 0; col < cells.cols; ++col) {
            most = std::max(most, grid.at(row, col));
        }
    }
    for (size_type row = 0; row < cells.rows; ++row) {
        for (size_type col = 0; col < cells.cols;) {
            const auto count = grid.at(row, col);
            const auto begin = col++;
            if (count == 0) {
                continue;
            }
            const auto shade = shade_of(count, most);
            while (col < cells.cols && grid.at(row, col) != 0 && shade_of(grid.at(row, col), most) == shade) {
                ++col;
            }
            const auto run = coordinate(side * static_cast<double>(col - begin));
            paths[shade] += "M" + coordinate(left + side * static_cast<double>(begin)) + " " +
                            coordinate(top + side * static_cast<double>(row)) + "h" + run + "v" + coordinate(side) +
                            "h-" + run + "z";
        }
    }
    std::string picture;
    for (std::size_t shade = 0; shade < shades.size(); ++shade) {
        if (!paths[shade].empty()) {
            picture += "<path fill=\"" + std::string(shades[shade]) + "\" d=\"" + paths[shade] + "\"/>\n";
        }
    }
    return picture;
}

std::string whole(double value) { return std::to_string(static_cast<long long>(value)); }

}  // namespace

DensityGrid::DensityGrid(Dim size)
    : size_(size),
      span_(std::max<size_type>(1, (std::max(size.rows, size.cols) + max_cells - 1) / max_cells)),
      cells_{(size.rows + span_ - 1) / span_, (size.cols + span_ - 1) / span_},
      counts_(static_cast<std::size_t>(cells_.rows * cells_.cols))
{
}

std::string pattern_picture(const DensityGrid& grid, const std::string& title, const std::string& subtitle)
{
    const auto size = grid.size();
    const auto most_cells = std::max<size_type>(1, std::max(grid.cells().rows, grid.cells().cols));
    const double side = longest_side / static_cast<double>(most_cells);
    const double scale = side / static_cast<double>(grid.span());
    const double frame_width = std::max(1.0, scale * static_cast<double>(size.cols));
    const double frame_height = std::max(1.0, scale * static_cast<double>(size.rows));
    std::string picture =
        svg::head(left + std::max(frame_width, 320.0) + 24, top + frame_height + 24, title) +
        svg::text(left, 26, svg::escaped(title), Anchor::start, "font-size=\"16\" font-weight=\"bold\"") +
        svg::text(left, 45, svg::escaped(subtitle), Anchor::start, "fill=\"#555\"") + squares(grid, side) +
        "<rect x=\"" + coordinate(left) + "\" y=\"" + coordinate(top) + "\" width=\"" + coordinate(frame_width) +
        "\" height=\"" + coordinate(frame_height) + "\" fill=\"none\" stroke=\"#444\"/>\n" +
        svg::text(left + frame_width / 2, top - 24, "column", Anchor::middle) +
        svg::text(20, top + frame_height / 2, "row", Anchor::middle,
                  "transform=\"rotate(-90 20 " + coordinate(top + frame_height / 2) + ")\"");
    for (const double t : svg::ticks(static_cast<double>(size.cols), 6)) {
        const double x = left + scale * t;
        picture += svg::line(x, top - 5, x, top, "stroke=\"#444\"") + svg::text(x, top - 8, whole(t), Anchor::middle);
    }
    for (const double t : svg::ticks(static_cast<double>(size.rows), 6)) {
        const double y = top + scale * t;
        picture +=
            svg::line(left - 5, y, left, y, "stroke=\"#444\"") + svg::text(left - 8, y + 4, whole(t), Anchor::end);
    }
    return picture + "</svg>\n";
}

}  // namespace linden::tool
