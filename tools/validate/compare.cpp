#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "tools/validate/report.hpp"

namespace linden::tool {
namespace {

std::string number(const char* pattern, double value)
{
    char text[64];
    std::snprintf(text, sizeof text, pattern, value);
    return text;
}

std::string text_of(const Json& entry, const char* key) { return entry[key].get<std::string>(); }

std::string kernel_key(const Json& backend, const Json& k)
{
    return text_of(backend, "backend") + " " + text_of(k, "kernel") + "<" + text_of(k, "types") + ">";
}

std::string solve_key(const Json& backend, const Json& s)
{
    return text_of(backend, "backend") + " " + text_of(s, "method") + " on " + text_of(s, "problem") + ", " +
           text_of(s, "type");
}

std::string limit_key(const Json& backend, const Json& l)
{
    return text_of(backend, "backend") + " " + text_of(l, "name");
}

std::string refusal_key(const Json& backend, const Json& r)
{
    return text_of(backend, "backend") + " refuses " + text_of(r, "case") + ": " + text_of(r, "message");
}

template <class Key>
std::map<std::string, Json> by_key(const Json& report, const char* list, Key key)
{
    std::map<std::string, Json> entries;
    for (const auto& backend : report["backends"]) {
        for (const auto& entry : backend[list]) {
            entries.emplace(key(backend, entry), entry);
        }
    }
    return entries;
}

/// The largest |a - b| / max |b| of the probes, in units of roundoff of their type.
double distance(const Json& a, const Json& b, const std::string& type)
{
    double error = 0, scale = 0;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        const double x = std::strtod(a[i].get<std::string>().c_str(), nullptr);
        const double y = std::strtod(b[i].get<std::string>().c_str(), nullptr);
        error = std::max(error, std::abs(x - y));
        scale = std::max(scale, std::abs(y));
    }
    const double eps = type == "float" || type == "complex64" ? 0x1p-24 : 0x1p-53;
    return error == 0 ? 0 : error / scale / eps;
}

void compare_solves(const Json& mine, const Json& other, std::vector<std::string>& lines)
{
    const auto here = by_key(mine, "solves", solve_key);
    const auto there = by_key(other, "solves", solve_key);
    int num_same = 0, num_both = 0;
    std::vector<std::string> different;
    for (const auto& [key, s] : here) {
        const auto found = there.find(key);
        if (found == there.end()) {
            continue;
        }
        const auto& t = found->second;
        ++num_both;
        num_same += s["hash"] == t["hash"];
        if (s["hash"] != t["hash"]) {
            different.push_back("  " + key + ": " + std::to_string(s["iterations"].get<int>()) + " and " +
                                std::to_string(t["iterations"].get<int>()) + " iterations, " + text_of(s, "status") +
                                " and " + text_of(t, "status") + ", solutions differ by " +
                                number("%.3g", distance(s["probes"], t["probes"], text_of(s, "type"))) + " eps");
        }
    }
    lines.push_back("solves in both: " + std::to_string(num_both) +
                    ", with the same bits: " + std::to_string(num_same));
    lines.insert(lines.end(), different.begin(), different.end());
}

template <class Key>
void list_missing(const Json& a, const Json& b, const char* list, Key key, const std::string& where,
                  std::vector<std::string>& lines)
{
    const auto here = by_key(a, list, key);
    const auto there = by_key(b, list, key);
    constexpr int most_lines = 10;
    int num_missing = 0;
    for (const auto& entry : here) {
        if (!there.contains(entry.first) && ++num_missing <= most_lines) {
            lines.push_back("only " + where + ": " + entry.first);
        }
    }
    if (num_missing > most_lines) {
        lines.push_back("only " + where + ": " + std::to_string(num_missing - most_lines) + " more " + list);
    }
}

void compare_limits(const Json& mine, const Json& other, std::vector<std::string>& lines)
{
    const auto there = by_key(other, "limits", limit_key);
    for (const auto& [name, limit] : by_key(mine, "limits", limit_key)) {
        const auto found = there.find(name);
        if (found != there.end()) {
            const double a = limit["value"], b = found->second["value"];
            lines.push_back("limit " + name + ": " + number("%.3g", a) + " and " + number("%.3g ", b) +
                            text_of(limit, "unit") + ", ratio " + number("%.2f", a / b));
        }
    }
}

constexpr double least_compared_seconds = 10e-6;

double bandwidth(const Json& k)
{
    return k.contains("bytes") && k["seconds"].get<double>() > 0 ? k["bytes"].get<double>() / k["seconds"].get<double>()
                                                                 : 0;
}

/// Bandwidths of kernels in units of the largest one of their backend's limits. Kernels that are done before a clock
/// can tell by how much they are slower are left out.
std::map<std::string, double> fractions(const Json& report)
{
    std::map<std::string, double> all;
    for (const auto& backend : report["backends"]) {
        double largest = 0;
        for (const auto& limit : backend["limits"]) {
            largest = limit["unit"] == "GB/s" ? std::max(largest, limit["value"].get<double>() * 1e9) : largest;
        }
        for (const auto& k : backend["kernels"]) {
            if (largest > 0 && bandwidth(k) > 0 && k["seconds"].get<double>() >= least_compared_seconds) {
                all[kernel_key(backend, k)] = bandwidth(k) / largest;
            }
        }
    }
    return all;
}

}  // namespace

std::vector<std::string> differences(const Json& mine, const Json& theirs)
{
    auto other = theirs;
    std::vector<std::string> lines{"compared with " + text_of(other["machine"], "processor") + ", " +
                                   text_of(other["machine"], "compiler")};
    if (mine["backends"].size() == 1 && other["backends"].size() == 1) {
        auto& there = other["backends"][0]["backend"];
        const auto here = mine["backends"][0]["backend"];
        if (there != here) {
            lines.push_back(here.get<std::string>() + " here, " + there.get<std::string>() + " there");
            there = here;
        }
    }
    compare_limits(mine, other, lines);
    compare_solves(mine, other, lines);
    list_missing(mine, other, "kernels", kernel_key, "here", lines);
    list_missing(other, mine, "kernels", kernel_key, "there", lines);
    list_missing(mine, other, "solves", solve_key, "here", lines);
    list_missing(other, mine, "solves", solve_key, "there", lines);
    list_missing(mine, other, "refusals", refusal_key, "here", lines);
    list_missing(other, mine, "refusals", refusal_key, "there", lines);
    return lines;
}

std::vector<std::string> slower(const Json& report, const Json& baseline, double factor)
{
    std::vector<std::string> lines;
    const auto limits_before = by_key(baseline, "limits", limit_key);
    for (const auto& [key, limit] : by_key(report, "limits", limit_key)) {
        const auto found = limits_before.find(key);
        const bool is_bandwidth = limit["unit"] == "GB/s";  // latencies depend on who else is there
        if (is_bandwidth && found != limits_before.end() &&
            limit["value"] < factor * found->second["value"].get<double>()) {
            lines.push_back("limit " + key + ": " + number("%.3g", limit["value"]) + ", before " +
                            number("%.3g GB/s", found->second["value"]));
        }
    }
    const auto before = fractions(baseline);
    for (const auto& [key, now] : fractions(report)) {
        const auto found = before.find(key);
        if (found != before.end() && now < factor * found->second) {
            lines.push_back(key + ": " + number("%.2f", now) + " of the largest bandwidth, before " +
                            number("%.2f", found->second));
        }
    }
    return lines;
}

}  // namespace linden::tool
