#pragma once

#include <string>
#include <vector>

namespace linden::tool {

/// A residual history to draw.
struct PlotData {
    std::string title;
    std::string subtitle;
    /// Row j: the relative residual of each column after j iterations.
    const std::vector<std::vector<double>>& history;
    double tolerance = 0;
};

/// An SVG picture: iterations across, relative residuals on a logarithmic axis, one line per column (a legend names
/// the first eight), a dashed line at the tolerance. Values that a logarithm cannot take are left out.
std::string residual_plot(const PlotData& data);

}  // namespace linden::tool
