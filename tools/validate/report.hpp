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

/// The lines of a terminal: the verdict, what is wrong, what is not covered.
std::string summary(const Json& report);

/// One page without a network, readable without scripts. `other`: a report to compare with, null for none.
std::string to_html(const Json& report, const Json& other);

/// Lines on what differs between two reports.
std::vector<std::string> differences(const Json& mine, const Json& other);

/// Kernels of `report` that have less than `factor` of the bandwidth that they have in `baseline`.
std::vector<std::string> slower(const Json& report, const Json& baseline, double factor);

}  // namespace linden::tool
