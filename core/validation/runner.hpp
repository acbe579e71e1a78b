#pragma once

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

    /// Runs `body` as the next case unless another one is wanted. An error by which the library refuses its input is
    /// noted; any other is a fault.
    void run(const std::string& text, const std::function<void()>& body);
    /// Runs `body` without inspection.
    void uninspected(const std::function<void()>& body) const;
    void add(SolveCheck check) { report_.solves.push_back(std::move(check)); }

private:
    Executor exec_;
    const ValidateOptions& options_;
    inspect::Inspector& inspector_;
    MachineReport& report_;
};

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

/// What the executor can do at most: bandwidths, latencies.
std::vector<LimitCheck> measure_limits(const Executor& exec, int level);

/// Why a kernel that a backend has is called by no case, or null.
const char* reason_of_gap(std::string_view kernel, std::string_view types, bool is_host);

}  // namespace linden::validation
