#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace linden::tool {

/// Right; wrong; slower than the baseline; right as far as it ran. 2 is for wrong usage, as everywhere.
enum ValidateExitCode : int { valid = 0, wrong = 1, too_slow = 3, not_complete = 4 };

struct ValidateCommand {
    int level = 2;
    std::vector<std::string> backends;  ///< empty: all that were built
    std::string only;                   ///< a kernel
    std::uint64_t seed = 1;
    std::int64_t only_case = -1;
    bool host_loops = false;
    std::optional<double> time;  ///< seconds of level 4; 600 if not given
    int threads = 0;
    std::string from;  ///< a report in place of a run
    std::string json, report, compare, baseline;
    bool self_test = false;
    bool quiet = false;
};
/// Checks the machine, returns the exit code.
int validate(const ValidateCommand& command);

/// The options of the command.
void add_validate(CLI::App& app, ValidateCommand& command);

}  // namespace linden::tool
