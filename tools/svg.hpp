#pragma once

#include <iterator>
#include <string>
#include <string_view>
#include <vector>

/// Pieces of SVG that the pictures share.
namespace linden::tool::svg {

/// `text` with the characters that mean something to XML escaped, and control characters left out.
std::string escaped(std::string_view text);

/// A coordinate with two decimals at most.
std::string coordinate(double value);

enum class Anchor { start, middle, end };

/// A text at (x, y); `attributes` as in `fill="#555"`.
std::string text(double x, double y, std::string_view content, Anchor anchor, std::string_view attributes = {});

std::string line(double x1, double y1, double x2, double y2, std::string_view attributes);

/// The opening tag of a picture on white, with a title for readers that do not see.
std::string head(double width, double height, std::string_view title);

/// Dark enough on white, and told apart with the usual kinds of colour blindness (Wong, Nature Methods 8, 2011).
inline constexpr std::string_view curve_colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                     "#e69f00", "#56b4e9", "#000000", "#8c6d31"};
/// That of curve `k`; there are as many as there are colours, then they repeat.
constexpr std::string_view curve_colour(std::size_t k) { return curve_colours[k % std::size(curve_colours)]; }

/// About `count` multiples of 1, 2 or 5 times a power of ten in [0, last], 0 first; whole numbers.
std::vector<double> ticks(double last, int count);

}  // namespace linden::tool::svg
