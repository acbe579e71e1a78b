#include "core/validation/runner.hpp"

#include <linden/error.hpp>

#include <cstdlib>

#include "core/base/executor_state.hpp"

namespace linden::validation {

void Runner::begin_round(std::uint64_t seed, std::function<bool()> is_over)
{
    next_number_ = 0;
    seed_ = seed;
    is_over_ = std::move(is_over);
    inspector_.begin_round();
}

std::string Runner::without_type(std::string text) const
{
    const auto at = text.rfind(value_type_);
    return at == std::string::npos ? text : text.erase(at, value_type_.size());
}

bool Runner::wants(std::int64_t number, const std::string& text, Types types) const
{
    if (has_lost_device_ || (is_over_ && is_over_())) {
        return false;
    }
    if (options_.only_case >= 0) {
        return options_.only_case == number;
    }
    return is_first_ || options_.level >= 4 || types == Types::all || reaching_.contains(without_type(text));
}

void Runner::run(const std::string& text, Types types, const std::function<void()>& body)
{
    const auto number = next_number_++;
    if (!wants(number, text, types)) {
        return;
    }
    ++report_.num_cases;
    const auto num_reached = inspector_.num_reached();
    const auto of_round = is_over_ ? " of seed " + std::to_string(seed_) : std::string();
    const auto name = "case " + std::to_string(number) + of_round + ": " + text;
    inspector_.begin_case(name);
    try {
        body();
        exec_.synchronize();
    } catch (const InvalidParameter& error) {
        note_refusal(name, error.what(), body);
    } catch (const NotSupported& error) {
        note_refusal(name, error.what(), body);
    } catch (const std::exception& error) {
        report_.faults.push_back(name + ": " + error.what());
        look_for_device(name);
    }
    if (is_first_ && inspector_.num_reached() > num_reached) {
        reaching_.insert(without_type(text));
    }
}

void Runner::look_for_device(const std::string& name)
{
    try {
        exec_.synchronize();
    } catch (const VendorError&) {
        has_lost_device_ = true;
        report_.faults.push_back("the device does nothing any more since " + name.substr(0, name.find(':')) +
                                 ": no case after it was run, and no limit was measured");
    }
}

namespace {

std::string name_of(Backend backend) { return std::string(linden::name(backend)); }

/// Whether a message is about a backend alone, as in `no vendor's library for omp: ...`.
bool is_about(const std::string& message, const std::string& backend)
{
    return message.find("for " + backend + ":") != std::string::npos;
}

/// What is refused, as in `trisolve=vendor is not supported`.
std::string subject(const std::string& message) { return message.substr(0, message.find(": ")); }

/// Whether the reference refuses the same; with a message about itself where that here is about its backend.
bool refuse_alike(const std::string& here, const std::string& backend, const std::string& there)
{
    return here == there ||
           (is_about(here, backend) && is_about(there, "reference") && subject(here) == subject(there));
}

}  // namespace

void Runner::note_refusal(const std::string& name, const std::string& message, const std::function<void()>& body)
{
    if (!is_over_) {
        report_.refusals.push_back({name, message});
    }
    if (exec_.backend() == Backend::reference) {
        return;
    }
    const auto there = refusal_of_reference(body);
    if (!refuse_alike(message, name_of(exec_.backend()), there)) {
        report_.faults.push_back(name + ": refused here (" + message + "), on the reference " + there);
    }
}

std::string Runner::refusal_of_reference(const std::function<void()>& body)
{
    const auto here = exec_;
    exec_ = Executor::reference();
    is_repeating_ = true;
    std::string text = "it is not";
    try {
        body();
    } catch (const InvalidParameter& error) {
        text = error.what();
    } catch (const NotSupported& error) {
        text = error.what();
    } catch (const std::exception& error) {
        text = std::string("it ends with an error: ") + error.what();
    }
    is_repeating_ = false;
    exec_ = here;
    return text;
}

void Runner::add(SolveCheck check)
{
    const bool is_kept = !is_over_ || !check.faults.empty();
    if (!is_repeating_ && is_kept) {
        report_.solves.push_back(std::move(check));
    }
}

bool is_emulation(const DeviceInfo& device) { return device.name.starts_with("host executor"); }

std::string disagreement(const SolveEnd& here, const SolveEnd& reference, bool is_exact)
{
    const auto limited = SolveStatus::max_iterations;  // of two that end near the limit one may just reach it
    const bool ends_alike =
        reference.status == here.status || (!is_exact && (reference.status == limited || here.status == limited));
    const auto allowed = is_exact ? 0 : 2 + reference.iterations / 5;
    const auto more = here.iterations - reference.iterations;
    // A method that suits its parameters to the backend, as multi-elimination its last level, may need fewer.
    const bool is_better = !is_exact && here.status == SolveStatus::converged && more < 0;
    // The factors of a device are of all entries of a matrix that is not Hermitian, those of hosts of a triangle.
    const bool stagnates_there_only = is_better && reference.status == SolveStatus::stagnated;
    if (stagnates_there_only || (ends_alike && (is_better || std::abs(more) <= allowed))) {
        return {};
    }
    return "the reference ends as " + std::string(name(reference.status)) + " after " +
           std::to_string(reference.iterations) + " iterations";
}

void Runner::uninspected(const std::function<void()>& body) const
{
    auto& state = exec_.state();
    auto* const inspector = state.inspector();
    state.set_inspector(nullptr);
    try {
        body();
    } catch (...) {
        state.set_inspector(inspector);
        throw;
    }
    state.set_inspector(inspector);
}

}  // namespace linden::validation
