#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "tools/formatted.hpp"
#include "tools/validate/report.hpp"

namespace linden::tool {
namespace {

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
    const auto text = text_of(r, "case");  // "case 12: ...", whose number depends on the cases that a backend has
    return text_of(backend, "backend") + " refuses " + text.substr(text.find(": ") + 2) + ": " + text_of(r, "message");
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
    return error == 0 ? 0 : error / scale / eps;  // infinity where all of b is 0
}

void compare_solves(const Json& mine, const Json& other, Comparison& found)
{
    const auto there = by_key(other, "solves", solve_key);
    for (const auto& [key, s] : by_key(mine, "solves", solve_key)) {
        const auto at = there.find(key);
        if (at == there.end()) {
            continue;
        }
        const auto& t = at->second;
        ++found.num_solves;
        if (s["hash"] == t["hash"]) {
            ++found.num_same_bits;
            continue;
        }
        found.different.push_back({key, text_of(s, "status"), text_of(t, "status"), s["iterations"], t["iterations"],
                                   distance(s["probes"], t["probes"], text_of(s, "type"))});
    }
}

template <class Key>
void list_missing(const Json& a, const Json& b, const char* list, Key key, std::vector<std::string>& missing)
{
    const auto there = by_key(b, list, key);
    for (const auto& entry : by_key(a, list, key)) {
        if (!there.contains(entry.first)) {
            missing.push_back(entry.first);
        }
    }
}

void list_missing(const Json& a, const Json& b, std::vector<std::string>& missing)
{
    list_missing(a, b, "kernels", kernel_key, missing);
    list_missing(a, b, "solves", solve_key, missing);
    list_missing(a, b, "refusals", refusal_key, missing);
}

void compare_limits(const Json& mine, const Json& other, Comparison& found)
{
    const auto there = by_key(other, "limits", limit_key);
    for (const auto& backend : mine["backends"]) {
        for (const auto& limit : backend["limits"]) {
            const auto at = there.find(limit_key(backend, limit));
            if (at != there.end()) {
                found.limits.push_back({at->first, text_of(limit, "unit"), limit["value"], at->second["value"]});
            }
        }
    }
}

/// The bandwidth of a kernel in units of the largest one of its backend's limits, and the time that it took.
struct Fraction {
    double value = 0;
    double seconds = 0;
};

/// How much a kernel's time is off, by what else the device and its clock do: up to 4 us between runs on one H100.
constexpr double uncertain_seconds = 5e-6;

std::map<std::string, Fraction> fractions(const Json& report)
{
    std::map<std::string, Fraction> all;
    for (const auto& backend : report["backends"]) {
        double largest = 0;
        for (const auto& limit : backend["limits"]) {
            largest = limit["unit"] == "GB/s" ? std::max(largest, limit["value"].get<double>() * 1e9) : largest;
        }
        for (const auto& k : backend["kernels"]) {
            if (largest > 0 && bandwidth(k) > 0) {
                all[kernel_key(backend, k)] = {bandwidth(k) / largest, k["seconds"]};
            }
        }
    }
    return all;
}

void compare_kernels(const Json& mine, const Json& other, Comparison& found)
{
    const auto there = by_key(other, "kernels", kernel_key);
    for (const auto& [key, k] : by_key(mine, "kernels", kernel_key)) {
        const auto at = there.find(key);
        if (bandwidth(k) > 0 && at != there.end() && bandwidth(at->second) > 0) {
            found.kernels.push_back({key, "GB/s", bandwidth(k) / 1e9, bandwidth(at->second) / 1e9});
        }
    }
    std::sort(found.kernels.begin(), found.kernels.end(),
              [](const auto& a, const auto& b) { return a.here * b.there < b.here * a.there; });
}

/// What makes numbers of two reports hard to compare.
void add_notes(const Json& mine, const Json& other, Comparison& found)
{
    const auto differ = [&](const char* what, const char* consequence) {
        if (mine[what] != other[what]) {
            found.notes.push_back(std::string(what) + " " + mine[what].dump() + " here, " + other[what].dump() +
                                  " there: " + consequence);
        }
    };
    differ("level", "other problems and sizes");
    differ("seed", "other operands, so that no bits can be equal");
}

/// At most `most` lines, and how many more there are.
void add_some(const std::vector<std::string>& lines, const std::string& before, std::string& text)
{
    constexpr std::size_t most = 20;
    for (std::size_t i = 0; i < std::min(most, lines.size()); ++i) {
        text += before + lines[i] + "\n";
    }
    if (lines.size() > most) {
        text += before + std::to_string(lines.size() - most) + " more\n";
    }
}

}  // namespace

double bandwidth(const Json& k)
{
    constexpr double least_seconds = 10e-6;
    return k.contains("bytes") && k["seconds"].get<double>() >= least_seconds
               ? k["bytes"].get<double>() / k["seconds"].get<double>()
               : 0;
}

Comparison compare(const Json& mine, const Json& theirs)
{
    auto other = theirs;
    Comparison found;
    found.other = text_of(other["machine"], "processor") + ", " + text_of(other["machine"], "compiler");
    if (mine["backends"].size() == 1 && other["backends"].size() == 1) {
        auto& there = other["backends"][0]["backend"];
        const auto here = mine["backends"][0]["backend"];
        found.other += ", " + text_of(other["backends"][0], "device");
        if (there != here) {
            found.notes.push_back(here.get<std::string>() + " here, " + there.get<std::string>() + " there");
            there = here;
        }
    }
    add_notes(mine, other, found);
    compare_limits(mine, other, found);
    compare_kernels(mine, other, found);
    compare_solves(mine, other, found);
    list_missing(mine, other, found.only_here);
    list_missing(other, mine, found.only_there);
    return found;
}

std::string text_of(const Comparison& c)
{
    std::string text = "compared with " + c.other + "\n";
    for (const auto& note : c.notes) {
        text += note + "\n";
    }
    const auto add = [&](const char* what, const ComparedNumber& n) {
        text += what + n.name + ": " + figures(n.here) + " and " + figures(n.there) + " " + n.unit + ", ratio " +
                figures(n.here / n.there) + "\n";
    };
    for (const auto& limit : c.limits) {
        add("limit ", limit);
    }
    if (!c.kernels.empty()) {
        text += "kernels timed in both: " + std::to_string(c.kernels.size()) + ", from the lowest ratio\n";
        add("  ", c.kernels.front());
        add("  ", c.kernels[c.kernels.size() / 2]);
        add("  ", c.kernels.back());
    }
    text += "solves in both: " + std::to_string(c.num_solves) +
            ", with the same bits: " + std::to_string(c.num_same_bits) + "\n";
    std::vector<std::string> different;
    for (const auto& s : c.different) {
        different.push_back(s.name + ": " + std::to_string(s.iterations_here) + " and " +
                            std::to_string(s.iterations_there) + " iterations, " + s.status_here + " and " +
                            s.status_there + ", solutions differ by " + figures(s.eps_apart) + " eps");
    }
    add_some(different, "  ", text);
    add_some(c.only_here, "only here: ", text);
    add_some(c.only_there, "only there: ", text);
    return text;
}

Slower slower(const Json& report, const Json& baseline, double factor)
{
    Slower found;
    const auto limits_before = by_key(baseline, "limits", limit_key);
    for (const auto& [key, limit] : by_key(report, "limits", limit_key)) {
        const auto before = limits_before.find(key);
        if (limit["unit"] != "GB/s" || before == limits_before.end()) {
            continue;  // latencies depend on who else is there
        }
        ++found.num_compared;
        if (limit["value"] < factor * before->second["value"].get<double>()) {
            found.lines.push_back("limit " + key + ": " + figures(limit["value"]) + ", before " +
                                  figures(before->second["value"]) + " GB/s");
        }
    }
    const auto fractions_before = fractions(baseline);
    for (const auto& [key, now] : fractions(report)) {
        const auto before = fractions_before.find(key);
        if (before == fractions_before.end()) {
            continue;
        }
        ++found.num_compared;
        const double expected_seconds = now.seconds * now.value / before->second.value;
        if (now.value < factor * before->second.value && now.seconds > expected_seconds + uncertain_seconds) {
            found.lines.push_back(key + ": " + formatted("%.2f", now.value) + " of the largest bandwidth, before " +
                                  formatted("%.2f", before->second.value));
        }
    }
    return found;
}

}  // namespace linden::tool
