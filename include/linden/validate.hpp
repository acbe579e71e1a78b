#pragma once

#include <linden/executor.hpp>
#include <linden/export.hpp>
#include <linden/types.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// Does this machine compute what the library means? One call answers that, for an application at its start or for the
/// program `linden validate`. doc/validation.md explains how.
namespace linden {

/// The outcome. `pass` means that everything ran and is right; something that did not run makes it `incomplete`.
enum class Verdict : std::uint8_t {
    pass,
    fail,       ///< something is wrong
    slow,       ///< right, but slower than what it was compared with
    incomplete  ///< what ran is right
};
LINDEN_EXPORT std::string_view name(Verdict verdict);

struct ValidateOptions {
    /// | level | for | checks |
    /// |---|---|---|
    /// | 1 | the start of a job, 2 s | the methods once on a small problem, bandwidth roughly |
    /// | 2 | a new machine, 60 s | every kernel, every method with each choice of its parameters, formats, limits |
    /// | 3 | 10 min | as 2, on more and larger problems, calls inspected more often |
    /// | 4 | a soak | as 3 with all types, then rounds with other seeds until the time is over |
    int level = 1;
    std::uint64_t seed = 1;
    std::int64_t only_case = -1;   ///< runs this case only, unless negative
    std::string only_kernel = {};  ///< inspects this kernel only, unless empty
    double seconds = 0;            ///< level 4: how long it runs; other levels: 0
    bool records_loops = true;     ///< runs each solve also as devices record it; false for tools that follow kernels
    bool plants_faults = false;    ///< checks the check: makes results wrong, and counts which faults are found
};

/// What calls of one kernel have shown. Types as in `double, int32`.
struct KernelCheck {
    std::string kernel;
    std::string types;
    std::int64_t num_calls = 0;
    std::int64_t num_inspected = 0;            ///< calls that changed something
    std::int64_t num_decided_by_rounding = 0;  ///< inspected calls whose result hangs on the last place of its input
    double fraction = 0;                       ///< the largest difference from the reference, in units of its bound
    double ulps = 0;                           ///< the largest difference, in units of roundoff of the number itself
    bool is_same_bits = true;                  ///< as the reference
    std::string worst;                         ///< the case of that difference, and sizes among the arguments
    std::vector<std::string> faults;           ///< sentences
    std::string gap;                           ///< why no call was inspected, empty if one was
    bool is_named_gap = false;                 ///< the gap is known, with a reason
    std::int64_t num_planted = 0;              ///< faults
    std::int64_t num_found = 0;                ///< of these
    double bytes = 0;                          ///< least traffic of the largest call that was timed; 0: none
    double seconds = 0;                        ///< of that call

    bool is_right() const { return faults.empty() && num_found == num_planted; }
};

/// What one solve has shown.
struct SolveCheck {
    std::string method;
    std::string problem;
    std::string type;  ///< of values
    std::string status;
    std::int64_t iterations = 0;
    std::int64_t reference_iterations = 0;
    double relative_residual = 0;
    std::uint64_t hash = 0;      ///< of the bits of x
    std::vector<double> probes;  ///< some entries of x, real parts
    std::uint64_t launches = 0;  ///< of a repeated solve
    std::uint64_t synchronizations = 0;
    std::uint64_t allocations = 0;
    std::vector<std::string> faults;  ///< sentences
};

/// A case that the library refuses with an error that names what is wrong with its input.
struct Refusal {
    std::string text;  ///< the case, as in `case 12: Cg on lap2d:24, double`
    std::string message;
};

/// What the hardware can do at most.
struct LimitCheck {
    std::string name;
    double value = 0;
    std::string unit;
};

/// What `validate` has found on one executor.
struct LINDEN_EXPORT MachineReport {
    Backend backend = Backend::reference;
    DeviceInfo device;
    int level = 1;
    std::uint64_t seed = 1;
    double seconds = 0;
    std::int64_t num_cases = 0;        ///< that were run
    std::int64_t num_rounds = 1;       ///< level 4: the last one may have ended early
    std::vector<KernelCheck> kernels;  ///< of every kernel that the backend has, in the order of the table
    std::vector<SolveCheck> solves;
    std::vector<LimitCheck> limits;
    std::vector<Refusal> refusals;    ///< counted, and the same on every backend
    std::vector<std::string> faults;  ///< cases that ended with another error, or are refused here only

    /// Never `slow`: that needs another report to compare with.
    Verdict verdict() const;
};

/// Checks the executor, which nobody else may use meanwhile, and takes some tens of MB on it.
/// @throws InvalidParameter unless 1 <= level <= 4
LINDEN_EXPORT MachineReport validate(const Executor& exec, const ValidateOptions& options = {});

/// Compares what the backends refused. Input that is wrong is wrong on every backend, so a report that lacks a refusal
/// of another report gets a fault. The reports are of the same options.
LINDEN_EXPORT void compare_refusals(std::vector<MachineReport>& reports);

}  // namespace linden
