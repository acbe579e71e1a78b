#include <linden/error.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "tools/commands.hpp"
#include "tools/validate/report.hpp"

namespace linden::tool {
namespace {

constexpr int version = 2;

/// Verdicts from the worst to the best.
constexpr Verdict order[] = {Verdict::fail, Verdict::slow, Verdict::incomplete, Verdict::pass};

std::string hexadecimal(std::uint64_t value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
    return text;
}

std::string hexadecimal(double value)
{
    char text[64];
    std::snprintf(text, sizeof text, "%a", value);
    return text;
}

Json to_json(const KernelCheck& k)
{
    Json entry{{"kernel", k.kernel}, {"types", k.types}, {"calls", k.num_calls}, {"inspected", k.num_inspected}};
    if (k.num_inspected > 0) {
        entry["fraction"] = k.fraction;  // infinity becomes null
        entry["ulps"] = k.ulps;
        entry["same_bits"] = k.is_same_bits;
        entry["decided_by_rounding"] = k.num_decided_by_rounding;
        entry["worst"] = k.worst;
    } else {
        entry["gap"] = k.gap;
        entry["gap_is_named"] = k.is_named_gap;
    }
    if (!k.faults.empty()) {
        entry["faults"] = k.faults;
    }
    if (k.num_planted > 0) {
        entry["planted"] = k.num_planted;
        entry["found"] = k.num_found;
    }
    if (k.bytes > 0) {
        entry["bytes"] = k.bytes;
        entry["seconds"] = k.seconds;
    }
    return entry;
}

Json to_json(const SolveCheck& s)
{
    Json probes = Json::array();
    for (const double value : s.probes) {
        probes.push_back(hexadecimal(value));
    }
    return {{"method", s.method},
            {"problem", s.problem},
            {"type", s.type},
            {"status", s.status},
            {"iterations", s.iterations},
            {"reference_iterations", s.reference_iterations},
            {"relative_residual", s.relative_residual},
            {"hash", hexadecimal(s.hash)},
            {"probes", probes},
            {"launches", s.launches},
            {"synchronizations", s.synchronizations},
            {"allocations", s.allocations},
            {"faults", s.faults}};
}

Json to_json(const MachineReport& r)
{
    Json entry{{"backend", name(r.backend)},   {"device", r.device.name},
               {"units", r.device.num_units},  {"memory_bytes", r.device.memory_bytes},
               {"verdict", name(r.verdict())}, {"cases", r.num_cases},
               {"rounds", r.num_rounds},       {"seconds", r.seconds}};
    for (const auto& k : r.kernels) {
        entry["kernels"].push_back(to_json(k));
    }
    entry["solves"] = Json::array();
    for (const auto& s : r.solves) {
        entry["solves"].push_back(to_json(s));
    }
    entry["limits"] = Json::array();
    for (const auto& l : r.limits) {
        entry["limits"].push_back({{"name", l.name}, {"value", l.value}, {"unit", l.unit}});
    }
    entry["refusals"] = Json::array();
    for (const auto& refusal : r.refusals) {
        entry["refusals"].push_back({{"case", refusal.text}, {"message", refusal.message}});
    }
    entry["faults"] = r.faults;
    return entry;
}

}  // namespace

Verdict worst(Verdict a, Verdict b)
{
    return *std::find_if(std::begin(order), std::end(order), [&](Verdict v) { return v == a || v == b; });
}

Json to_json(const std::vector<MachineReport>& reports, const std::vector<std::string>& missing)
{
    auto verdict = missing.empty() && !reports.empty() ? Verdict::pass : Verdict::incomplete;
    Json backends = Json::array();
    for (const auto& r : reports) {
        verdict = worst(verdict, r.verdict());
        backends.push_back(to_json(r));
    }
    return {{"format", "linden validate"},
            {"version", version},
            {"verdict", name(verdict)},
            {"level", reports.empty() ? 0 : reports.front().level},
            {"seed", reports.empty() ? 0 : reports.front().seed},
            {"machine", describe_machine()},
            {"missing", missing},
            {"backends", backends}};
}

namespace {

/// Members that everything below relies on, of one object.
void require(const Json& object, std::initializer_list<const char*> members, const std::string& where)
{
    for (const char* name : members) {
        if (!object.is_object() || !object.contains(name)) {
            throw UsageError(where + " has no '" + name + "'");
        }
    }
}

template <class Check>
void require_each(const Json& object, const char* list, const std::string& where, const Check& check)
{
    const auto name = where + ", " + list;
    if (!object[list].is_array()) {
        throw UsageError(name + " is no list");
    }
    for (std::size_t i = 0; i < object[list].size(); ++i) {
        check(object[list][i], name + "[" + std::to_string(i) + "]");
    }
}

void check_kernel(const Json& k, const std::string& where)
{
    require(k, {"kernel", "types", "calls", "inspected"}, where);
    if (k["inspected"] == 0) {
        require(k, {"gap", "gap_is_named"}, where);
    } else {
        require(k, {"fraction", "ulps", "same_bits"}, where);
    }
    if (k.contains("bytes")) {
        require(k, {"seconds"}, where);
    }
}

void check_backend(const Json& b, const std::string& where)
{
    require(b,
            {"backend", "verdict", "device", "cases", "seconds", "kernels", "solves", "limits", "refusals", "faults"},
            where);
    require_each(b, "kernels", where, check_kernel);
    require_each(b, "solves", where, [](const Json& s, const std::string& at) {
        require(s,
                {"method", "problem", "type", "status", "iterations", "reference_iterations", "relative_residual",
                 "hash", "probes", "launches", "synchronizations", "allocations", "faults"},
                at);
    });
    require_each(b, "limits", where, [](const Json& l, const std::string& at) {
        require(l, {"name", "value", "unit"}, at);
    });
    require_each(b, "refusals", where, [](const Json& r, const std::string& at) {
        require(r, {"case", "message"}, at);
    });
}

}  // namespace

Json read_report(const std::string& path, const std::string& option)
{
    std::ifstream file(path);
    if (!file) {
        throw UsageError(option + ": cannot read '" + path + "'");
    }
    const auto report = Json::parse(file, nullptr, false);
    if (report.is_discarded()) {
        throw UsageError(option + ": '" + path + "' is no JSON, or ends too early");
    }
    const bool is_report = report.is_object() && report.contains("format") && report["format"] == "linden validate";
    if (!is_report || !report.contains("version") || report["version"] != version) {
        throw UsageError(option + ": '" + path + "' is no report of `linden validate`, version " +
                         std::to_string(version));
    }
    const auto where = option + ": '" + path + "'";
    require(report, {"verdict", "level", "seed", "machine", "missing", "backends"}, where);
    require(report["machine"], {"processor", "compiler"}, where + ", machine");
    require_each(report, "backends", where, check_backend);
    return report;
}

}  // namespace linden::tool
