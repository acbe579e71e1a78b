#pragma once

#include <linden/stop/stop.hpp>
#include <linden/validate.hpp>

#include <functional>
#include <string>
#include <unordered_set>

#include "core/inspect/inspector.hpp"

/// Cases of a validation: what makes the library call its kernels.
namespace linden::validation {

/// Which value and index types a case is run with.
enum class Types {
    all,
    needed,  ///< the first ones, and others if it was the first case of all to reach a kernel with those
};

/// Numbers cases, and keeps what they show.
class Runner {
public:
    Runner(const Executor& exec, const ValidateOptions& options, inspect::Inspector& inspector, MachineReport& report)
        : exec_(exec),
          seed_(options.seed),
          options_(options),
          inspector_(inspector),
          report_(report)
    {
    }

    const Executor& executor() const { return exec_; }
    std::uint64_t seed() const { return seed_; }
    int level() const { return options_.level; }
    /// Whether a case has ended with a device that does nothing any more: then none follows.
    bool has_lost_device() const { return has_lost_device_; }
    bool records_loops() const { return options_.records_loops; }

    /// The cases that follow repeat those before with other operands, and end when `is_over()`: only what is wrong in
    /// them is kept.
    void begin_round(std::uint64_t seed, std::function<bool()> is_over);

    /// The cases that follow are those of another pair of types, the first one's or not.
    template <class V>
    void begin_types(bool is_first)
    {
        is_first_ = is_first;
        value_type_ = name(value_type_of<V>);
    }

    /// Runs `body` as the next case unless another one is wanted. An error by which the library refuses its input is
    /// noted where the reference refuses it with the same message; any other is a fault.
    void run(const std::string& text, Types types, const std::function<void()>& body);
    void run(const std::string& text, const std::function<void()>& body) { run(text, Types::needed, body); }
    /// Runs `body` without inspection.
    void uninspected(const std::function<void()>& body) const;
    void add(SolveCheck check);

private:
    bool wants(std::int64_t number, const std::string& text, Types types) const;
    std::string without_type(std::string text) const;
    void look_for_device(const std::string& name);
    void note_refusal(const std::string& name, const std::string& message, const std::function<void()>& body);
    /// The message by which the reference refuses the case, or why it does not.
    std::string refusal_of_reference(const std::function<void()>& body);

    Executor exec_;
    std::int64_t next_number_ = 0;
    std::uint64_t seed_;
    std::function<bool()> is_over_;  ///< empty in the first round
    bool is_first_ = true;
    std::string_view value_type_;
    std::unordered_set<std::string> reaching_;  ///< cases, without their type, that were first to reach a kernel
    bool has_lost_device_ = false;
    bool is_repeating_ = false;                 ///< a refused case, on the reference
    const ValidateOptions& options_;
    inspect::Inspector& inspector_;
    MachineReport& report_;
};

/// Whether it runs device code on a processor: correct, and slow.
bool is_emulation(const DeviceInfo& device);
inline bool is_emulation(const Executor& exec) { return is_emulation(exec.info()); }

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
