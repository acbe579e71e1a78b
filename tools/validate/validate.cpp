#include <linden/error.hpp>
#include <linden/executor.hpp>
#include <linden/validate.hpp>

#include <algorithm>

#include "core/base/kernel.hpp"
#include "core/base/nearest_name.hpp"

#include "tools/commands.hpp"
#include "tools/output_file.hpp"
#include "tools/report.hpp"
#include "tools/threads.hpp"
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
            throw UsageError("--backends " + text + ": " + expected_one_of(text, known));
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

/// What the options leave out; what was left out on purpose was left out.
std::vector<std::string> left_out(const ValidateCommand& command)
{
    std::vector<std::string> lines;
    if (!command.only.empty()) {
        lines.push_back("all kernels but " + command.only + " (--only)");
    }
    if (command.only_case >= 0) {
        lines.push_back("all cases but " + std::to_string(command.only_case) + " (--case)");
    }
    if (command.host_loops) {
        lines.emplace_back("recorded loops, limits and times (--host-loops)");
    }
    return lines;
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
    options.seconds = command.time.value_or(600);
    options.plants_faults = command.self_test;
    warn_of_threads(command.threads);
    for (const auto backend : wanted_backends(command.backends)) {
        const auto info = backend_info(backend);
        if (!info.built || !info.why_not.empty()) {
            missing.push_back(std::string(name(backend)) + ": " + info.why_not);
            continue;
        }
        reports.push_back(validate(Executor::create(backend, {.threads = command.threads}), options));
    }
    const bool has_run = std::any_of(reports.begin(), reports.end(), [](const auto& r) { return r.num_cases > 0; });
    if (command.only_case >= 0 && !reports.empty() && !has_run) {
        throw UsageError("--case: level " + std::to_string(command.level) + " has no case " +
                         std::to_string(command.only_case));
    }
    compare_refusals(reports);
    for (const auto& line : left_out(command)) {
        missing.push_back(line);
    }
    auto report = to_json(reports, missing);
    if (!command.only.empty()) {
        report["only"] = command.only;
    }
    if (command.only_case >= 0) {
        report["case"] = command.only_case;
    }
    return report;
}

void check_usage(const ValidateCommand& command)
{
    check_kernel_name(command.only);
    if (command.time && command.level != 4) {
        throw UsageError("--time: level " + std::to_string(command.level) + " ends by itself; it is for --level 4");
    }
}

/// Limits at level 1 are of arrays that caches may hold.
void check_level(const Json& baseline, const std::string& file, int level)
{
    const int before = baseline["level"];
    if ((before == 1) != (level == 1)) {
        throw UsageError("--baseline: '" + file + "' is of level " + std::to_string(before) +
                         ", whose bandwidths are of arrays of another size than those of level " +
                         std::to_string(level));
    }
}

/// What is slower, in the report and as lines; what cannot be judged makes it incomplete.
std::string judge_speed(Json& report, const Json& baseline)
{
    const auto found = slower(report, baseline, 0.8);
    report["slower"] = found.lines;
    if (!found.lines.empty()) {
        report["verdict"] = name(worst(verdict_of(report), Verdict::slow));
    } else if (found.num_compared == 0) {
        report["missing"].push_back("speed: the baseline has no bandwidth of these backends");
        report["verdict"] = name(worst(verdict_of(report), Verdict::incomplete));
    }
    std::string text;
    for (const auto& line : found.lines) {
        text += "slower: " + line + "\n";
    }
    return text;
}

}  // namespace

int validate(const ValidateCommand& command)
{
    check_usage(command);
    OutputFile json_file(command.json, "--json");
    OutputFile html_file(command.report, "--report");
    check_distinct({&json_file, &html_file}, {command.from, command.compare, command.baseline});
    const auto other = command.compare.empty() ? Json() : read_report(command.compare, "--compare");
    const auto baseline = command.baseline.empty() ? Json() : read_report(command.baseline, "--baseline");
    auto report = command.from.empty() ? Json() : read_report(command.from, "--from");
    if (!baseline.is_null()) {
        check_level(baseline, command.baseline, report.is_null() ? command.level : report["level"].get<int>());
    }
    if (report.is_null()) {
        report = run(command);
    }
    const auto slow = baseline.is_null() ? std::string() : judge_speed(report, baseline);
    std::string text = command.quiet ? slow : summary(report) + slow;
    if (!other.is_null() && !command.quiet) {
        text += text_of(compare(report, other));
    }
    text += report["verdict"].get<std::string>() + "\n";
    const auto dump = report.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
    if (!json_file.is_standard_output() && !html_file.is_standard_output()) {
        print_to_standard_output(text);
    }
    if (json_file) {
        json_file.write(dump);
    }
    if (html_file) {
        html_file.write(to_html(report, other));
    }
    return exit_code(verdict_of(report));
}

}  // namespace linden::tool
