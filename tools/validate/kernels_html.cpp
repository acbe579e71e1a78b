#include <algorithm>
#include <map>

#include "tools/validate/html.hpp"

namespace linden::tool::html {
namespace {

/// What a kernel of one type combination has shown, as a cell.
struct Seen {
    double fraction = 0;
    bool is_bad = false, is_gap = true, is_same_bits = true;
};

Seen seen(const Json& k)
{
    Seen s;
    s.is_gap = k["inspected"] == 0;
    if (!s.is_gap) {
        s.is_same_bits = k["same_bits"] == true;
        s.is_bad = !k["fraction"].is_number() || k.contains("faults");
        s.fraction = k["fraction"].is_number() ? k["fraction"].get<double>() : 0;
    }
    s.is_bad = s.is_bad || k.value("planted", 0) != k.value("found", 0);
    return s;
}

std::string fraction_cell(const std::vector<Json>& entries)
{
    Seen all;
    for (const auto& k : entries) {
        const auto s = seen(k);
        all.fraction = std::max(all.fraction, s.fraction);
        all.is_bad = all.is_bad || s.is_bad;
        all.is_gap = all.is_gap && s.is_gap;
        all.is_same_bits = all.is_same_bits && s.is_same_bits;
    }
    if (all.is_bad) {
        return cell("wrong", "bad");
    }
    if (all.is_gap) {
        return cell(entries.empty() ? "" : "not inspected", "gap");
    }
    return cell(all.is_same_bits ? "same bits" : formatted("%.2g", all.fraction), all.fraction > 0.5 ? "near" : "ok");
}

std::string again(const Json& report, const std::string& backend, const Json& k)
{
    const auto worst = k.value("worst", "");
    const auto end = worst.find(':');
    if (!worst.starts_with("case ") || end == std::string::npos) {
        return {};
    }
    auto number = worst.substr(5, end - 5);
    auto seed = std::to_string(report["seed"].get<std::uint64_t>());
    const std::string of_seed = " of seed ";  // in later rounds of level 4
    if (const auto at = number.find(of_seed); at != std::string::npos) {
        seed = number.substr(at + of_seed.size());
        number.resize(at);
    }
    return "linden validate --level " + std::to_string(report["level"].get<int>()) + " --backends " + backend +
           " --only " + text_of(k, "kernel") + " --seed " + seed + " --case " + number;
}

std::string details(const Json& report, const std::string& backend, const Json& k)
{
    std::string html = "<tr><td>" + backend + "</td><td class=\"name\">" + escaped(text_of(k, "types")) + "</td>" +
                       cell(std::to_string(k["calls"].get<std::int64_t>())) +
                       cell(std::to_string(k["inspected"].get<std::int64_t>()));
    if (k["inspected"] == 0) {
        return html + "<td colspan=\"3\">" + escaped(text_of(k, "gap")) + "</td></tr>\n";
    }
    std::string text = escaped(k.value("worst", "")) + "<br><code>" + escaped(again(report, backend, k)) + "</code>";
    for (const auto& fault : k.value("faults", Json::array())) {
        text += "<br><b>" + escaped(fault.get<std::string>()) + "</b>";
    }
    return html + cell(k["fraction"].is_number() ? formatted("%.3g", k["fraction"].get<double>()) : "infinite") +
           cell(k["ulps"].is_number() ? formatted("%.3g", k["ulps"].get<double>()) : "infinite") +
           "<td class=\"text\">" + text + "</td></tr>\n";
}

using OfBackends = std::map<std::string, std::vector<Json>>;

std::map<std::string, OfBackends> by_name(const Json& report)
{
    std::map<std::string, OfBackends> kernels;
    for (const auto& b : report["backends"]) {
        for (const auto& k : b["kernels"]) {
            kernels[text_of(k, "kernel")][text_of(b, "backend")].push_back(k);
        }
    }
    return kernels;
}

std::string kernel_row(const Json& report, const std::string& name, const OfBackends& entries)
{
    std::string html = "<tr><td class=\"name\"><a href=\"#" + name + "\"><code>" + name + "</code></a></td>";
    for (const auto& b : report["backends"]) {
        const auto found = entries.find(text_of(b, "backend"));
        html += found == entries.end() ? cell("none", "gap") : fraction_cell(found->second);
    }
    return html + "</tr>\n";
}

std::string calls_of(const Json& report, const std::string& name, const OfBackends& entries)
{
    std::string html = "<details id=\"" + name + "\"><summary><code>" + name + "</code></summary>" +
                       table({"backend", "types", "calls", "inspected", "of the bound", "ulps", "worst call"});
    for (const auto& b : report["backends"]) {
        const auto found = entries.find(text_of(b, "backend"));
        for (const auto& k : found == entries.end() ? std::vector<Json>() : found->second) {
            html += details(report, text_of(b, "backend"), k);
        }
    }
    return html + table_end + "</details>\n";
}

}  // namespace

std::string kernels_section(const Json& report)
{
    std::vector<std::string> heads{"kernel"};
    for (const auto& b : report["backends"]) {
        heads.push_back(text_of(b, "backend"));
    }
    std::string tables, last;
    for (const auto& [name, entries] : by_name(report)) {
        const auto domain = name.substr(0, name.find(':'));
        if (domain != last) {
            tables += (last.empty() ? "" : table_end) + table(heads);
            last = domain;
        }
        tables += kernel_row(report, name, entries);
    }
    return "<h2 id=\"kernels\">Kernels</h2>\n<p>The largest difference from the reference, of all calls and types, in "
           "units of what rounding may change: 1 is at the bound. "
           "<span class=\"ok\">Green</span> is at most a half, <span class=\"near\">yellow</span> more, <span "
           "class=\"bad\">red</span> wrong, <span class=\"gap\">grey</span> not inspected. A name leads to its worst "
           "call.</p>\n<div class=\"domains\">" +
           tables + (last.empty() ? "" : table_end) + "</div>\n";
}

std::string calls_section(const Json& report)
{
    std::string html =
        "<h2 id=\"calls\">Worst calls</h2>\n<p>Of each kernel the call that is furthest from the "
        "reference, with integers among its arguments, and the line that repeats it.</p>\n";
    for (const auto& [name, entries] : by_name(report)) {
        html += calls_of(report, name, entries);
    }
    return html;
}

std::string gaps_section(const Json& report)
{
    std::string html;
    for (const auto& b : report["backends"]) {
        std::map<std::string, std::vector<std::string>> by_reason;
        for (const auto& k : b["kernels"]) {
            if (k["inspected"] == 0) {
                by_reason[text_of(k, "gap")].push_back(text_of(k, "kernel") + "<" + text_of(k, "types") + ">");
            }
        }
        for (const auto& [reason, kernels] : by_reason) {
            html += folded(text_of(b, "backend") + ": " + std::to_string(kernels.size()) +
                               (kernels.size() == 1 ? " kernel, " : " kernels, ") + escaped(reason),
                           list(kernels));
        }
    }
    return html.empty() ? html : "<h2 id=\"gaps\">Not inspected</h2>\n" + html;
}

}  // namespace linden::tool::html
