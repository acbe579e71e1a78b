#pragma once

#include <linden/validate.hpp>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

/// Reports of validations: one JSON (doc/schemas/validate.json), of which all that people read is made.
namespace linden::tool {

using Json = nlohmann::ordered_json;

/// Three significant digits, as people write them: 4330 and not 4.33e+03.
std::string figures(double value);

/// All backends together: FAIL if one fails, else SLOW, else INCOMPLETE, PASS only where all pass.
Verdict worst(Verdict a, Verdict b);

/// What the machine and the build are.
Json describe_machine();

/// `missing`: sentences about backends that were built or wanted, but are not here.
Json to_json(const std::vector<MachineReport>& reports, const std::vector<std::string>& missing);

/// A report from a file. @throws UsageError if it is no whole report of this version
Json read_report(const std::string& path, const std::string& option);

/// Each message by which cases were refused, with the number of cases and the first of them.
struct RefusalGroup {
    std::string message, first;
    int num_cases = 0;
};
std::vector<RefusalGroup> grouped_refusals(const Json& backend);

/// What the kernels of a backend have shown together.
struct KernelCounts {
    int entries = 0, inspected = 0, named_gaps = 0, unnamed_gaps = 0, same_bits = 0;
    int planted = 0, found = 0;          ///< faults
    std::vector<std::string> unplanted;  ///< inspected kernels in which no fault was planted
    double worst = 0;                    ///< the largest fraction of a bound
    std::string where;                   ///< the kernel of that, as in `csr::spmv<double, int32>`
};
KernelCounts count_kernels(const Json& backend);

/// The lines of a terminal: the verdict, what is wrong, what is not covered.
std::string summary(const Json& report);

/// One page without a network, readable without scripts. `other`: a report to compare with, null for none.
std::string to_html(const Json& report, const Json& other);

/// A bandwidth or a latency of two reports.
struct ComparedNumber {
    std::string name, unit;
    double here = 0, there = 0;
};

/// A solve whose bits differ.
struct ComparedSolve {
    std::string name;
    std::string status_here, status_there;
    std::int64_t iterations_here = 0, iterations_there = 0;
    double eps_apart = 0;  ///< the largest difference of the probes, in units of roundoff of the largest of them
};

struct Comparison {
    std::string other;               ///< the other machine
    std::vector<std::string> notes;  ///< why numbers may not be comparable
    std::vector<ComparedNumber> limits;
    std::vector<ComparedNumber> kernels;  ///< bandwidths, the lowest ratio first
    int num_solves = 0, num_same_bits = 0;
    std::vector<ComparedSolve> different;
    std::vector<std::string> only_here, only_there;
};

/// Of one backend each where they have one, else of the same backends.
Comparison compare(const Json& mine, const Json& theirs);
/// The lines of a terminal.
std::string text_of(const Comparison& comparison);

/// Bytes per second of a kernel that was timed, or 0. Kernels that are done before a clock can tell how long they take
/// have none.
double bandwidth(const Json& kernel);

/// Bandwidths among the limits of `report` that are below `factor` of those of `baseline`, and kernels whose bandwidth
/// is, as a fraction of the largest limit of its own report: so a slow machine and a slow kernel are told apart.
struct Slower {
    int num_compared = 0;
    std::vector<std::string> lines;
};
Slower slower(const Json& report, const Json& baseline, double factor);

}  // namespace linden::tool
