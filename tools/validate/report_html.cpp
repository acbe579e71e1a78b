#include <algorithm>
#include <map>

#include "tools/validate/html.hpp"

namespace linden::tool {
namespace {

using namespace html;

/// Colours tell the same as the texts beside them.
constexpr const char* style = R"(<style>
body{font:15px/1.45 system-ui,sans-serif;color:#1b1f24;background:#fff;margin:0 auto;max-width:74rem;padding:1rem}
h1{font-size:1.5rem;margin:.2rem 0}h3{font-size:1rem;margin:1rem 0 .2rem}nav a{margin-right:1rem}.lead{font-size:1.05rem}
h2{font-size:1.15rem;margin:1.6rem 0 .4rem;border-bottom:1px solid #d0d7de}
.wide{overflow-x:auto}details,.wide{margin-bottom:.35rem}table{border-collapse:collapse;font-size:.86rem}
td,th{padding:.16rem .5rem;border-bottom:1px solid #eaeef2;text-align:left;vertical-align:top}
th{background:#f6f8fa;white-space:nowrap}td{overflow-wrap:break-word}td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.verdict{display:inline-block;white-space:nowrap;padding:.1rem .7rem;border-radius:.3rem;color:#fff;font-weight:700}
.PASS{background:#1a7f37}.FAIL{background:#cf222e}.SLOW{background:#9a6700}.INCOMPLETE{background:#6e40c9}
.ok{background:#dafbe1}.near{background:#fff8c5}.bad{background:#ffd7d5}.gap{background:#eaeef2;color:#57606a}
code{font:13px ui-monospace,monospace;overflow-wrap:anywhere}ul{margin:.3rem 0;padding-left:1.2rem}li{overflow-wrap:anywhere}
td.name,td.gap{white-space:nowrap}td.text{min-width:16rem}
.domains{columns:24rem;column-gap:2rem}.domains .wide{break-inside:avoid;margin-bottom:.8rem}
.small svg{max-width:24rem}.large svg{min-width:34rem;max-width:46rem}svg{width:100%;height:auto;display:block}summary{cursor:pointer;overflow-wrap:anywhere}
@media print{body{max-width:none}details{break-inside:avoid}details::details-content{content-visibility:visible;block-size:auto}}
</style>)";

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
    std::string html = "<h2 id=\"machine\">Machine and build</h2>\n<div class=\"wide\"><table>\n";
    for (const auto& [key, value] : machine.items()) {
        auto name = key;
        std::replace(name.begin(), name.end(), '_', ' ');
        html += "<tr><th>" + escaped(name) + "</th><td>" + escaped(plain(value)) + "</td></tr>\n";
    }
    return html + table_end;
}

std::string kernel_link(const std::string& name)
{
    return "<a href=\"#" + name.substr(0, name.find('<')) + "\">" + escaped(name) + "</a>";
}

std::string backends_table(const Json& report)
{
    const bool is_self_test = std::any_of(report["backends"].begin(), report["backends"].end(),
                                          [](const Json& b) { return count_kernels(b).planted > 0; });
    std::vector<std::string> heads{
        "backend", "verdict", "device", "cases", "kernels inspected", "reference's bits", "furthest from the reference",
        "solves"};
    if (is_self_test) {
        heads.emplace_back("planted faults found");
    }
    heads.emplace_back("seconds");
    std::string html = "<h2 id=\"backends\">Backends</h2>\n" + table(heads);
    for (const auto& b : report["backends"]) {
        const auto c = count_kernels(b);
        const auto furthest =
            c.where.empty() ? std::string() : formatted("%.2g of its bound, ", c.worst) + kernel_link(c.where);
        html += "<tr><th>" + text_of(b, "backend") + "</th><td>" + verdict_tag(text_of(b, "verdict")) + "</td><td>" +
                escaped(text_of(b, "device")) + "</td>" + cell(std::to_string(b["cases"].get<int>())) +
                cell(std::to_string(c.inspected) + " of " + std::to_string(c.entries)) +
                cell(std::to_string(c.same_bits)) + "<td>" + furthest + "</td>" +
                cell(std::to_string(b["solves"].size()));
        html += is_self_test ? cell(std::to_string(c.found) + " of " + std::to_string(c.planted)) : std::string();
        html += cell(formatted("%.1f", b["seconds"].get<double>())) + "</tr>\n";
    }
    return html + table_end;
}

std::string solves_table(const Json& backend)
{
    std::string html = table({"method", "problem", "type", "status", "iterations", "reference", "relative residual",
                              "hash of x", "launches", "waits", "allocations"});
    for (const auto& s : backend["solves"]) {
        html +=
            std::string("<tr") + (s["faults"].empty() ? "" : " class=\"bad\"") + "><td>" +
            escaped(text_of(s, "method")) + "</td><td>" + escaped(text_of(s, "problem")) + "</td><td>" +
            text_of(s, "type") + "</td><td>" + text_of(s, "status") + "</td>" +
            cell(std::to_string(s["iterations"].get<int>())) +
            cell(std::to_string(s["reference_iterations"].get<int>())) +
            cell(s["relative_residual"].is_number() ? formatted("%.2e", s["relative_residual"].get<double>()) : "-") +
            "<td class=\"name\"><code>" + text_of(s, "hash") + "</code></td>" +
            cell(std::to_string(s["launches"].get<int>())) + cell(std::to_string(s["synchronizations"].get<int>())) +
            cell(std::to_string(s["allocations"].get<int>())) + "</tr>\n";
        for (const auto& fault : s["faults"]) {
            html += "<tr class=\"bad\"><td colspan=\"11\">" + escaped(fault.get<std::string>()) + "</td></tr>\n";
        }
    }
    return html + table_end;
}

std::string solves_section(const Json& report)
{
    std::string html =
        "<h2 id=\"solves\">Solves</h2>\n<p>Each was run inspected, as it is, and once more, with the same bits, and "
        "ends as "
        "on the reference. Launches, waits of the host and allocations are of the last run.</p>\n";
    for (const auto& b : report["backends"]) {
        const auto wrong =
            std::count_if(b["solves"].begin(), b["solves"].end(), [](const Json& s) { return !s["faults"].empty(); });
        html += folded(text_of(b, "backend") + ": " + std::to_string(b["solves"].size()) + " solves, " +
                           std::to_string(wrong) + " wrong",
                       solves_table(b), wrong > 0);
    }
    return html;
}

std::vector<std::pair<std::string, double>> bandwidths_of_kernels(const Json& backend)
{
    std::vector<std::pair<std::string, double>> kernels;
    for (const auto& k : backend["kernels"]) {
        if (bandwidth(k) > 0) {
            kernels.emplace_back(text_of(k, "kernel") + "<" + text_of(k, "types") + ">", bandwidth(k) / 1e9);
        }
    }
    std::stable_sort(kernels.begin(), kernels.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    return kernels;
}

std::string limits_of(const Json& backend)
{
    std::vector<std::pair<std::string, double>> limits;
    double largest = 0;
    std::string latencies;
    for (const auto& l : backend["limits"]) {
        if (l["unit"] == "GB/s") {
            limits.emplace_back(text_of(l, "name"), l["value"]);
            largest = std::max(largest, l["value"].get<double>());
        } else {
            latencies += "<tr><td>" + escaped(text_of(l, "name")) + "</td>" +
                         cell(figures(l["value"]) + " " + text_of(l, "unit")) + "</tr>\n";
        }
    }
    if (limits.empty() && latencies.empty()) {
        return {};
    }
    const auto name = text_of(backend, "backend");
    std::string html = "<h3>" + name + "</h3>\n" + bars(limits, largest, 0, "GB/s", "Bandwidths of " + name);
    html += table({"latency", "least"}) + latencies + table_end;
    const auto kernels = bandwidths_of_kernels(backend);
    if (!kernels.empty() && largest > 0) {
        html += folded(std::to_string(kernels.size()) +
                           " kernels in solves with a large matrix: " + figures(kernels.back().second / largest) +
                           " to " + figures(kernels.front().second / largest) + " of the largest bandwidth",
                       "<p>The bytes that their arguments point to, by their time. Bars end at the largest bandwidth "
                       "above, and are yellow below 0.8 of it; a kernel that reads only a part of its arguments may "
                       "seem faster.</p>\n" +
                           bars(kernels, largest, 0.8 * largest, "GB/s", "Bandwidths of kernels of " + name));
    }
    return html;
}

std::string limits_section(const Json& report)
{
    std::string html;
    for (const auto& b : report["backends"]) {
        html += limits_of(b);
    }
    return html.empty() ? html : "<h2 id=\"limits\">Limits of the machine</h2>\n" + html;
}

std::string faults_section(const Json& report)
{
    std::vector<std::string> lines;
    for (const auto& b : report["backends"]) {
        const auto backend = text_of(b, "backend");
        for (const auto& fault : b["faults"]) {
            lines.push_back(backend + ": " + fault.get<std::string>());
        }
        for (const auto& k : b["kernels"]) {
            const auto kernel = backend + " " + text_of(k, "kernel") + "<" + text_of(k, "types") + "> ";
            for (const auto& fault : k.value("faults", Json::array())) {
                lines.push_back(kernel + fault.get<std::string>());
            }
            if (k.value("planted", 0) != k.value("found", 0)) {
                lines.push_back(kernel + "a planted fault was not found");
            }
            if (k["inspected"] == 0 && k["gap_is_named"] == false && report["level"] != 1 && !report.contains("only") &&
                !report.contains("case")) {
                lines.push_back(kernel + "not inspected: " + text_of(k, "gap"));
            }
        }
        for (const auto& s : b["solves"]) {
            for (const auto& fault : s["faults"]) {
                lines.push_back(backend + " " + text_of(s, "method") + " on " + text_of(s, "problem") + ", " +
                                text_of(s, "type") + ": " + fault.get<std::string>());
            }
        }
    }
    for (const auto& missing : report["missing"]) {
        lines.push_back("missing: " + missing.get<std::string>());
    }
    for (const auto& slow : report.value("slower", Json::array())) {
        lines.push_back("slower: " + slow.get<std::string>());
    }
    return lines.empty() ? std::string() : "<h2 id=\"wrong\">What is wrong or missing</h2>\n" + list(lines);
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
                         : "<h2 id=\"refused\">Refused</h2>\n<p>Cases that ask for what the library refuses, with "
                           "these errors; on "
                           "every backend.</p>\n" +
                               list(lines);
}

const char* meaning(const std::string& verdict, bool is_quick)
{
    if (verdict == "PASS") {
        return is_quick
                   ? "The kernels that level 1 reaches compute what the reference computes, and twice the same bits."
                   : "Every kernel of this build computes what the reference computes, and twice the same bits, but "
                     "for gaps with a reason.";
    }
    return verdict == "FAIL"   ? "Something is wrong: see below."
           : verdict == "SLOW" ? "What was computed is right, and slower than on the machine that it was compared with."
                               : "What ran is right; something did not run.";
}

/// The beginning of the page: what was found, of which machine.
std::string head_of(const Json& report)
{
    const auto verdict = text_of(report, "verdict");
    const auto& machine = report["machine"];
    std::string line;
    for (const auto& b : report["backends"]) {
        line += (line.empty() ? "" : ", ") + text_of(b, "backend") + " on " + text_of(b, "device");
    }
    line += "; level " + std::to_string(report["level"].get<int>()) + ", seed " +
            std::to_string(report["seed"].get<std::uint64_t>());
    line += machine.contains("time") ? "; " + text_of(machine, "time") : std::string();
    return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
           "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
           "<title>linden validate: " +
           verdict + "</title>\n" + style + "</head><body>\n<h1>linden validate " + verdict_tag(verdict) +
           "</h1>\n<p class=\"lead\">" + meaning(verdict, report["level"] == 1) + "</p>\n<p>" + escaped(line) +
           ".</p>\n";
}

/// Links to the sections that `page` has.
std::string contents_of(const std::string& page)
{
    std::string html = "<nav>";
    for (auto at = page.find("<h2 id=\""); at != std::string::npos; at = page.find("<h2 id=\"", at + 1)) {
        const auto id = page.substr(at + 8, page.find('"', at + 8) - at - 8);
        const auto text = page.find('>', at) + 1;
        html += "<a href=\"#" + id + "\">" + page.substr(text, page.find('<', text) - text) + "</a> ";
    }
    return html + "</nav>\n";
}

}  // namespace

std::string to_html(const Json& report, const Json& other)
{
    const auto body = faults_section(report) + backends_table(report) +
                      (other.is_null() ? std::string() : comparison_section(compare(report, other))) +
                      limits_section(report) + kernels_section(report) + gaps_section(report) + solves_section(report) +
                      calls_section(report) + refusals_section(report) + machine_table(report["machine"]);
    return head_of(report) + contents_of(body) + body + "</body></html>\n";
}

}  // namespace linden::tool
