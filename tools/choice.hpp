#pragma once

#include <linden/config/config.hpp>
#include <linden/error.hpp>
#include <linden/solver/solver.hpp>

#include <string>
#include <vector>

#include "core/base/nearest_name.hpp"
#include "core/base/type_lists.hpp"
#include "core/config/json.hpp"
#include "core/config/reader.hpp"
#include "core/config/short_form.hpp"

#include "tools/commands.hpp"
#include "tools/measure.hpp"
#include "tools/operands.hpp"
#include "tools/report.hpp"
#include "tools/threads.hpp"

/// What the command line chooses: the value type, the executor, the solver; and the residuals of what it solved.
namespace linden::tool {

/// The types of this build, joined as in a sentence.
inline std::string built_value_types()
{
    std::string names;
    for_each_value([&]<class V>() { names += (names.empty() ? "" : ", ") + std::string(name(value_type_of<V>)); });
    return names;
}

inline ValueType parse_value_type(const std::string& text)
{
    if (text.empty()) {
        return value_type_of<DefaultValue>;
    }
    std::vector<std::string> names;
    for (const auto type : {ValueType::float64, ValueType::float32, ValueType::complex64, ValueType::complex128}) {
        if (name(type) == text) {
            return type;
        }
        names.emplace_back(name(type));
    }
    throw UsageError("--value-type " + text + ": " + expected_one_of(text, names));
}

/// The device of a process on several, which take those of their host in turn.
inline int device_in_turn(std::string_view executor, const Communicator& ranks)
{
    for (const auto backend : {Backend::cuda, Backend::hip}) {
        if (executor == name(backend)) {
            return ranks.rank() % std::max(1, static_cast<int>(backend_info(backend).devices.size()));
        }
    }
    return 0;
}

/// @throws UsageError
inline DeviceTransport parse_transport(std::string_view text)
{
    if (text == "auto") {
        return DeviceTransport::automatic;
    }
    if (text == "staged") {
        return DeviceTransport::staged;
    }
    if (text == "peer") {
        return DeviceTransport::peer;
    }
    if (text == "nccl") {
        return DeviceTransport::nccl;
    }
    throw UsageError("--transport " + std::string(text) + ": expected auto, peer, nccl or staged");
}

inline Executor make_executor(const SolveCommand& c)
{
    warn_of_threads(c.threads);
    if (c.device > 0 && (c.executor.empty() || c.executor == "reference" || c.executor == "omp")) {
        throw UsageError("--device " + std::to_string(c.device) + " needs --executor cuda or hip");
    }
    ExecutorOptions options;
    options.device = c.device < 0 ? device_in_turn(c.executor, c.ranks) : c.device;
    options.threads = c.threads;
    if (!c.executor.empty()) {
        return Executor::create(std::string_view(c.executor), options);
    }
    const bool multicore = backend_info(Backend::omp).why_not.empty();
    return Executor::create(multicore ? Backend::omp : Backend::reference, options);
}

/// What `f.operator()<V>()` returns for the value type of the command. @throws UsageError if this build has it not
template <class F>
int with_types_of(const SolveCommand& command, F&& f)
{
    int code = failure;
    if (!with_value_type(parse_value_type(command.value_type), [&]<class V>() { code = f.template operator()<V>(); })) {
        throw UsageError("--value-type " + command.value_type + ": this build has only " + built_value_types() +
                         "; see LINDEN_VALUE_TYPES");
    }
    return code;
}

template <class V>
std::string solver_names()
{
    std::string names;
    for (const auto& type : config::registered_types<V>(config::Kind::solver)) {
        names += (names.empty() ? "" : ", ") + config::short_name(type);
    }
    return names;
}

/// @throws UsageError
template <class V>
FactoryPtr<V> parse_option(const std::string& option, const std::string& text)
{
    return of_option(option + " " + text, [&] { return config::parse_short<V>(text); });
}

template <class V>
FactoryPtr<V> parse_solver(const std::string& solver, const std::string& preconditioner)
{
    try {
        return config::parse_short<V>(solver, preconditioner);
    } catch (const InvalidParameter& error) {
        // Which is wrong by itself? Else they do not go together.
        parse_option<V>("--solver", solver);
        if (!preconditioner.empty()) {
            parse_option<V>("--preconditioner", preconditioner);
        }
        throw UsageError("--solver " + solver + ": " + error.what());
    }
}

/// A copy of `factory` with what the command line says of the stopping rule.
template <class V>
FactoryPtr<V> with_stop_options(const LinOpFactory<V>& factory, const SolveCommand& c)
{
    auto options = config::object_node();
    auto& stop = options.add("stop", config::object_node());
    if (c.rtol) {
        stop.add("relative_residual", config::number_node(*c.rtol));
    }
    if (c.max_iterations) {
        stop.add("max_iterations", config::integer_node(*c.max_iterations));
    }
    if (c.max_seconds) {
        stop.add("max_seconds", config::number_node(*c.max_seconds));
    }
    auto changed = factory.copy();
    config::read_parameters(*changed, options, {}, {});
    return changed;
}

/// The factory of the command line and its text, as it is before --rtol and --max-iterations change it.
template <class V>
struct ChosenSolver {
    FactoryPtr<V> factory;
    config::ShortForm text;
};

/// Whether the command leaves the method to the program.
inline bool is_choice_free(const SolveCommand& c)
{
    return c.config.empty() && c.solver.empty() && c.preconditioner.empty() && c.format == "csr";
}

template <class V>
ChosenSolver<V> choose_solver(const SolveCommand& c)
{
    const std::string solver = is_choice_free(c) ? "automatic" : c.solver.empty() ? "cg" : c.solver;
    const auto factory =
        c.config.empty() ? parse_solver<V>(solver, c.preconditioner) : config::read_factory<V>(c.config);
    if (factory == nullptr || config::kind_of<V>(factory->type()) != config::Kind::solver) {
        const bool suits_an_option = factory != nullptr && c.config.empty();
        throw UsageError((c.config.empty() ? "--solver " + solver : c.config) + ": not a solver" +
                         (suits_an_option ? " (--preconditioner takes it)" : "") + "; expected one of " +
                         solver_names<V>());
    }
    return {with_stop_options(*factory, c), config::to_short(*factory)};
}

/// Residuals relative to ||b||, as they are shown and written: row j is for iteration j.
inline std::vector<std::vector<double>> relative_history(const SolveResult& result)
{
    auto history = result.history;
    for (auto& row : history) {
        for (std::size_t col = 0; col < row.size(); ++col) {
            const double norm = result.columns[col].rhs_norm;
            row[col] /= norm > 0 ? norm : 1;
        }
    }
    return history;
}

/// The largest ||b - A x|| / ||b|| of the columns, from b and x as they are.
template <class V>
double true_residual(const Operands<V>& operands, const Dense<V>& x)
{
    auto r = operands.b.copy();
    original(*operands.matrix).apply(V{-1}, x, V{1}, r);
    const auto norms = r.norm2();
    const auto rhs_norms = operands.b.norm2();
    double largest = 0;
    for (std::size_t col = 0; col < norms.size(); ++col) {
        const double relative = rhs_norms[col] > 0 ? static_cast<double>(norms[col] / rhs_norms[col]) : norms[col];
        largest = relative <= largest ? largest : relative;  // keeps NaN
    }
    return largest;
}

/// What the program says of a solve, apart from what only its command knows.
template <class V>
SolveReport report_of(const std::string& problem, const config::ShortForm& text, const Operands<V>& operands,
                      const Measured<V>& m)
{
    const auto& exec = operands.matrix->executor();
    SolveReport report;
    report.problem = problem;
    report.size = operands.matrix->size();
    report.num_nonzeros = operands.num_nonzeros;
    report.num_rhs = operands.b.size().cols;
    report.executor = name(exec.backend());
    report.device = exec.info().name;
    report.value_type = name(value_type_of<V>);
    report.solver = text.text;
    report.preconditioner = text.preconditioner;
    report.status = m.result.status();
    report.reason = m.result.reason() + (m.remark.empty() ? "" : "; " + m.remark);
    report.iterations = m.result.iterations();
    report.relative_residual = true_residual(operands, m.x);
    for (const auto& column : m.result.columns) {
        report.tolerance = std::max(report.tolerance, column.tolerance / (column.rhs_norm > 0 ? column.rhs_norm : 1));
        report.by_backward_error = report.by_backward_error || column.by_backward_error;
    }
    report.setup_seconds = m.setup_seconds;
    report.solve_seconds = m.solve_seconds;
    report.launches_per_iteration = m.launches_per_iteration;
    report.synchronizations_per_iteration = m.synchronizations_per_iteration;
    report.allocations_per_iteration = m.allocations_per_iteration;
    report.peak_bytes = m.peak_bytes;
    report.multigrid = m.multigrid;
    report.automatic = m.automatic;
    return report;
}

}  // namespace linden::tool
