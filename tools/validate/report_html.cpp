#include <algorithm>
#include <cstdio>
#include <map>

#include "tools/svg.hpp"
#include "tools/validate/report.hpp"

namespace linden::tool {
namespace {

using svg::escaped;

/// Colours tell the same as the texts beside them.
constexpr const char* style = R"(<style>
body{font:15px/1.45 system-ui,sans-serif;color:#1b1f24;background:#fff;margin:0 auto;max-width:74rem;padding:1rem}
h1{font-size:1.5rem;margin:.2rem 0}h2{font-size:1.15rem;margin:1.6rem 0 .4rem;border-bottom:1px solid #d0d7de}
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.86rem}
td,th{padding:.16rem .5rem;border-bottom:1px solid #eaeef2;text-align:left;vertical-align:top}
th{background:#f6f8fa;white-space:nowrap}td{overflow-wrap:break-word}td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.verdict{display:inline-block;white-space:nowrap;padding:.1rem .7rem;border-radius:.3rem;color:#fff;font-weight:700}
.PASS{background:#1a7f37}.FAIL{background:#cf222e}.SLOW{background:#9a6700}.INCOMPLETE{background:#6e40c9}
.ok{background:#dafbe1}.near{background:#fff8c5}.bad{background:#ffd7d5}.gap{background:#eaeef2;color:#57606a}
code{font:13px ui-monospace,monospace;overflow-wrap:anywhere}ul{margin:.3rem 0;padding-left:1.2rem}li{overflow-wrap:anywhere}
td.name,td.gap{white-space:nowrap}td.text{min-width:16rem}
.domains{columns:24rem;column-gap:2rem}.domains .wide{break-inside:avoid;margin-bottom:.8rem}
svg{width:100%;height:auto;min-width:34rem;max-width:52rem;display:block}summary{cursor:pointer;overflow-wrap:anywhere}
@media print{body{max-width:none}details{break-inside:avoid}}
</style>)";

std::string number(const char* pattern, double value)
{
    char text[64];
    std::snprintf(text, sizeof text, pattern, value);
    return text;
}

std::string text_of(const Json& entry, const char* key) { return entry[key].get<std::string>(); }

std::string cell(const std::string& content, const char* kind = "n")
{
    return "<td class=\"" + std::string(kind) + "\">" + content + "</td>";
}

std::string verdict_tag(const std::string& verdict)
{
    return "<span class=\"verdict " + verdict + "\">" + verdict + "</span>";
}

std::string list(const std::vector<std::string>& lines)
{
    std::string html;
    for (const auto& line : lines) {
        html += "<li>" + escaped(line) + "</li>\n";
    }
    return html.empty() ? html : "<ul>" + html + "</ul>\n";
}

/// A value as people write it: `double, float`, `OMP_NUM_THREADS=2`.
std::string plain(const Json& value)
{
    if (value.is_string()) {
        return value.get<std::string>();
    }
    if (!value.is_structured()) {
        return value.dump();
    }
    std::string text;
    for (const auto& [key, inner] : value.items()) {
        text += (text.empty() ? "" : ", ") + (value.is_object() ? key + "=" : std::string()) + plain(inner);
    }
    return text.empty() ? "none" : text;
}

std::string machine_table(const Json& machine)
{
    std::string html = "<h2>Machine</h2>\n<div class=\"wide\"><table>\n";
    for (const auto& [key, value] : machine.items()) {
        html += "<tr><th>" + escaped(key) + "</th><td>" + escaped(plain(value)) + "</td></tr>\n";
    }
    return html + "</table></div>\n";
}

std::string backends_table(const Json& report)
{
    std::string html =
        "<h2>Backends</h2>\n<div class=\"wide\"><table>\n<tr><th>backend</th><th>verdict</th><th>device</th>"
        "<th>cases</th><th>kernels inspected</th><th>seconds</th></tr>\n";
    for (const auto& b : report["backends"]) {
        const auto& kernels = b["kernels"];
        const auto inspected =
            std::count_if(kernels.begin(), kernels.end(), [](const Json& k) { return k["inspected"] > 0; });
        html += "<tr><th>" + text_of(b, "backend") + "</th><td>" + verdict_tag(text_of(b, "verdict")) + "</td><td>" +
                escaped(text_of(b, "device")) + "</td>" + cell(std::to_string(b["cases"].get<int>())) +
                cell(std::to_string(inspected) + " of " + std::to_string(kernels.size())) +
                cell(number("%.1f", b["seconds"])) + "</tr>\n";
    }
    return html + "</table></div>\n";
}

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
    return cell(all.is_same_bits ? "same bits" : number("%.2g", all.fraction), all.fraction > 0.5 ? "near" : "ok");
}

std::string again(const Json& report, const Json& k)
{
    const auto worst = k.value("worst", "");
    const auto end = worst.find(':');
    if (!worst.starts_with("case ") || end == std::string::npos) {
        return {};
    }
    return "linden validate --level " + std::to_string(report["level"].get<int>()) + " --only " + text_of(k, "kernel") +
           " --seed " + std::to_string(report["seed"].get<std::uint64_t>()) + " --case " + worst.substr(5, end - 5);
}

std::string details(const Json& report, const std::string& backend, const Json& k)
{
    std::string html = "<tr><td>" + backend + "</td><td class=\"name\">" + escaped(text_of(k, "types")) + "</td>" +
                       cell(std::to_string(k["calls"].get<std::int64_t>())) +
                       cell(std::to_string(k["inspected"].get<std::int64_t>()));
    if (k["inspected"] == 0) {
        return html + "<td colspan=\"3\">" + escaped(text_of(k, "gap")) + "</td></tr>\n";
    }
    std::string text = escaped(k.value("worst", "")) + "<br><code>" + escaped(again(report, k)) + "</code>";
    for (const auto& fault : k.value("faults", Json::array())) {
        text += "<br><b>" + escaped(fault.get<std::string>()) + "</b>";
    }
    return html + cell(k["fraction"].is_number() ? number("%.3g", k["fraction"]) : "infinite") +
           cell(k["ulps"].is_number() ? number("%.3g", k["ulps"]) : "infinite") + "<td class=\"text\">" + text +
           "</td></tr>\n";
}

constexpr const char* table_begin = "<div class=\"wide\"><table>\n";
constexpr const char* table_end = "</table></div>\n";

using OfBackends = std::map<std::string, std::vector<Json>>;

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
    std::string html = "<details id=\"" + name + "\"><summary><code>" + name + "</code></summary>" + table_begin +
                       "<tr><th>backend</th><th>types</th><th>calls</th><th>inspected</th><th>of the bound</th>"
                       "<th>ulps</th><th>worst call</th></tr>\n";
    for (const auto& b : report["backends"]) {
        const auto found = entries.find(text_of(b, "backend"));
        for (const auto& k : found == entries.end() ? std::vector<Json>() : found->second) {
            html += details(report, text_of(b, "backend"), k);
        }
    }
    return html + table_end + "</details>\n";
}

std::string kernels_section(const Json& report)
{
    std::map<std::string, OfBackends> kernels;
    for (const auto& b : report["backends"]) {
        for (const auto& k : b["kernels"]) {
            kernels[text_of(k, "kernel")][text_of(b, "backend")].push_back(k);
        }
    }
    std::string head = "<tr><th>kernel</th>";
    for (const auto& b : report["backends"]) {
        head += "<th>" + text_of(b, "backend") + "</th>";
    }
    std::string tables, below, last;
    for (const auto& [name, entries] : kernels) {
        const auto domain = name.substr(0, name.find(':'));
        if (domain != last) {
            tables += (last.empty() ? "" : table_end) + std::string(table_begin) + head + "</tr>\n";
            last = domain;
        }
        tables += kernel_row(report, name, entries);
        below += calls_of(report, name, entries);
    }
    return "<h2>Kernels</h2>\n<p>The largest difference from the reference in units of what may differ, of all types: "
           "1 is at the bound.</p>\n<div class=\"domains\">" +
           tables + (last.empty() ? "" : table_end) + "</div>\n<h2>Calls</h2>\n" + below;
}

std::string solves_section(const Json& report)
{
    std::string html =
        "<h2>Solves</h2>\n<div class=\"wide\"><table>\n<tr><th>backend</th><th>method</th><th>problem</th>"
        "<th>type</th><th>status</th><th>iterations</th><th>reference</th><th>relative residual</th>"
        "<th>hash of x</th><th>launches</th><th>waits</th><th>allocations</th></tr>\n";
    for (const auto& b : report["backends"]) {
        for (const auto& s : b["solves"]) {
            html += std::string("<tr") + (s["faults"].empty() ? "" : " class=\"bad\"") + "><td>" +
                    text_of(b, "backend") + "</td><td>" + escaped(text_of(s, "method")) + "</td><td>" +
                    escaped(text_of(s, "problem")) + "</td><td>" + text_of(s, "type") + "</td><td>" +
                    text_of(s, "status") + "</td>" + cell(std::to_string(s["iterations"].get<int>())) +
                    cell(std::to_string(s["reference_iterations"].get<int>())) +
                    cell(s["relative_residual"].is_number() ? number("%.2e", s["relative_residual"]) : "-") +
                    "<td class=\"name\"><code>" + text_of(s, "hash") + "</code></td>" +
                    cell(std::to_string(s["launches"].get<int>())) +
                    cell(std::to_string(s["synchronizations"].get<int>())) +
                    cell(std::to_string(s["allocations"].get<int>())) + "</tr>\n";
            for (const auto& fault : s["faults"]) {
                html += "<tr class=\"bad\"><td colspan=\"12\">" + escaped(fault.get<std::string>()) + "</td></tr>\n";
            }
        }
    }
    return html + "</table></div>\n";
}

/// A bar per line, with its number.
std::string bars(const std::vector<std::pair<std::string, double>>& values, double full, const std::string& unit,
                 const std::string& title)
{
    if (values.empty()) {
        return {};
    }
    constexpr double width = 760, row = 20, label = 300, room = 340;
    std::string pictures = svg::head(width, row * static_cast<double>(values.size()) + 4, title);
    double y = 2;
    for (const auto& [name, value] : values) {
        const double length = std::clamp(value / full, 0.0, 1.0) * room;
        pictures += svg::text(label - 6, y + 14, name, svg::Anchor::end, "font-size=\"12\"");
        pictures += "<rect x=\"300\" y=\"" + svg::coordinate(y + 3) + "\" width=\"" + svg::coordinate(length) +
                    "\" height=\"13\" fill=\"" + (value < 0.8 * full ? "#bf8700" : "#1a7f37") + "\"/>\n";
        pictures += svg::text(label + length + 6, y + 14, number("%.3g ", value) + unit, svg::Anchor::start,
                              "font-size=\"12\"");
        y += row;
    }
    return "<div class=\"wide\">" + pictures + "</svg></div>\n";
}

std::string limits_section(const Json& report)
{
    std::string html = "<h2>Limits and fractions</h2>\n";
    for (const auto& b : report["backends"]) {
        std::vector<std::pair<std::string, double>> limits;
        double largest = 0;
        html += "<h3>" + text_of(b, "backend") + "</h3>\n<p>";
        for (const auto& l : b["limits"]) {
            if (l["unit"] == "GB/s") {
                limits.emplace_back(text_of(l, "name"), l["value"]);
                largest = std::max(largest, l["value"].get<double>());
            } else {
                html += escaped(text_of(l, "name")) + ": " + number("%.3g ", l["value"]) + text_of(l, "unit") + ". ";
            }
        }
        html += "</p>\n" + bars(limits, largest, "GB/s", "Bandwidths of " + text_of(b, "backend"));
        std::vector<std::pair<std::string, double>> kernels;
        for (const auto& k : b["kernels"]) {
            if (k.contains("bytes") && k["seconds"].get<double>() > 0 && largest > 0) {
                kernels.emplace_back(text_of(k, "kernel"), k["bytes"].get<double>() / k["seconds"].get<double>() / 1e9);
            }
        }
        if (!kernels.empty()) {
            html +=
                "<p>Kernels in solves with a large matrix: the bytes that their arguments point to, by their time. "
                "Bars "
                "end at the largest bandwidth above; a kernel that reads only a part of its arguments may seem "
                "faster.</p>\n" +
                bars(kernels, largest, "GB/s", "Bandwidths of kernels of " + text_of(b, "backend"));
        }
    }
    return html;
}

std::string faults_section(const Json& report)
{
    std::vector<std::string> lines;
    for (const auto& b : report["backends"]) {
        for (const auto& fault : b["faults"]) {
            lines.push_back(text_of(b, "backend") + ": " + fault.get<std::string>());
        }
        for (const auto& k : b["kernels"]) {
            for (const auto& fault : k.value("faults", Json::array())) {
                lines.push_back(text_of(b, "backend") + " " + text_of(k, "kernel") + "<" + text_of(k, "types") + "> " +
                                fault.get<std::string>());
            }
        }
    }
    for (const auto& missing : report["missing"]) {
        lines.push_back("missing: " + missing.get<std::string>());
    }
    for (const auto& slow : report.value("slower", Json::array())) {
        lines.push_back("slower: " + slow.get<std::string>());
    }
    return lines.empty() ? std::string() : "<h2>What is wrong or missing</h2>\n" + list(lines);
}

std::string refusals_section(const Json& report)
{
    std::vector<std::string> lines;
    for (const auto& b : report["backends"]) {
        for (const auto& group : grouped_refusals(b)) {
            lines.push_back(text_of(b, "backend") + ": " + group.message + " (" + std::to_string(group.num_cases) +
                            " cases, the first is " + group.first + ")");
        }
    }
    return lines.empty() ? std::string()
                         : "<h2>Refused</h2>\n<p>Cases that ask for what the library refuses, with these errors; on "
                           "every backend.</p>\n" +
                               list(lines);
}

}  // namespace

std::string to_html(const Json& report, const Json& other)
{
    const auto verdict = text_of(report, "verdict");
    std::string html =
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
        "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
        "<title>linden validate: " +
        verdict + "</title>\n" + style + "</head><body>\n<h1>linden validate " + verdict_tag(verdict) +
        "</h1>\n<p>Level " + std::to_string(report["level"].get<int>()) + ", seed " +
        std::to_string(report["seed"].get<std::uint64_t>()) + ".</p>\n";
    html += faults_section(report) + backends_table(report) + machine_table(report["machine"]);
    if (!other.is_null()) {
        html += "<h2>Comparison</h2>\n" + list(differences(report, other));
    }
    return html + kernels_section(report) + limits_section(report) + solves_section(report) + refusals_section(report) +
           "</body></html>\n";
}

}  // namespace linden::tool
