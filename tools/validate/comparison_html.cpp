#include "tools/validate/html.hpp"

namespace linden::tool::html {
namespace {

std::string numbers_table(const char* what, const std::vector<ComparedNumber>& numbers)
{
    std::string html = table({what, "here", "there", "unit", "ratio"});
    for (const auto& n : numbers) {
        html += "<tr><td>" + escaped(n.name) + "</td>" + cell(figures(n.here)) + cell(figures(n.there)) + "<td>" +
                n.unit + "</td>" + cell(figures(n.here / n.there)) + "</tr>\n";
    }
    return html + table_end;
}

std::string solves_table(const std::vector<ComparedSolve>& solves)
{
    std::string html =
        table({"solve", "iterations here", "there", "status here", "there", "solutions differ by, in eps"});
    for (const auto& s : solves) {
        html += "<tr><td>" + escaped(s.name) + "</td>" + cell(std::to_string(s.iterations_here)) +
                cell(std::to_string(s.iterations_there)) + "<td>" + s.status_here + "</td><td>" + s.status_there +
                "</td>" + cell(figures(s.eps_apart)) + "</tr>\n";
    }
    return html + table_end;
}

std::string only(const std::string& where, const std::vector<std::string>& entries)
{
    return entries.empty()
               ? std::string()
               : folded("Only " + where + ": " + std::to_string(entries.size()) + " kernels, solves and refused cases",
                        list(entries));
}

}  // namespace

std::string comparison_section(const Comparison& c)
{
    std::string html = "<h2 id=\"comparison\">Comparison</h2>\n<p>Here is this report, there that of " +
                       escaped(c.other) + ".</p>\n" + list(c.notes);
    if (!c.limits.empty()) {
        html += numbers_table("limit", c.limits);
    }
    if (!c.kernels.empty()) {
        html += folded("Bandwidths of " + std::to_string(c.kernels.size()) + " kernels, from " +
                           figures(c.kernels.front().here / c.kernels.front().there) + " to " +
                           figures(c.kernels.back().here / c.kernels.back().there) + " of those there",
                       numbers_table("kernel", c.kernels));
    }
    html += "<p>Solves in both: " + std::to_string(c.num_solves) +
            ", with the same bits: " + std::to_string(c.num_same_bits) + ".</p>\n";
    if (!c.different.empty()) {
        html += folded(std::to_string(c.different.size()) + " solves with other bits", solves_table(c.different));
    }
    return html + only("here", c.only_here) + only("there", c.only_there);
}

}  // namespace linden::tool::html
