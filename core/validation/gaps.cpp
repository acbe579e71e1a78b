#include "core/validation/runner.hpp"

namespace linden::validation {
namespace {

struct Gap {
    std::string_view kernel;
    const char* reason;
};

/// Kernels that no case inspects, on whatever backend. doc/validation.md shows them.
constexpr Gap gaps[] = {
    {"", ""},
};

}  // namespace

const char* reason_of_gap(std::string_view kernel, Backend)
{
    for (const auto& gap : gaps) {
        if (gap.kernel == kernel) {
            return gap.reason;
        }
    }
    return nullptr;
}

}  // namespace linden::validation
