#pragma once

#include <linden/executor.hpp>

#include <memory>
#include <string>
#include <vector>

#include "core/inspect/call.hpp"
#include "core/inspect/compare.hpp"
#include "core/inspect/fault.hpp"

namespace linden::inspect {

/// What one inspected call has shown.
struct Outcome {
    double fraction = 0;  ///< of the bound, the largest of all arrays
    double ulps = 0;
    bool is_same_bits = true;
    bool is_decided_by_rounding = false;
    bool has_effect = false;  ///< something is not as it was before
    bool is_planted = false;
    bool is_noise = false;  ///< an array may differ by a quarter of its largest number: it has no digit to be wrong
    std::vector<std::string> faults;

    bool is_right() const { return faults.empty() && fraction <= 1; }
};

/// Runs a call of a kernel in place of the caller: on the reference, on its own backend, and there again. What the
/// kernel's backend computes stays.
class Inspection {
public:
    Inspection(const KernelEntry& kernel, const Executor& exec, void* const* arguments, const CallMemory& memory);

    Outcome run(const Executor& reference, Fault fault);

private:
    /// Copies of all blocks, in host memory.
    class Copies;

    void fetch(Copies& to) const;
    void put(const Copies& from) const;
    void run_on(Copies& copies, const Executor& reference) const;
    bool plant(Fault fault, const Copies& before, Copies& after) const;
    void compare_with_reference(const Executor& reference, const Copies& before, const Copies& after,
                                const Copies& expected, Outcome& outcome) const;
    /// The largest differences that changes in the last place make, of each segment, by the random choices of these
    /// seeds.
    std::vector<Difference> sensitivity(const Executor& reference, const Copies& before, const Copies& expected,
                                        std::uint64_t first_seed, std::uint64_t last_seed) const;
    std::vector<Difference> differences(const Copies& a, const Copies& b, const Copies& before) const;
    std::vector<const Segment*> compared_segments() const;

    const KernelEntry& kernel_;
    const Executor& exec_;
    void* const* arguments_;
    const CallMemory& memory_;
};

}  // namespace linden::inspect
