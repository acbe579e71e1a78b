#include "core/inspect/inspector.hpp"

#include <algorithm>
#include <limits>

#include <linden/array.hpp>

#include "core/base/executor_state.hpp"
#include "core/base/mix.hpp"
#include "core/inspect/call.hpp"
#include "core/inspect/inspection.hpp"

namespace linden::inspect {
namespace {

constexpr std::size_t most_faults = 4;

std::size_t bytes_of(const CallMemory& memory)
{
    std::size_t bytes = 0;
    for (const auto& block : memory.blocks) {
        bytes += block.memory.bytes;
    }
    return bytes;
}

/// The least time that a watch shows of next to nothing, which it shows of every kernel on top of its own.
double seconds_of_nothing(const Executor& exec, Stopwatch& watch)
{
    Array<std::int64_t> few(exec, 1);
    double least = std::numeric_limits<double>::infinity();
    for (int round = 0; round < 20; ++round) {
        watch.start();
        exec.state().fill_zero(few.data(), sizeof(std::int64_t));
        least = std::min(least, watch.stop());
    }
    return least;
}

/// Sets a flag for a scope.
class Inside {
public:
    explicit Inside(bool& flag) : flag_(flag) { flag_ = true; }
    ~Inside() { flag_ = false; }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

private:
    bool& flag_;
};

/// The numbers among the arguments, as in `(100, 100, 460, 1)`.
std::string numbers_text(const CallMemory& memory)
{
    std::string text;
    for (const auto number : memory.numbers) {
        text += (text.empty() ? "(" : ", ") + std::to_string(number);
    }
    return text.empty() ? text : text + ")";
}

}  // namespace

Inspector::Inspector(const Executor& exec, InspectorOptions options)
    : exec_(exec),
      reference_(Executor::reference()),
      options_(std::move(options)),
      blocks_(std::make_shared<LiveBlocks>()),
      watch_(exec)
{
    if (options_.measures_time) {
        empty_seconds_ = seconds_of_nothing(exec_, watch_);
    }
    exec_.add_logger(blocks_);
    exec_.state().set_inspector(this);
}

Inspector::~Inspector()
{
    exec_.state().set_inspector(nullptr);
    exec_.remove_logger(blocks_.get());
}

void Inspector::begin_round()
{
    calls_of_shape_.clear();
    for (auto& [kernel, record] : records_) {
        record.num_inspected_before = record.num_inspected;
    }
}

bool Inspector::wants(const KernelRecord& record, const CallMemory& memory)
{
    const bool is_named = options_.only.empty() || options_.only == record.kernel->name();
    if (!is_named || !memory.obstacle.empty() || bytes_of(memory) > options_.largest_bytes || has_enough(record)) {
        return false;
    }
    return calls_like(*record.kernel, memory) < options_.calls_per_shape;
}

/// How many calls with these numbers among their arguments were inspected.
std::int64_t& Inspector::calls_like(const KernelEntry& kernel, const CallMemory& memory)
{
    // Addresses of kernels differ in few bits, as numbers do: mixed first, or a kernel passes for another one.
    std::uint64_t shape = mixed(reinterpret_cast<std::uintptr_t>(&kernel));
    for (const auto number : memory.numbers) {
        shape = mixed(shape ^ static_cast<std::uint64_t>(number));
    }
    return calls_of_shape_[shape];
}

void Inspector::run_timed(const KernelEntry& kernel, const Executor& exec, void* const* arguments,
                          const CallMemory& memory, KernelRecord& record)
{
    const auto bytes = memory.bytes_moved();
    if (!options_.measures_time || bytes < options_.least_timed_bytes || bytes < record.bytes) {
        kernel.run(exec.backend(), exec, arguments);
        return;
    }
    watch_.start();
    kernel.run(exec.backend(), exec, arguments);
    const double seconds = std::max(watch_.stop() - empty_seconds_, 1e-9);
    record.seconds = bytes > record.bytes ? seconds : std::min(record.seconds, seconds);
    record.bytes = bytes;
}

void Inspector::take(const Outcome& outcome, const CallMemory& memory, KernelRecord& record)
{
    num_reached_ += outcome.has_effect && record.num_inspected == record.num_idle;
    ++record.num_inspected;
    record.num_idle += !outcome.has_effect;
    // A call that changes nothing shows little: others like it follow, but not for ever.
    calls_like(*record.kernel, memory) += outcome.has_effect || record.num_idle > most_idle;
    if (options_.fault != Fault::none) {
        const bool is_found = outcome.is_planted && !outcome.is_right();
        const bool is_judged = !outcome.is_noise && !outcome.is_decided_by_rounding;
        record.num_planted += is_found || (outcome.is_planted && is_judged);
        record.num_found += is_found;
        return;
    }
    const auto where = case_ + " " + numbers_text(memory);
    record.num_decided_by_rounding += outcome.is_decided_by_rounding;
    record.is_same_bits = record.is_same_bits && outcome.is_same_bits;
    record.ulps = std::max(record.ulps, outcome.ulps);
    if (record.worst.empty() || outcome.fraction > record.fraction) {
        record.worst = where;
        record.fraction = outcome.fraction;
    }
    for (const auto& fault : outcome.faults) {
        if (record.faults.size() < most_faults) {
            record.faults.push_back(fault + ": " + where);
        }
    }
}

void Inspector::call(const KernelEntry& kernel, const Executor& exec, void* const* arguments)
{
    if (is_inside_) {
        kernel.run(exec.backend(), exec, arguments);
        return;
    }
    const Inside inside(is_inside_);
    auto& record = records_[&kernel];
    record.kernel = &kernel;
    ++record.num_calls;
    const bool is_done = has_enough(record) && !options_.measures_time;
    if (is_done) {
        kernel.run(exec.backend(), exec, arguments);
        return;
    }
    const auto memory = memory_of(kernel, arguments, *blocks_);
    if (!memory.obstacle.empty()) {
        record.obstacle = memory.obstacle;
    }
    if (!wants(record, memory)) {
        run_timed(kernel, exec, arguments, memory, record);
        return;
    }
    take(Inspection(kernel, exec, arguments, memory).run(reference_, options_.fault), memory, record);
}

std::vector<KernelRecord> Inspector::records() const
{
    std::vector<KernelRecord> ordered;
    for (const auto* kernel : KernelEntry::all()) {
        const auto found = records_.find(kernel);
        if (found != records_.end()) {
            ordered.push_back(found->second);
        }
    }
    return ordered;
}

}  // namespace linden::inspect
