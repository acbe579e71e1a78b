#include "core/validation/runner.hpp"

#include <linden/error.hpp>

#include "core/base/executor_state.hpp"

namespace linden::validation {

void Runner::run(const std::string& text, const std::function<void()>& body)
{
    const auto number = report_.num_cases++;
    if (options_.only_case >= 0 && options_.only_case != number) {
        return;
    }
    const auto name = "case " + std::to_string(number) + ": " + text;
    inspector_.begin_case(name);
    try {
        body();
        exec_.synchronize();
    } catch (const InvalidParameter& error) {
        report_.refusals.push_back(name + ": " + error.what());
    } catch (const NotSupported& error) {
        report_.refusals.push_back(name + ": " + error.what());
    } catch (const KernelNotAvailable& error) {
        report_.refusals.push_back(name + ": " + error.what());
    } catch (const std::exception& error) {
        report_.faults.push_back(name + ": " + error.what());
    }
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
