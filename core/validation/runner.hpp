#pragma once

#include <linden/stop/stop.hpp>
#include <linden/validate.hpp>

#include <functional>
#include <string>

#include "core/inspect/inspector.hpp"

/// Cases of a validation: what makes the library call its kernels.
namespace linden::validation {

/// Numbers cases, and keeps what they show.
class Runner {
public:
    Runner(const Executor& exec, const ValidateOptions& options, inspect::Inspector& inspector, MachineReport& report)
        : exec_(exec),
          options_(options),
          inspector_(inspector),
          report_(report)
    {
    }

    const Executor& executor() const { return exec_; }
    std::uint64_t seed() const { return options_.seed; }
    int level() const { return options_.level; }
    bool records_loops() const { return options_.records_loops; }

    /// Runs `body` as the next case unless another one is wanted. An error by which the library refuses its input is
    /// noted where the reference refuses it with the same message; any other is a fault.
    void run(const std::string& text, const std::function<void()>& body);
    /// Runs `body` without inspection.
    void uninspected(const std::function<void()>& body) const;
    void add(SolveCheck check);

private:
    void note_refusal(const std::string& name, const std::string& message, const std::function<void()>& body);
    /// The message by which the reference refuses the case, or why it does not.
    std::string refusal_of_reference(const std::function<void()>& body);

    Executor exec_;
    bool is_repeating_ = false;  ///< a refused case, on the reference
    const ValidateOptions& options_;
    inspect::Inspector& inspector_;
    MachineReport& report_;
};

/// Whether it runs device code on a processor: correct, and slow.
bool is_emulation(const Executor& exec);

/// How a solve ended.
struct SolveEnd {
    SolveStatus status = SolveStatus::running;
    std::int64_t iterations = 0;
};

/// Why the reference cannot have ended so when the executor ended otherwise, or empty. Rounding changes iterations by a
/// few, and whether a limit of them is just reached; `is_exact`: nothing rounds.
std::string disagreement(const SolveEnd& here, const SolveEnd& reference, bool is_exact);

/// Every method of the registry, with each choice of its parameters. Complex types too.
template <class V, class I>
void drive_methods(Runner& runner);

/// Every format, and back.
template <class V, class I>
void drive_formats(Runner& runner);

/// Operations on matrices.
template <class V, class I>
void drive_algebra(Runner& runner);

/// Dense blocks, diagonal matrices, permutations, arrays.
template <class V, class I>
void drive_blocks(Runner& runner);

/// Kernels that no small problem on one process reaches.
template <class V, class I>
void drive_kernels(Runner& runner);

/// What the executor can do at most: bandwidths, latencies.
std::vector<LimitCheck> measure_limits(const Executor& exec, int level);

/// Why a kernel that the executor's backend has is inspected in no case, or null.
const char* reason_of_gap(std::string_view kernel, std::string_view types, const Executor& exec);

}  // namespace linden::validation
