#include <linden/distributed/partition.hpp>

#include <complex>
#include <cstdio>

#include "tools/commands.hpp"
#include "tools/load.hpp"
#include "tools/output_file.hpp"
#include "tools/parts.hpp"
#include "tools/report.hpp"

namespace linden::tool {
namespace {

std::string text_of(const distributed::PartitionReport& report)
{
    std::string text = "part        rows    nonzeros      ghosts  neighbours\n";
    for (std::size_t part = 0; part < report.parts.size(); ++part) {
        const auto& p = report.parts[part];
        char line[128];
        std::snprintf(line, sizeof line, "%4zu %11lld %11lld %11lld %11lld\n", part, static_cast<long long>(p.rows),
                      static_cast<long long>(p.nonzeros), static_cast<long long>(p.ghosts),
                      static_cast<long long>(p.neighbours));
        text += line;
    }
    char line[128];
    std::snprintf(line, sizeof line, "edge cut %lld entries, imbalance %.3f\n", static_cast<long long>(report.edge_cut),
                  report.row_imbalance());
    return text + line;
}

}  // namespace

int partition(const PartitionCommand& command)
{
    if (command.file.empty() == command.problem.empty() || command.parts == 0) {
        throw UsageError("partition: give a Matrix Market file or --problem, and --parts K");
    }
    if (command.by != "metis" && command.by != "stripes") {
        throw UsageError("partition: --by " + command.by + ": expected metis or stripes");
    }
    const OutputFile output(command.output, "PARTS.txt");
    check_distinct({&output}, {command.file});
    using V = DefaultValue;
    const auto loaded = command.file.empty() ? load_problem<V>(command.problem) : load_file<V>(command.file);
    std::visit(
        [&](const auto& matrix) {
            if (matrix.size.rows != matrix.size.cols) {
                throw UsageError("partition: " + command.file + command.problem + " is not square");
            }
            if (command.parts > matrix.size.rows) {
                throw UsageError("partition: --parts " + std::to_string(command.parts) + ": " + command.file +
                                 command.problem + " has only " + std::to_string(matrix.size.rows) + " rows");
            }
            const auto parts = parts_of(command.by, matrix, command.parts);
            if (!output.is_standard_output()) {
                print_to_standard_output(text_of(distributed::report(matrix, parts)));
            }
            if (output) {
                parts.write(output.is_standard_output() ? "/dev/stdout" : output.path());
            }
        },
        loaded);
    return success;
}

}  // namespace linden::tool
