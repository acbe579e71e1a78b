#pragma once

#include <string>
#include <utility>
#include <vector>

namespace linden::tool {

/// Residuals over time of one method.
struct TimedCurve {
    std::string name;
    std::vector<std::pair<double, double>> points;  ///< seconds, relative residual
};

/// The picture of several methods on one system, as SVG: time against the logarithm of the residual.
/// `tolerance`: where they stop; 0: not shown.
std::string comparison_plot(const std::string& title, const std::vector<TimedCurve>& curves, double tolerance);

}  // namespace linden::tool
