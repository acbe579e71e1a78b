#include <linden/config/config.hpp>
#include <linden/config/format.hpp>
#include <linden/error.hpp>

#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "core/base/nearest_name.hpp"
#include "core/base/type_lists.hpp"
#include "core/config/json.hpp"
#include "core/config/reader.hpp"

#include "tools/commands.hpp"
#include "tools/measure.hpp"
#include "tools/operands.hpp"
#include "tools/output_file.hpp"
#include "tools/progress.hpp"
#include "tools/report.hpp"
#include "tools/svg_plot.hpp"

namespace linden::tool {
namespace {

constexpr std::string_view default_solver = "cg";

struct Outputs {
    explicit Outputs(const SolveCommand& c)
        : json(c.json == "-" ? std::string() : c.json, "--json"),
          history(c.history, "--history"),
          plot(c.plot, "--plot"),
          solution(c.solution, "--solution")
    {
        check_distinct({&json, &history, &plot, &solution}, {c.file, c.config, c.rhs});
    }

    OutputFile json, history, plot, solution;
};

/// The seed of `random` or `random:SEED`; false if `text` is neither.
bool parse_random(const std::string& text, std::string_view option, VectorSource& source)
{
    constexpr std::string_view word = "random";
    if (!text.starts_with(word) || (text.size() > word.size() && text[word.size()] != ':')) {
        return false;
    }
    source.kind = VectorSource::Kind::random;
    if (text.size() > word.size()) {
        const char* last = text.data() + text.size();
        const auto [end, error] = std::from_chars(text.data() + word.size() + 1, last, source.seed);
        if (error != std::errc() || end != last) {
            throw UsageError(std::string(option) + " " + text + ": the seed must be an integer from 0 to 2^64 - 1");
        }
    }
    return true;
}

void check_command(const SolveCommand& c)
{
    if (c.file.empty() == c.problem.empty()) {
        throw UsageError(c.file.empty() ? "solve: give a Matrix Market file, or --problem"
                                        : "solve: " + c.file + " and --problem " + c.problem + " exclude each other");
    }
    if (!c.config.empty() && !(c.solver.empty() && c.preconditioner.empty())) {
        throw UsageError("solve: --config and --" + std::string(c.solver.empty() ? "preconditioner" : "solver") +
                         " exclude each other");
    }
}

/// The types of this build, joined as in a sentence.
std::string built_value_types()
{
    std::string names;
    for_each_value([&]<class V>() { names += (names.empty() ? "" : ", ") + std::string(name(value_type_of<V>)); });
    return names;
}

ValueType parse_value_type(const std::string& text)
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

Executor make_executor(const SolveCommand& c)
{
    ExecutorOptions options;
    options.device = c.device;
    options.threads = c.threads;
    if (!c.executor.empty()) {
        return Executor::create(std::string_view(c.executor), options);
    }
    const bool multicore = backend_info(Backend::omp).why_not.empty();
    return Executor::create(multicore ? Backend::omp : Backend::reference, options);
}

template <class V>
std::string solver_names()
{
    std::string names;
    for (const auto& type : config::registered_types<V>(config::Kind::solver)) {
        names += (names.empty() ? "" : ", ") + type;
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

template <class V>
ChosenSolver<V> choose_solver(const SolveCommand& c)
{
    const auto solver = c.solver.empty() ? std::string(default_solver) : c.solver;
    const auto factory =
        c.config.empty() ? parse_solver<V>(solver, c.preconditioner) : config::read_factory<V>(c.config);
    if (factory == nullptr || config::kind_of<V>(factory->type()) != config::Kind::solver) {
        throw UsageError((c.config.empty() ? "--solver " + solver : c.config) + ": not a solver; expected one of " +
                         solver_names<V>());
    }
    return {with_stop_options(*factory, c), config::to_short(*factory)};
}

MeasureOptions measure_options(const SolveCommand& c, const std::vector<double>& rhs_norms)
{
    const bool live = is_terminal() && !c.quiet && c.json != "-";
    MeasureOptions options{.repeat = c.quiet && c.json.empty() ? 0 : c.repeat,  // or else nobody sees the times
                           .history = !c.history.empty() || !c.plot.empty()};
    options.before_run = [live, repeat = c.repeat](int run) {
        if (live) {
            show_line(run == 0 ? "" : "timing, run " + std::to_string(run) + " of " + std::to_string(repeat));
        }
    };
    if (live) {
        options.watcher = std::make_shared<Progress>(rhs_norms);
    }
    return options;
}

/// Residuals relative to ||b||, as they are shown and written: row j is for iteration j.
std::vector<std::vector<double>> relative_history(const SolveResult& result)
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

std::string history_csv(const std::vector<std::vector<double>>& history, std::size_t num_columns)
{
    std::string text = "iteration";
    for (std::size_t col = 0; col < num_columns; ++col) {
        text += ",relative_residual" + (num_columns == 1 ? "" : "_" + std::to_string(col + 1));
    }
    text += "\n";
    for (std::size_t j = 0; j < history.size(); ++j) {
        text += std::to_string(j);
        for (const double residual : history[j]) {
            text += "," + exact(residual);
        }
        text += "\n";
    }
    return text;
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

template <class V>
SolveReport make_report(const SolveCommand& c, const config::ShortForm& text, const Operands<V>& operands,
                        const Measured<V>& m)
{
    const auto& exec = operands.matrix->executor();
    SolveReport report;
    report.problem = c.file + c.problem;
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
    }
    report.setup_seconds = m.setup_seconds;
    report.solve_seconds = m.solve_seconds;
    report.launches_per_iteration = m.launches_per_iteration;
    report.synchronizations_per_iteration = m.synchronizations_per_iteration;
    report.allocations_per_iteration = m.allocations_per_iteration;
    report.peak_bytes = m.peak_bytes;
    report.multigrid = m.multigrid;
    return report;
}

/// A format for numbers cannot hold others: such an x is an outcome of the method, which the exit code tells.
template <class V>
void write_solution(OutputFile& file, const DenseData<V>& x)
{
    const bool finite =
        std::all_of(x.values.begin(), x.values.end(), [](const V& value) { return std::isfinite(std::abs(value)); });
    if (!finite) {
        std::fprintf(stderr, "linden: %s is not written: x holds values that are not finite\n", file.path().c_str());
        return;
    }
    write_dense<V>(file.path(), x);
    file.keep();
}

template <class V>
void write_outputs(const SolveCommand& c, Outputs& outputs, const SolveReport& report, const Measured<V>& m)
{
    if (c.json == "-") {
        print_to_standard_output(json(report));
    } else if (!c.quiet) {
        print_to_standard_output(table(report));
    }
    if (outputs.json) {
        outputs.json.write(json(report));
    }
    const auto history = relative_history(m.result);
    if (outputs.history) {
        outputs.history.write(history_csv(history, m.result.columns.size()));
    }
    if (outputs.plot) {
        const auto with = report.preconditioner == "none" ? "" : " with " + report.preconditioner;
        outputs.plot.write(residual_plot({.title = report.problem + ", " + report.solver + with,
                                          .subtitle = std::string(name(report.status)) + " after " +
                                                      std::to_string(report.iterations) + " iterations",
                                          .history = history,
                                          .tolerance = report.tolerance}));
    }
    if (outputs.solution) {
        write_solution<V>(outputs.solution, {m.x.size(), m.x.to_host()});
    }
}

template <class V>
int solve_as(const SolveCommand& c)
{
    const auto rhs = parse_rhs(c.rhs);
    const auto x0 = parse_x0(c.x0);
    of_option("--format " + c.format, [&] { config::check_format(c.format); });  // before the matrix is read
    const auto chosen = choose_solver<V>(c);
    const auto exec = make_executor(c);
    Outputs outputs(c);
    const auto operands = make_operands<V>(c, rhs, x0, exec);
    const auto norms = operands.b.norm2();
    const auto options = measure_options(c, {norms.begin(), norms.end()});
    const auto measured = Measurement<V>(*chosen.factory, operands).run(options);
    write_outputs(c, outputs, make_report(c, chosen.text, operands, measured), measured);
    return measured.result.converged() ? success : not_converged;
}

}  // namespace

VectorSource parse_rhs(const std::string& text)
{
    VectorSource source;
    if (text == "ones" || text == "a-times-ones") {
        source.kind = text == "ones" ? VectorSource::Kind::ones : VectorSource::Kind::a_times_ones;
    } else if (!parse_random(text, "--rhs", source)) {
        source.kind = VectorSource::Kind::file;
        source.path = text;
        std::error_code error;
        if (!std::filesystem::exists(text, error)) {
            throw UsageError("--rhs " + text + ": there is no such file; " +
                             expected_one_of(text, {"ones", "a-times-ones", "random:SEED", "a file"}));
        }
    }
    return source;
}

VectorSource parse_x0(const std::string& text)
{
    VectorSource source;
    if (text != "zero" && !parse_random(text, "--x0", source)) {
        throw UsageError("--x0 " + text + ": " + expected_one_of(text, {"zero", "random", "random:SEED"}));
    }
    return source;
}

int solve(const SolveCommand& command)
{
    check_command(command);
    int code = failure;
    if (!with_value_type(parse_value_type(command.value_type), [&]<class V>() { code = solve_as<V>(command); })) {
        throw UsageError("--value-type " + command.value_type + ": this build has only " + built_value_types() +
                         "; see LINDEN_VALUE_TYPES");
    }
    return code;
}

}  // namespace linden::tool
