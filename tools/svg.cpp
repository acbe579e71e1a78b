#include "tools/svg.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace linden::tool::svg {

std::string escaped(std::string_view text)
{
    std::string result;
    for (const char c : text) {
        switch (c) {
        case '&':
            result += "&amp;";
            break;
        case '<':
            result += "&lt;";
            break;
        case '>':
            result += "&gt;";
            break;
        case '"':
            result += "&quot;";
            break;
        default:
            if (static_cast<unsigned char>(c) >= 0x20) {
                result += c;
            }
        }
    }
    return result;
}

std::string coordinate(double value)
{
    char text[40];
    std::snprintf(text, sizeof text, "%.2f", value);
    std::string result = text;
    result.erase(result.find_last_not_of('0') + 1);
    if (result.back() == '.') {
        result.pop_back();
    }
    return result == "-0" ? "0" : result;
}

std::string text(double x, double y, std::string_view content, Anchor anchor, std::string_view attributes)
{
    constexpr std::string_view names[] = {"start", "middle", "end"};
    return "<text x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + "\" text-anchor=\"" +
           std::string(names[static_cast<int>(anchor)]) + "\" " + std::string(attributes) + ">" + std::string(content) +
           "</text>\n";
}

std::string line(double x1, double y1, double x2, double y2, std::string_view attributes)
{
    return "<line x1=\"" + coordinate(x1) + "\" y1=\"" + coordinate(y1) + "\" x2=\"" + coordinate(x2) + "\" y2=\"" +
           coordinate(y2) + "\" " + std::string(attributes) + "/>\n";
}

std::string head(double width, double height, std::string_view title)
{
    const auto w = coordinate(width);
    const auto h = coordinate(height);
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + w + "\" height=\"" + h + "\" viewBox=\"0 0 " + w +
           " " + h + "\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\" fill=\"#222\">\n<title>" +
           escaped(title) + "</title>\n<rect width=\"" + w + "\" height=\"" + h + "\" fill=\"#fff\"/>\n";
}

std::vector<double> ticks(double last, int count)
{
    const double raw = std::max(last, 1.0) / count;
    const double power = std::pow(10.0, std::floor(std::log10(raw)));
    double step = power;
    for (const double factor : {2.0, 5.0, 10.0}) {
        step = step < raw ? factor * power : step;
    }
    step = std::max(std::round(step), 1.0);
    std::vector<double> result;
    for (double t = 0; t <= last; t += step) {
        result.push_back(t);
    }
    return result;
}

}  // namespace linden::tool::svg
