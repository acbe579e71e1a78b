#include <algorithm>

#include "tools/formatted.hpp"
#include "tools/validate/report.hpp"

namespace linden::tool {
namespace {

std::string kernel_name(const Json& k)
{
    return k["kernel"].get<std::string>() + "<" + k["types"].get<std::string>() + ">";
}

void add_faults(const Json& backend, std::string& text)
{
    for (const auto& k : backend["kernels"]) {
        for (const auto& fault : k.value("faults", Json::array())) {
            text += "  " + kernel_name(k) + " " + fault.get<std::string>() + "\n";
        }
        if (k.value("planted", 0) != k.value("found", 0)) {
            text += "  " + kernel_name(k) + ": " + std::to_string(k["found"].get<int>()) + " of " +
                    std::to_string(k["planted"].get<int>()) + " planted faults were found\n";
        }
    }
    for (const auto& s : backend["solves"]) {
        for (const auto& fault : s["faults"]) {
            text += "  " + s["method"].get<std::string>() + " on " + s["problem"].get<std::string>() + ", " +
                    s["type"].get<std::string>() + ": " + fault.get<std::string>() + "\n";
        }
    }
    for (const auto& fault : backend["faults"]) {
        text += "  " + fault.get<std::string>() + "\n";
    }
}

/// Kernels that should have been inspected. Level 1 does not reach all, and a run of one kernel or case is about that.
void add_gaps(const Json& report, const Json& backend, std::string& text)
{
    const auto only = report.value("only", "");
    if (only.empty() && (report["level"] == 1 || report.contains("case"))) {
        return;
    }
    for (const auto& k : backend["kernels"]) {
        if (k["inspected"] == 0 && (only.empty() ? k["gap_is_named"] == false : k["kernel"] == only)) {
            text += "  not inspected: " + kernel_name(k) + ", " + k["gap"].get<std::string>() + "\n";
        }
    }
}

void add_planted(const KernelCounts& c, std::string& text)
{
    if (c.planted == 0) {
        return;
    }
    const auto with_some = static_cast<std::size_t>(c.inspected) - c.unplanted.size();
    text += "  planted faults: " + std::to_string(c.found) + " of " + std::to_string(c.planted) + " found, in " +
            std::to_string(with_some) + " kernels\n";
    for (const auto& name : c.unplanted) {
        text += "  no fault could be planted: " + name + "\n";
    }
}

void add_refusals(const Json& backend, std::string& text)
{
    constexpr std::size_t most_lines = 5;
    auto groups = grouped_refusals(backend);
    std::stable_sort(groups.begin(), groups.end(),
                     [](const auto& a, const auto& b) { return a.num_cases > b.num_cases; });
    if (!groups.empty()) {
        text += "  refused: " + std::to_string(backend["refusals"].size()) + " cases, with " +
                std::to_string(groups.size()) + " messages\n";
    }
    for (std::size_t i = 0; i < std::min(most_lines, groups.size()); ++i) {
        text +=
            "    " + std::to_string(groups[i].num_cases) + ": " + groups[i].message + " (" + groups[i].first + ")\n";
    }
    if (groups.size() > most_lines) {
        text += "    " + std::to_string(groups.size() - most_lines) + " more messages, in --report\n";
    }
}

}  // namespace

std::vector<RefusalGroup> grouped_refusals(const Json& backend)
{
    std::vector<RefusalGroup> groups;
    for (const auto& refusal : backend["refusals"]) {
        const auto message = refusal["message"].get<std::string>();
        const auto found =
            std::find_if(groups.begin(), groups.end(), [&](const RefusalGroup& g) { return g.message == message; });
        if (found == groups.end()) {
            groups.push_back({message, refusal["case"].get<std::string>(), 1});
        } else {
            ++found->num_cases;
        }
    }
    return groups;
}

KernelCounts count_kernels(const Json& backend)
{
    KernelCounts c;
    for (const auto& k : backend["kernels"]) {
        ++c.entries;
        c.planted += k.value("planted", 0);
        c.found += k.value("found", 0);
        if (k["inspected"] == 0) {
            ++(k["gap_is_named"] == true ? c.named_gaps : c.unnamed_gaps);
            continue;
        }
        ++c.inspected;
        c.same_bits += k["same_bits"] == true;
        if (k.value("planted", 0) == 0) {
            c.unplanted.push_back(kernel_name(k));
        }
        if (k["fraction"].is_number() && k["fraction"].get<double>() > c.worst) {
            c.worst = k["fraction"].get<double>();
            c.where = kernel_name(k);
        }
    }
    return c;
}

std::string summary(const Json& report)
{
    std::string text;
    for (const auto& backend : report["backends"]) {
        const auto c = count_kernels(backend);
        text += backend["backend"].get<std::string>() + " (" + backend["device"].get<std::string>() +
                "): " + backend["verdict"].get<std::string>() + ", " + std::to_string(backend["cases"].get<int>()) +
                " cases, " + formatted("%.3g s", backend["seconds"].get<double>()) +
                "\n  kernels: " + std::to_string(c.inspected) + " of " + std::to_string(c.entries) + " inspected, " +
                std::to_string(c.named_gaps) + " named gaps; " + std::to_string(c.same_bits) +
                " have the bits of the reference";
        text += c.where.empty() ? "\n" : ", worst " + formatted("%.3g", c.worst) + " of the bound: " + c.where + "\n";
        add_planted(c, text);
        text += backend["limits"].empty() ? "" : "  limits:";
        for (const auto& limit : backend["limits"]) {
            text += " " + limit["name"].get<std::string>() + " " + figures(limit["value"]) + " " +
                    limit["unit"].get<std::string>() + (&limit == &backend["limits"].back() ? "\n" : ",");
        }
        add_faults(backend, text);
        add_refusals(backend, text);
        add_gaps(report, backend, text);
    }
    for (const auto& missing : report["missing"]) {
        text += "missing: " + missing.get<std::string>() + "\n";
    }
    return text;
}

}  // namespace linden::tool
