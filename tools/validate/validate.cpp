#include <linden/error.hpp>
#include <linden/executor.hpp>
#include <linden/validate.hpp>

#include <algorithm>

#include "core/base/kernel.hpp"
#include "core/base/nearest_name.hpp"

#include "tools/commands.hpp"
#include "tools/output_file.hpp"
#include "tools/report.hpp"
#include "tools/validate/command.hpp"
#include "tools/validate/report.hpp"

namespace linden::tool {
namespace {

void check_kernel_name(const std::string& wanted)
{
    std::vector<std::string> names;
    for (const auto* kernel : KernelEntry::all()) {
        if (kernel->name() == wanted) {
            return;
        }
        names.emplace_back(kernel->name());
    }
    if (!wanted.empty()) {
        const auto nearest = nearest_name(wanted, names);
        throw UsageError("--only: there is no kernel '" + wanted + "'" +
                         (nearest.empty() ? "; see linden info --kernels" : "; did you mean '" + nearest + "'?"));
    }
}

std::vector<Backend> wanted_backends(const std::vector<std::string>& names)
{
    std::vector<Backend> wanted;
    std::vector<std::string> known;
    for (int b = 0; b < num_backends; ++b) {
        const auto backend = static_cast<Backend>(b);
        known.emplace_back(name(backend));
        const bool is_named = std::find(names.begin(), names.end(), name(backend)) != names.end();
        if (names.empty() ? backend_info(backend).built : is_named) {
            wanted.push_back(backend);
        }
    }
    for (const auto& text : names) {
        if (std::find(known.begin(), known.end(), text) == known.end()) {
            throw UsageError("--backends: expected " + expected_one_of(text, known) + ", not '" + text + "'");
        }
    }
    return wanted;
}

Verdict verdict_of(const Json& report)
{
    for (const auto verdict : {Verdict::fail, Verdict::slow, Verdict::incomplete}) {
        if (report["verdict"] == name(verdict)) {
            return verdict;
        }
    }
    return Verdict::pass;
}

int exit_code(Verdict verdict)
{
    switch (verdict) {
    case Verdict::pass:
        return valid;
    case Verdict::slow:
        return too_slow;
    case Verdict::incomplete:
        return not_complete;
    default:
        return wrong;
    }
}

Json run(const ValidateCommand& command)
{
    std::vector<MachineReport> reports;
    std::vector<std::string> missing;
    ValidateOptions options;
    options.level = command.level;
    options.seed = command.seed;
    options.only_case = command.only_case;
    options.only_kernel = command.only;
    options.records_loops = !command.host_loops;
    options.seconds = command.time;
    options.plants_faults = command.self_test;
    for (const auto backend : wanted_backends(command.backends)) {
        const auto info = backend_info(backend);
        if (!info.built || !info.why_not.empty()) {
            missing.push_back(std::string(name(backend)) + ": " + info.why_not);
            continue;
        }
        reports.push_back(validate(Executor::create(backend, {.threads = command.threads}), options));
    }
    compare_refusals(reports);
    auto report = to_json(reports, missing);
    if (command.only_case >= 0 || !command.only.empty() || command.host_loops) {
        // What was left out on purpose was left out.
        report["verdict"] = name(worst(verdict_of(report), Verdict::incomplete));
    }
    return report;
}

}  // namespace

int validate(const ValidateCommand& command)
{
    check_kernel_name(command.only);
    const bool on_output = command.json == "-";
    OutputFile json_file(on_output ? std::string() : command.json, "--json");
    OutputFile html_file(command.report, "--report");
    check_distinct({&json_file, &html_file}, {command.from, command.compare, command.baseline});
    const auto other = command.compare.empty() ? Json() : read_report(command.compare, "--compare");
    const auto baseline = command.baseline.empty() ? Json() : read_report(command.baseline, "--baseline");
    auto report = command.from.empty() ? run(command) : read_report(command.from, "--from");
    std::string text = command.quiet ? std::string() : summary(report);
    if (!baseline.is_null()) {
        report["slower"] = slower(report, baseline, 0.8);
        if (!report["slower"].empty()) {
            report["verdict"] = name(worst(verdict_of(report), Verdict::slow));
        }
        for (const auto& line : report["slower"]) {
            text += "slower: " + line.get<std::string>() + "\n";
        }
    }
    if (!other.is_null() && !command.quiet) {
        for (const auto& line : differences(report, other)) {
            text += line + "\n";
        }
    }
    text += report["verdict"].get<std::string>() + "\n";
    const auto dump = report.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
    print_to_standard_output(on_output ? dump : text);
    if (json_file) {
        json_file.write(dump);
    }
    if (html_file) {
        html_file.write(to_html(report, other));
    }
    return exit_code(verdict_of(report));
}

}  // namespace linden::tool
