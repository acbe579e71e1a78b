#pragma once

#include <linden/executor.hpp>
#include <linden/stopwatch.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/kernel.hpp"
#include "core/inspect/blocks.hpp"
#include "core/inspect/fault.hpp"

/// The kernel table checks itself (doc/decisions/0023-the-table-checks-itself.md).
namespace linden::inspect {

struct CallMemory;
struct Outcome;

struct InspectorOptions {
    std::int64_t calls_per_shape = 1;   ///< inspected calls of a kernel with the same numbers among its arguments
    std::int64_t calls_per_kernel = 8;  ///< inspected calls of a kernel, in a round
    std::size_t largest_bytes = std::size_t{32} << 20;  ///< calls with more memory are not inspected
    bool measures_time = false;                         ///< waits for kernels that are not inspected, for their times
    std::size_t least_timed_bytes = 0;                  ///< calls with less memory are not timed
    std::string only = {};                              ///< inspects the kernel of this name only, unless empty
    Fault fault = Fault::none;                          ///< is planted in inspected calls, and not reported
};

/// What is known of a kernel of one type combination on an executor.
struct KernelRecord {
    const KernelEntry* kernel = nullptr;
    std::int64_t num_calls = 0;
    std::int64_t num_inspected = 0;
    std::int64_t num_inspected_before = 0;     ///< of these, before the round
    std::int64_t num_idle = 0;                 ///< of these, changed nothing, as in a case of 0 rows
    std::int64_t num_decided_by_rounding = 0;  ///< calls that a change in the last place decides otherwise
    double fraction = 0;                       ///< the largest difference from the reference, in units of its bound
    double ulps = 0;
    bool is_same_bits = true;         ///< as the reference, in all inspected calls
    std::string worst;                ///< the case and the numbers of the call with that fraction
    std::vector<std::string> faults;  ///< sentences, at most a few
    std::string obstacle;             ///< why a call could not be inspected, or empty
    std::int64_t num_planted = 0;
    std::int64_t num_found = 0;  ///< of the planted faults
    std::size_t bytes = 0;       ///< of the largest call that was timed
    double seconds = 0;          ///< the least time of such calls, without what timing adds
};

/// Runs kernels of an executor twice and on the reference backend, from the same memory, and compares.
///
/// Memory that an inspected call points into has to be allocated on the executor while the inspector exists. One thread
/// at a time may use the executor. While an inspector exists, loops run from the host.
class Inspector final : public KernelInspector {
public:
    explicit Inspector(const Executor& exec, InspectorOptions options = {});
    ~Inspector() override;
    Inspector(const Inspector&) = delete;
    Inspector& operator=(const Inspector&) = delete;

    void call(const KernelEntry& kernel, const Executor& exec, void* const* arguments) override;

    /// What calls are part of from now on, for reports.
    void begin_case(std::string text) { case_ = std::move(text); }
    /// Inspects calls like those of earlier rounds again.
    void begin_round();
    InspectorOptions& options() { return options_; }
    /// Kernels with an inspected call that has changed something.
    std::int64_t num_reached() const { return num_reached_; }
    /// Of each kernel that was called, in the order of the table.
    std::vector<KernelRecord> records() const;

private:
    static constexpr std::int64_t most_idle = 32;  ///< calls of a kernel that are inspected in vain

    bool has_enough(const KernelRecord& record) const
    {
        const auto num_more = std::min(record.num_idle, most_idle);
        return record.num_inspected - record.num_inspected_before >= options_.calls_per_kernel + num_more;
    }
    bool wants(const KernelRecord& record, const CallMemory& memory);
    void run_timed(const KernelEntry& kernel, const Executor& exec, void* const* arguments, const CallMemory& memory,
                   KernelRecord& record);
    std::int64_t& calls_like(const KernelEntry& kernel, const CallMemory& memory);
    void take(const Outcome& outcome, const CallMemory& memory, KernelRecord& record);

    Executor exec_;
    Executor reference_;
    InspectorOptions options_;
    std::shared_ptr<LiveBlocks> blocks_;
    std::unordered_map<const KernelEntry*, KernelRecord> records_;
    std::unordered_map<std::uint64_t, std::int64_t> calls_of_shape_;
    std::string case_;
    std::int64_t num_reached_ = 0;
    Stopwatch watch_;
    double empty_seconds_ = 0;  ///< what the watch shows of hardly any work
    bool is_inside_ = false;    ///< kernels that a kernel calls are part of it
};

}  // namespace linden::inspect
