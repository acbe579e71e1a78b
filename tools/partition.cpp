#include <linden/distributed/repartition.hpp>

#include <complex>
#include <cstdio>
#include <memory>

#include "core/distributed/gather_matrix.hpp"

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

void write(const OutputFile& output, const distributed::PartitionReport& report, const distributed::Parts& parts)
{
    if (!output.is_standard_output()) {
        print_to_standard_output(text_of(report));
    }
    if (output) {
        parts.write(output.is_standard_output() ? "/dev/stdout" : output.path());
    }
}

/// @throws UsageError
void check_parts(const PartitionCommand& command, Dim size)
{
    if (size.rows != size.cols) {
        throw UsageError("partition: " + command.file + command.problem + " is not square");
    }
    if (command.parts > size.rows) {
        throw UsageError("partition: --parts " + std::to_string(command.parts) + ": " + command.file + command.problem +
                         " has only " + std::to_string(size.rows) + " rows");
    }
}

void partition_whole(const PartitionCommand& command, const OutputFile& output)
{
    using V = DefaultValue;
    const auto loaded = command.file.empty() ? load_problem<V>(command.problem) : load_file<V>(command.file);
    std::visit(
        [&](const auto& matrix) {
            check_parts(command, matrix.size);
            const auto parts = parts_of(command.by.empty() ? "metis" : command.by, matrix, command.parts);
            write(output, distributed::report(matrix, parts), parts);
        },
        loaded);
}

/// Each rank has its share of the matrix, and the first in the end the parts of all rows.
void partition_on_ranks(const PartitionCommand& command, const OutputFile& output)
{
    using V = DefaultValue;
    const auto& ranks = command.ranks;
    const auto own = command.file.empty() ? distributed::generate_rows<V>(ranks, command.problem)
                                          : distributed::read_rows<V>(ranks, command.file);
    check_parts(command, {own.partition.num_rows(), own.rows.size.cols});
    const auto parts = distributed::ptscotch_parts(ranks, own, command.parts);
    const auto report = distributed::report(ranks, own, parts);
    const auto all = ranks.guard([&] { return distributed::gather_on_first(ranks, parts.of_row); });
    ranks.agree_after([&] {
        if (ranks.rank() == 0) {
            write(output, report, {all, command.parts});
        }
    });
}

}  // namespace

int partition(const PartitionCommand& command)
{
    if (command.file.empty() == command.problem.empty() || command.parts == 0) {
        throw UsageError("partition: give a Matrix Market file or --problem, and --parts K");
    }
    const bool is_parallel = command.by == "ptscotch" || (command.by.empty() && !command.ranks.is_single());
    if (!is_parallel && !command.by.empty() && command.by != "metis" && command.by != "stripes") {
        throw UsageError("partition: --by " + command.by + ": expected metis, stripes or ptscotch");
    }
    if (is_parallel == command.ranks.is_single()) {
        throw UsageError(
            "partition: --by " + command.by +
            (is_parallel ? " takes several processes, of mpirun" : " takes one process, ptscotch several"));
    }
    const bool is_first = command.ranks.rank() == 0;
    const auto output = command.ranks.agree_after(
        [&] { return std::make_unique<OutputFile>(is_first ? command.output : "", "PARTS.txt"); });
    check_distinct({output.get()}, {command.file});
    if (is_parallel) {
        partition_on_ranks(command, *output);
    } else {
        partition_whole(command, *output);
    }
    return success;
}

}  // namespace linden::tool
