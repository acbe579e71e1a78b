#include <linden/distributed/session.hpp>
#include <linden/reorder/colouring.hpp>
#include <linden/solver/direct.hpp>

#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "core/base/kernel.hpp"
#include "core/base/rank_link.hpp"
#include "core/base/type_lists.hpp"

#include "tools/advice.hpp"
#include "tools/choice.hpp"
#include "tools/commands.hpp"
#include "tools/compiler.hpp"
#include "tools/facts.hpp"
#include "tools/load.hpp"
#include "tools/output_file.hpp"
#include "tools/report.hpp"

namespace linden::tool {
namespace {

template <class... I>
std::vector<std::string> index_names(TypeList<I...>)
{
    return {std::string(name(index_type_of<I>))...};
}

/// `double, int32` as two words.
std::vector<std::string> words(std::string_view types)
{
    std::vector<std::string> result;
    while (!types.empty()) {
        const auto end = types.find(", ");
        result.emplace_back(types.substr(0, end));
        types.remove_prefix(end == std::string_view::npos ? types.size() : end + 2);
    }
    return result;
}

InfoReport collect()
{
    InfoReport report;
    report.compiler = compiler();
    for_each_value([&]<class V>() { report.value_types.emplace_back(name(value_type_of<V>)); });
    report.index_types = index_names(IndexTypes{});
    for (int b = 0; b < num_backends; ++b) {
        report.backends.push_back(backend_info(static_cast<Backend>(b)));
    }
    for (const KernelEntry* kernel : KernelEntry::all()) {
        KernelReport entry{std::string(kernel->name()), words(kernel->types()), {}};
        for (int b = 0; b < num_backends; ++b) {
            if (kernel->available(static_cast<Backend>(b))) {
                entry.backends.push_back(static_cast<Backend>(b));
            }
        }
        report.kernels.push_back(std::move(entry));
    }
    return report;
}

/// Infinite where the factorization had to replace a pivot, or overflowed.
template <class V, class I>
double condition_of(const Csr<V, I>& a)
{
    const auto lu = Lu<V>::factory().generate(share(a.copy()));
    const double estimate =
        lu->num_replaced_pivots() > 0 ? std::numeric_limits<double>::infinity() : lu->condition_estimate();
    return std::isfinite(estimate) ? estimate : std::numeric_limits<double>::infinity();
}

/// Adds what the matrix in a file is like. On all cores where the build has them. Complex types read every file, and
/// tell Hermitian from symmetric.
void describe(const InfoCommand& command, InfoReport& report)
{
    const auto exec = backend_info(Backend::omp).why_not.empty() ? Executor::omp() : Executor::reference();
    report.matrix_file = command.file;
    const auto read = [&]<class V>() {
        std::visit(
            [&]<class I>(const CsrData<V, I>& data) {
                const Csr<V, I> a(exec, data);
                report.matrix = statistics(a);
                report.facts = facts_of(a);
                report.advice = advice(report.facts);
                if (a.size().rows == a.size().cols) {
                    report.colour_sizes = find_colouring(a).sizes;
                }
                if ((command.orderings || command.condition) && !report.facts.is_square()) {
                    throw UsageError(std::string("info: ") + (command.orderings ? "--orderings" : "--condition") +
                                     " needs a square matrix");
                }
                if (command.condition) {
                    report.condition = condition_of(a);
                }
                if (command.orderings) {
                    report.orderings =
                        orderings_of(a, report.facts.num_bad_diagonal() > 0,
                                     static_cast<size_type>(sizeof(double)) * (report.facts.is_complex ? 2 : 1),
                                     command.matching == "approximate");
                }
            },
            load_file<V>(command.file));
    };
    for (const auto type : {ValueType::complex128, ValueType::complex64, ValueType::float64, ValueType::float32}) {
        if (with_value_type(type, read)) {
            break;
        }
    }
}

/// Why this transport: there is one for processes, which a build may lack.
std::string why(const Communicator& ranks)
{
    if (ranks.transport_name() == "mpi") {
        return "a launcher started several processes; sums and messages go through MPI (for GPUs ask with --executor)";
    }
    if (distributed::Session::mpi_library() == "none") {
        return "this build has no MPI (LINDEN_BUILD_MPI)";
    }
    return "one process: start several by mpirun -np N";
}

/// Collective: `linden info --mpi`, which the first process prints.
int info_of_processes(const InfoCommand& command)
{
    if (!command.file.empty() || command.kernels) {
        throw UsageError("info: --mpi goes with neither a file nor --kernels");
    }
    struct HostName {
        char text[256] = {};
    } own;
    gethostname(own.text, sizeof own.text - 1);
    MpiReport report{.ranks = command.ranks.size(),
                     .transport = std::string(command.ranks.transport_name()),
                     .why = why(command.ranks),
                     .library = distributed::Session::mpi_library(),
                     .hosts = {}};
    if (!command.executor.empty() && !command.ranks.is_single()) {
        const auto ranks = command.ranks.with_transport(parse_transport(command.transport));
        const auto exec = ranks.agree_after(
            [&] { return Executor::create(command.executor, {.device = device_in_turn(command.executor, ranks)}); });
        if (ranks.agree_after([&] { return exec.is_host(); })) {
            throw UsageError("info: --executor " + command.executor + ": expected one of devices");
        }
        const auto link = RankLink::connect(ranks, exec);
        report.transport = link->name();
        report.why = link->why();
    }
    for (const auto& host : command.ranks.all_gather(own)) {
        const auto same = [&](const auto& known) { return known.first == host.text; };
        const auto known = std::find_if(report.hosts.begin(), report.hosts.end(), same);
        if (known == report.hosts.end()) {
            report.hosts.emplace_back(host.text, 1);
        } else {
            ++known->second;
        }
    }
    if (command.ranks.rank() != 0) {
        return success;
    }
    OutputFile file(command.json, "--json");
    if (!file.is_standard_output()) {
        print_to_standard_output(table(report));
    }
    if (file) {
        file.write(json(report));
    }
    return success;
}

}  // namespace

int info(const InfoCommand& command)
{
    if ((command.orderings || command.condition) && command.file.empty()) {
        throw UsageError(std::string("info: ") + (command.orderings ? "--orderings" : "--condition") + " needs a file");
    }
    if (command.matching != "true" && (command.matching != "approximate" || !command.orderings)) {
        throw UsageError("info: --matching goes with --orderings, and is true or approximate");
    }
    if (command.mpi) {
        return info_of_processes(command);
    }
    if (!command.executor.empty() || command.transport != "auto") {
        throw UsageError(std::string("info: ") + (command.executor.empty() ? "--transport" : "--executor") +
                         " goes with --mpi");
    }
    OutputFile file(command.json, "--json");
    check_distinct({&file}, {command.file});
    auto report = collect();
    if (!command.file.empty()) {
        describe(command, report);
    }
    if (!file.is_standard_output()) {
        print_to_standard_output(table(report, command.kernels));
    }
    if (file) {
        file.write(json(report));
    }
    return success;
}

}  // namespace linden::tool
