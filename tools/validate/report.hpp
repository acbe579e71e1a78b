#pragma once

#include <linden/validate.hpp>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

/// Reports of validations: one JSON (doc/schemas/validate.json), of which all that people read is made.
namespace linden::tool {

using Json = nlohmann::ordered_json;

/// All backends together: FAIL if one fails, else SLOW, else INCOMPLETE, PASS only where all pass.
Verdict worst(Verdict a, Verdict b);

/// What the machine and the build are.
Json describe_machine();

/// `missing`: sentences about backends that were built or wanted, but are not here.
Json to_json(const std::vector<MachineReport>& reports, const std::vector<std::string>& missing);

/// A report from a file. @throws FileError, UsageError if it is no report of this version
Json read_report(const std::string& path, const std::string& option);

/// Each message by which cases were refused, with the number of cases and the first of them.
struct RefusalGroup {
    std::string message, first;
    int num_cases = 0;
};
std::vector<RefusalGroup> grouped_refusals(const Json& backend);

/// The lines of a terminal: the verdict, what is wrong, what is not covered.
std::string summary(const Json& report);

/// One page without a network, readable without scripts. `other`: a report to compare with, null for none.
std::string to_html(const Json& report, const Json& other);

/// Lines on what differs between two reports; of one backend each where they have one, else of the same backends.
std::vector<std::string> differences(const Json& mine, const Json& theirs);

/// Bandwidths among the limits of `report` that are below `factor` of those of `baseline`, and kernels whose bandwidth
/// is, as a fraction of the largest limit of its own report: so a slow machine and a slow kernel are told apart.
std::vector<std::string> slower(const Json& report, const Json& baseline, double factor);

}  // namespace linden::tool
