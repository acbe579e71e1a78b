#include "core/inspect/inspection.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace linden::inspect {
namespace {

constexpr std::size_t cache_line_bytes = 64;
/// The least relative change of a number whose mantissa's highest bit flips.
constexpr double least_flip = 0.25;
/// Beyond a block that has a workspace: the reference may need more than the kernel's own backend.
constexpr std::size_t workspace_slack_bytes = std::size_t{1} << 22;

const std::byte* at(const std::byte* data, const Segment& s) { return data + s.begin; }

std::size_t count_of(const Segment& s) { return (s.end - s.begin) / s.element.bytes; }

}  // namespace

class Inspection::Copies {
public:
    explicit Copies(const CallMemory& memory) : memory_(memory)
    {
        for (const auto& block : memory.blocks) {
            const bool has_workspace = std::any_of(block.segments.begin(), block.segments.end(),
                                                   [](const Segment& s) { return s.use == Use::workspace; });
            const auto bytes = block.memory.bytes + (has_workspace ? workspace_slack_bytes : 0) + cache_line_bytes;
            // Not initialised: the slack is touched by those only who need it.
            storage_.push_back(std::make_unique_for_overwrite<std::byte[]>(bytes));
            const auto begin = reinterpret_cast<std::uintptr_t>(storage_.back().get());
            data_.push_back(storage_.back().get() + (cache_line_bytes - begin % cache_line_bytes) % cache_line_bytes);
        }
    }
    std::byte* operator[](std::size_t block) { return data_[block]; }
    const std::byte* operator[](std::size_t block) const { return data_[block]; }
    void assign(const Copies& other)
    {
        for (std::size_t i = 0; i < data_.size(); ++i) {
            std::memcpy(data_[i], other.data_[i], memory_.blocks[i].memory.bytes);
        }
    }
    /// Where the copy of what is at `address` is.
    std::byte* moved(std::byte* address) const
    {
        for (std::size_t i = 0; i < data_.size(); ++i) {
            const auto& block = memory_.blocks[i].memory;
            const bool starts_another = address == block.data + block.bytes &&
                                        std::any_of(memory_.blocks.begin(), memory_.blocks.end(),
                                                    [&](const auto& b) { return b.memory.data == address; });
            if (block.data <= address && address <= block.data + block.bytes && !starts_another) {
                return data_[i] + (address - block.data);
            }
        }
        return address;
    }

private:
    const CallMemory& memory_;
    std::vector<std::unique_ptr<std::byte[]>> storage_;
    std::vector<std::byte*> data_;
};

Inspection::Inspection(const KernelEntry& kernel, const Executor& exec, void* const* arguments,
                       const CallMemory& memory)
    : kernel_(kernel),
      exec_(exec),
      arguments_(arguments),
      memory_(memory)
{
}

void Inspection::fetch(Copies& to) const
{
    exec_.synchronize();
    for (std::size_t i = 0; i < memory_.blocks.size(); ++i) {
        const auto& block = memory_.blocks[i];
        if (block.in_host_memory) {
            std::memcpy(to[i], block.memory.data, block.memory.bytes);
        } else {
            exec_.state().copy_to_host(block.memory.data, to[i], block.memory.bytes);
        }
    }
}

void Inspection::put(const Copies& from) const
{
    for (std::size_t i = 0; i < memory_.blocks.size(); ++i) {
        const auto& block = memory_.blocks[i];
        if (block.in_host_memory) {
            std::memcpy(block.memory.data, from[i], block.memory.bytes);
        } else {
            exec_.state().copy_from_host(from[i], block.memory.data, block.memory.bytes);
        }
    }
}

void Inspection::run_on(Copies& copies, const Executor& reference) const
{
    // A backend may need no workspace where the reference does.
    const auto spare = std::make_unique<std::byte[]>(memory_.has_empty_workspace ? workspace_slack_bytes : 0);
    const MovedArguments moved(
        kernel_, arguments_, [&](std::byte* address) { return copies.moved(address); },
        {spare.get(), static_cast<size_type>(memory_.has_empty_workspace ? workspace_slack_bytes : 0)});
    kernel_.run(Backend::reference, reference, moved.addresses());
}

std::vector<const Segment*> Inspection::compared_segments() const
{
    std::vector<const Segment*> segments;
    for (const auto& block : memory_.blocks) {
        for (const auto& s : block.segments) {
            segments.push_back(s.use == Use::workspace || s.use == Use::scratch ? nullptr : &s);
        }
    }
    return segments;
}

std::vector<Difference> Inspection::differences(const Copies& a, const Copies& b, const Copies& before) const
{
    std::vector<Difference> all;
    for (std::size_t i = 0; i < memory_.blocks.size(); ++i) {
        for (const auto& s : memory_.blocks[i].segments) {
            Difference d;
            if (s.use != Use::workspace && s.use != Use::scratch) {
                d = compare(s.element, at(a[i], s), at(b[i], s), at(before[i], s), count_of(s));
                // What is left behind the last whole element.
                const auto rest = s.begin + count_of(s) * s.element.bytes;
                if (std::memcmp(a[i] + rest, b[i] + rest, s.end - rest) != 0) {
                    d.error = std::numeric_limits<double>::infinity();
                    ++d.num_different;
                }
            }
            all.push_back(d);
        }
    }
    return all;
}

std::vector<Difference> Inspection::sensitivity(const Executor& reference, const Copies& before, const Copies& expected,
                                                std::uint64_t first_seed, std::uint64_t last_seed) const
{
    std::vector<Difference> largest;
    Copies perturbed(memory_);
    for (std::uint64_t seed = first_seed; seed <= last_seed; ++seed) {
        perturbed.assign(before);
        for (std::size_t i = 0; i < memory_.blocks.size(); ++i) {
            for (const auto& s : memory_.blocks[i].segments) {
                perturb(s.element, perturbed[i] + s.begin, count_of(s), seed * 64 + i);
            }
        }
        run_on(perturbed, reference);
        const auto found = differences(perturbed, expected, before);
        largest.resize(found.size());
        for (std::size_t k = 0; k < found.size(); ++k) {
            if (found[k].error > largest[k].error) {
                largest[k] = found[k];
            }
        }
    }
    return largest;
}

namespace {

/// What roundings of as many terms as a result has add up to, in units of one, if their signs are random: twice the
/// standard deviation, since rows have more terms than their mean and equal terms round alike.
double summation(const CallMemory& memory, const Difference& d)
{
    const auto reads = static_cast<double>(memory.numbers_read());
    const auto terms = reads / static_cast<double>(std::max<std::size_t>(d.num_changed, 1));
    return 2 * std::sqrt(terms);
}

/// How far from the reference a segment may be where nothing cancels.
double default_bound(const Contract& contract, const CallMemory& memory, const Segment& s, const Difference& d)
{
    return (contract.eps + summation(memory, d)) * unit_roundoff_of(s.element.kind) * d.scale;
}

/// From which part of the bound on more random changes of the input are tried.
constexpr double cautious = 0.5;

/// The larger of two differences, segment by segment.
std::vector<Difference> larger(std::vector<Difference> a, const std::vector<Difference>& b)
{
    for (std::size_t k = 0; k < a.size(); ++k) {
        a[k] = b[k].error > a[k].error ? b[k] : a[k];
    }
    return a;
}

std::string sentence(const Segment& s, const Difference& d)
{
    return (s.use == Use::read ? "changes what it only reads" : std::string("differs from the reference")) + " in " +
           std::to_string(d.num_different) + " of " + std::to_string(count_of(s)) + " elements, the first is " +
           std::to_string(d.first);
}

}  // namespace

void Inspection::compare_with_reference(const Executor& reference, const Copies& before, const Copies& after,
                                        const Copies& expected, Outcome& outcome) const
{
    const auto segments = compared_segments();
    const auto found = differences(after, expected, before);
    std::vector<Difference> allowed;
    const auto fraction = [&](std::size_t k) {
        if (kernel_.contract().eps == 0) {
            return std::numeric_limits<double>::infinity();
        }
        double bound = default_bound(kernel_.contract(), memory_, *segments[k], found[k]);
        // A partial sum of m terms is up to sqrt(m) times as large as a term, whose last place was changed.
        const double growth = std::max(8.0, summation(memory_, found[k]));
        if (found[k].error > bound) {
            allowed = allowed.empty() ? sensitivity(reference, before, expected, 1, 3) : allowed;
            if (found[k].error > cautious * growth * allowed[k].error && !std::isinf(allowed[k].error)) {
                // More are asked before a call is wrong. Of a count, as that of a whole solve's iterations, most know
                // nothing.
                allowed = larger(std::move(allowed), sensitivity(reference, before, expected, 4, 20));
            }
            bound = std::max(bound, growth * allowed[k].error);
        }
        outcome.is_noise = outcome.is_noise || bound >= least_flip * found[k].scale;
        return std::isinf(bound) ? 0 : found[k].error / bound;
    };
    for (std::size_t k = 0; k < segments.size(); ++k) {
        if (segments[k] == nullptr || found[k].num_different == 0) {
            continue;
        }
        outcome.is_same_bits = false;
        const auto is_exact = !is_floating(segments[k]->element.kind);
        const double part = fraction(k);
        if (part > 1) {
            outcome.faults.push_back(sentence(*segments[k], found[k]));
        }
        if (!is_exact) {
            outcome.ulps = std::max(outcome.ulps, found[k].ulps);
        }
        outcome.fraction = std::max(outcome.fraction, part);
    }
    // A number that has no place means that a decision hung on rounding: then all that follows from it may differ.
    outcome.is_decided_by_rounding =
        std::any_of(allowed.begin(), allowed.end(), [](const Difference& d) { return std::isinf(d.error); });
    if (outcome.is_decided_by_rounding) {
        outcome.fraction = 0;
        outcome.faults.clear();
    }
}

bool Inspection::plant(Fault fault, const Copies& before, Copies& after) const
{
    const auto wanted = fault == Fault::stray_write ? Use::read : Use::write;
    double roundoff = 0;  // of the coarsest numbers
    for (const auto& block : memory_.blocks) {
        for (const auto& s : block.segments) {
            roundoff = std::max(roundoff, unit_roundoff_of(s.element.kind));
        }
    }
    for (std::size_t i = 0; i < memory_.blocks.size(); ++i) {
        if (fault == Fault::stray_write && memory_.blocks[i].is_written()) {
            continue;
        }
        for (const auto& s : memory_.blocks[i].segments) {
            if (s.use != wanted) {
                continue;
            }
            if (plant_fault(fault, s.element, before[i] + s.begin, after[i] + s.begin, count_of(s), roundoff)) {
                return true;
            }
        }
    }
    return false;
}

Outcome Inspection::run(const Executor& reference, Fault fault)
{
    Outcome outcome;
    const auto backend = exec_.backend();
    Copies before(memory_), after(memory_), expected(memory_);
    fetch(before);
    if (!memory_.misaligned.empty()) {
        outcome.faults.push_back(memory_.misaligned);
    }
    const bool has_reference = kernel_.available(Backend::reference) && !kernel_.contract().needs_state;
    if (has_reference) {
        expected.assign(before);
        run_on(expected, reference);
    }
    try {
        kernel_.run(backend, exec_, arguments_);
        fetch(after);
    } catch (const VendorError& error) {
        outcome.faults.push_back(std::string("fails, ") + error.what());
        return outcome;
    }
    Copies result(memory_);
    result.assign(after);
    const bool is_wanted = fault != Fault::none && (fault != Fault::other_order || kernel_.contract().repeats);
    outcome.is_planted = is_wanted && plant(fault, before, after);
    if (has_reference) {
        compare_with_reference(reference, before, after, expected, outcome);
    }
    put(before);
    kernel_.run(backend, exec_, arguments_);
    Copies again(memory_);
    fetch(again);
    if (outcome.is_planted && fault != Fault::late_write && fault != Fault::other_order) {
        plant(fault, before, again);
    }
    const auto changed = differences(again, after, before);
    const auto segments = compared_segments();
    const bool is_compared = std::any_of(segments.begin(), segments.end(),
                                         [](const Segment* s) { return s != nullptr && s->use == Use::write; });
    outcome.has_effect =
        !is_compared || std::any_of(changed.begin(), changed.end(), [](const auto& d) { return d.num_changed > 0; });
    const bool repeats =
        std::all_of(changed.begin(), changed.end(), [](const auto& d) { return d.num_different == 0; });
    if (!repeats && kernel_.contract().repeats) {
        outcome.faults.emplace_back("differs from run to run");
    }
    put(result);
    return outcome;
}

}  // namespace linden::inspect
