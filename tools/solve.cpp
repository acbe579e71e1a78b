#include <linden/config/config.hpp>
#include <linden/config/format.hpp>
#include <linden/error.hpp>
#include <linden/matrix/operations.hpp>
#include <linden/solver/direct.hpp>

#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <numeric>

#include "core/automatic/reach.hpp"
#include "core/base/nearest_name.hpp"
#include "core/distributed/gather_matrix.hpp"
#include "core/distributed/visit_matrix.hpp"
#include "core/matrix/visit_csr.hpp"

#include "tools/advice.hpp"
#include "tools/choice.hpp"
#include "tools/commands.hpp"
#include "tools/measure.hpp"
#include "tools/operands.hpp"
#include "tools/output_file.hpp"
#include "tools/progress.hpp"
#include "tools/ranks.hpp"
#include "tools/report.hpp"
#include "tools/svg_levels.hpp"
#include "tools/svg_plot.hpp"
#include "tools/view.hpp"

namespace linden::tool {
namespace {

struct Outputs {
    explicit Outputs(const SolveCommand& c)
        : json(c.json, "--json"),
          history(c.history, "--history"),
          plot(c.plot, "--plot"),
          levels(c.levels, "--levels"),
          solution(c.solution, "--solution")
    {
        check_distinct({&json, &history, &plot, &levels, &solution}, {c.file, c.config, c.rhs, c.x0});
    }

    OutputFile json, history, plot, levels, solution;
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

/// Takes `path` as a file. @throws UsageError if there is none, with what else could be meant
void set_file(const std::string& path, std::string_view option, const std::vector<std::string>& others,
              VectorSource& source)
{
    source.kind = VectorSource::Kind::file;
    source.path = path;
    std::error_code error;
    if (!std::filesystem::exists(path, error)) {
        throw UsageError(std::string(option) + " " + path + ": there is no such file; " +
                         expected_one_of(path, others) + ", a file");
    }
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
    const bool is_known = c.partition == "stripes" || c.partition == "metis" || c.partition == "ptscotch";
    std::error_code error;
    if (!is_known && !std::filesystem::exists(c.partition, error)) {
        throw UsageError("--partition " + c.partition + ": there is no such file; " +
                         expected_one_of(c.partition, {"stripes", "metis", "ptscotch"}) + ", a file");
    }
    if (c.reproducible && c.partition != "stripes") {
        throw UsageError("solve: --reproducible needs --partition stripes; other partitions number rows anew");
    }
    check_picture(c.plot, "--plot");
    check_picture(c.levels, "--levels");
}

/// Whether standard output is one of the outputs, without anything else.
bool has_output_of_its_own(const SolveCommand& c)
{
    const std::string standard = "-";
    return c.json == standard || c.solution == standard || c.history == standard || c.plot == standard ||
           c.levels == standard;
}

/// Whether standard output is for somebody who reads along.
bool is_live(const SolveCommand& c) { return is_terminal() && !c.quiet && !has_output_of_its_own(c); }

MeasureOptions measure_options(const SolveCommand& c, const std::vector<double>& rhs_norms)
{
    return {.repeat = c.quiet && c.json.empty() ? 1 : c.repeat,  // nobody would see the times
            .history = !c.history.empty() || !c.plot.empty(),
            .watcher = std::make_shared<Watcher>(rhs_norms, is_live(c))};
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

/// What the case looks like to somebody who is to help.
template <class V>
FailedSolve failed_solve(const SolveReport& report, const Operands<V>& operands, const Dense<V>& x,
                         const Solver<V>& solver)
{
    FailedSolve failed{report.status, {report.solver, report.preconditioner}, report.relative_residual};
    if (report.automatic) {
        const auto& attempts = report.automatic->attempts;
        failed.method = {attempts.back().solver, attempts.back().preconditioner};
        failed.has_tried_lu = std::any_of(attempts.begin(), attempts.end() - 1, [](const AutomaticAttempt& attempt) {
            return attempt.solver.starts_with("lu") && attempt.iterations > 0;
        });
    }
    failed.epsilon = std::numeric_limits<real_t<V>>::epsilon();
    const auto* const preconditioner = solver.preconditioner().get();
    if (const auto* const factors = dynamic_cast<const IncompleteFactorization<V>*>(preconditioner)) {
        failed.num_bad_pivots = factors->num_bad_pivots();
    } else if (const auto* const direct = dynamic_cast<const DirectSolver<V>*>(&solver)) {
        failed.num_bad_pivots = direct->num_replaced_pivots();
    }
    const auto x_norms = x.norm2();
    const auto b_norms = operands.b.norm2();
    for (std::size_t col = 0; col < b_norms.size(); ++col) {
        failed.solution_size = std::max(failed.solution_size, static_cast<double>(x_norms[col] / b_norms[col]));
    }
    const auto b = operands.b.to_host();
    failed.num_bad_rhs_values =
        std::count_if(b.begin(), b.end(), [](const V& value) { return !std::isfinite(std::abs(value)); });
    return failed;
}

/// |z^T b| / (||z||_2 ||b||_2), the largest of the columns; z is 1 in these rows.
template <class V>
double part_of(const std::vector<size_type>& rows, const Dense<V>& b)
{
    const auto values = b.to_host();
    const auto norms = b.norm2();
    const auto cols = static_cast<size_type>(norms.size());
    double largest = 0;
    for (size_type col = 0; col < cols; ++col) {
        const auto at = [&](size_type row) { return values[static_cast<std::size_t>(row * cols + col)]; };
        const V sum =
            std::accumulate(rows.begin(), rows.end(), V{}, [&](V before, size_type row) { return before + at(row); });
        const double scale = std::sqrt(static_cast<double>(rows.size())) * static_cast<double>(norms[col]);
        largest = std::max(largest, scale > 0 ? static_cast<double>(std::abs(sum)) / scale : 0);
    }
    return largest;
}

/// What may help where this failed.
template <class V, class I>
std::string cure_of(FailedSolve failed, const Csr<V, I>& a, const Dense<V>& b)
{
    if (!a.executor().is_host()) {
        return cure_of(std::move(failed), a.copy(Executor::reference()), b);
    }
    std::vector<size_type> all(static_cast<std::size_t>(a.size().rows));
    std::iota(all.begin(), all.end(), size_type{0});
    failed.constant_part = part_of(all, b);
    failed.rest_part = part_of(detail::rest_of(a.view()), b);
    if (a.size().rows == a.size().cols) {
        const std::vector<V> ones(all.size(), V{1});
        const auto on_islands = linden::detail::null_part(a, conjugate_transpose(a), ones);
        std::erase_if(all, [&](size_type row) { return on_islands[static_cast<std::size_t>(row)] == V{}; });
        failed.islands_part = part_of(all, b);
    }
    return cure(failed, facts_of(a));
}

/// Only then the matrix is looked at. Direct solves end at rounding errors, most often with a small residual.
bool needs_advice(const SolveReport& report)
{
    constexpr double large_residual = 1e-2;
    return report.status != SolveStatus::converged ||
           (report.by_backward_error && report.relative_residual >= large_residual);
}

/// What may help.
template <class V>
std::string cure_of(const SolveReport& report, const Operands<V>& operands, const Dense<V>& x, const Solver<V>& solver)
{
    std::string text;
    if (needs_advice(report)) {
        visit_csr("solve", *operands.matrix, [&]<class I>(const Csr<V, I>& csr) {
            text = cure_of(failed_solve(report, operands, x, solver), csr, operands.b);
        });
    }
    return text;
}

/// Replaced pivots of what this rank has of a preconditioner of several.
template <class V>
size_type bad_pivots_of_rank(const Solver<V>& solver)
{
    const auto* const m = solver.preconditioner().get();
    if (const auto* const schwarz = dynamic_cast<const distributed::Schwarz<V>*>(m)) {
        const auto* const factors = dynamic_cast<const IncompleteFactorization<V>*>(schwarz->local());
        return factors == nullptr ? 0 : factors->num_bad_pivots();
    }
    const auto* const gathered = dynamic_cast<const distributed::Gathered<V>*>(m);
    const auto* const direct = gathered == nullptr ? nullptr : dynamic_cast<const DirectSolver<V>*>(gathered->inner());
    return direct == nullptr ? 0 : direct->num_replaced_pivots();
}

/// Larger matrices are not gathered to say what may help.
constexpr size_type most_gathered_entries = 200'000'000;

/// cure_of for several ranks. Collective; rank 0 gets the whole matrix and the text.
template <class V>
std::string cure_of(const SolveReport& report, const SpreadOperands<V>& spread, const Dense<V>& x,
                    const Solver<V>& solver)
{
    std::string text;
    const auto& ranks = spread.ranks;
    if (!needs_advice(report) || spread.operands.num_nonzeros > most_gathered_entries) {
        return text;
    }
    const auto gathered = [&](const Dense<V>& rows) {
        return distributed::Vector<V>(ranks, *spread.partition, rows.copy()).gather();
    };
    const auto b = gathered(spread.operands.b), whole_x = gathered(x);
    const auto bad_pivots = ranks.all_gather(bad_pivots_of_rank(solver));
    distributed::visit_if_distributed(*spread.operands.matrix, [&](const auto& matrix) {
        const auto whole = distributed::gather_matrix(matrix);
        ranks.agree_after([&] {
            if (whole == nullptr) {
                return;
            }
            const Operands<V> operands{whole, whole->num_nonzeros(), host_block<V>(b.size, b.values), {}};
            auto failed = failed_solve(report, operands, host_block<V>(whole_x.size, whole_x.values), solver);
            failed.num_bad_pivots += std::accumulate(bad_pivots.begin(), bad_pivots.end(), size_type{0});
            failed.is_over_ranks = !ranks.is_single();
            text = cure_of(failed, *whole, operands.b);
        });
    });
    return text;
}

std::string file_of(const std::string& path) { return path == "-" ? "/dev/stdout" : path; }

template <class V>
bool is_finite(const std::vector<V>& values)
{
    return std::all_of(values.begin(), values.end(), [](const V& value) { return std::isfinite(std::abs(value)); });
}

/// A format for numbers cannot hold others: such an x is an outcome of the method, which the exit code tells.
void say_not_written(const std::string& path)
{
    std::fprintf(stderr, "linden: %s is not written: x holds values that are not finite\n", path.c_str());
}

template <class V>
void write_solution(const std::string& path, const DenseData<V>& x)
{
    if (is_finite(x.values)) {
        write_dense<V>(file_of(path), x);
    } else {
        say_not_written(path);
    }
}

/// Collective.
template <class V>
void write_solution(const std::string& path, const distributed::Vector<V>& x)
{
    const auto& ranks = x.communicator();
    const int is_mine_finite = ranks.agree_after([&] { return is_finite(x.local().to_host()) ? 1 : 0; });
    const auto are_finite = ranks.all_gather(is_mine_finite);
    if (std::find(are_finite.begin(), are_finite.end(), 0) == are_finite.end()) {
        distributed::write_vector(file_of(path), x);
    } else if (ranks.rank() == 0) {
        say_not_written(path);
    }
}

template <class V>
void write_outputs(const SolveCommand& c, Outputs& outputs, const SolveReport& report, const Measured<V>& m)
{
    if (!c.quiet && !has_output_of_its_own(c)) {
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
    if (outputs.levels) {
        if (!report.multigrid) {
            throw UsageError("solve: --levels draws those of the preconditioner amg, this is " + report.preconditioner);
        }
        outputs.levels.write(levels_picture(*report.multigrid, report.problem + ", " + report.preconditioner));
    }
}

/// The same on several ranks, of which the first writes what is asked for. All take the same decisions.
template <class V>
int solve_on_ranks(const SolveCommand& c, const VectorSource& rhs, const VectorSource& x0,
                   const ChosenSolver<V>& chosen, const Executor& exec)
{
    const bool is_first = c.ranks.rank() == 0;
    auto shown = c;
    if (!is_first) {
        shown.json = shown.history = shown.plot = shown.levels = shown.solution = "";
        shown.quiet = true;
    }
    auto outputs = c.ranks.agree_after([&] { return std::make_unique<Outputs>(shown); });
    const auto start = std::chrono::steady_clock::now();
    const SpreadOperands<V> spread(c, rhs, x0, exec);
    const std::chrono::duration<double> reading = std::chrono::steady_clock::now() - start;
    const MeasureOptions options{.repeat = c.repeat, .history = !c.history.empty() || !c.plot.empty()};
    Measurement<V> measurement(*chosen.factory, spread.operands);
    auto measured = measurement.run(options);
    auto report = report_of(c.file + c.problem, chosen.text, spread.operands, measured);
    report.read_seconds = reading.count();
    report.size = spread.whole;
    report.relative_residual = spread.true_residual(measured.x);
    report.ranks = spread.report(measurement.solver(), measured.result.iterations());
    report.cure = cure_of(report, spread, measured.x, measurement.solver());
    if (c.view) {
        report.view = c.ranks.agree_after([&] { return spread.view(measurement.solver()); });
    }
    c.ranks.agree_after([&] {
        if (is_first) {
            write_outputs(shown, *outputs, report, measured);
        }
    });
    if (!c.solution.empty()) {
        write_solution(c.solution, spread.in_order_of_file(measured.x));
    }
    return measured.result.converged() ? success : not_converged;
}

/// As it was typed.
std::string method_options(const SolveCommand& c)
{
    if (!c.config.empty()) {
        return "--config " + c.config;
    }
    std::string text = c.solver.empty() ? "" : "--solver " + c.solver;
    text += c.preconditioner.empty() ? "" : (text.empty() ? "" : " ") + ("--preconditioner " + c.preconditioner);
    return text.empty() ? "solve" : text;
}

/// @throws UsageError if the matrix is not square, and the solver needs one that is, or if the matrix does not suit a
/// parameter of the method
template <class V>
Measured<V> measure(const SolveCommand& c, const Operands<V>& operands, Measurement<V>& measurement)
{
    const auto norms = operands.b.norm2();
    try {
        return measurement.run(measure_options(c, {norms.begin(), norms.end()}));
    } catch (const DimensionMismatch&) {
        const auto size = operands.matrix->size();
        if (size.rows == size.cols) {
            throw;
        }
        throw UsageError(c.file + c.problem + " is " + shown(size) +
                         "; solvers other than lsqr and lsmr need a square matrix");
    } catch (const InvalidParameter& error) {
        throw UsageError(method_options(c) + ": " + error.what());
    }
}

template <class V>
int solve_as(const SolveCommand& c)
{
    const auto rhs = parse_rhs(c.rhs);
    const auto x0 = parse_x0(c.x0);
    of_option("--format " + c.format, [&] { config::check_format(c.format); });  // before the matrix is read
    auto chosen = choose_solver<V>(c);
    const auto exec = make_executor(c);
    if (!c.ranks.is_single() || c.ranks.is_reproducible()) {
        return solve_on_ranks<V>(c, rhs, x0, chosen, exec);
    }
    Outputs outputs(c);
    const auto start = std::chrono::steady_clock::now();
    const auto operands = make_operands<V>(c, rhs, x0, exec);
    const std::chrono::duration<double> reading = std::chrono::steady_clock::now() - start;
    if (is_choice_free(c) && operands.matrix->size().rows != operands.matrix->size().cols) {
        SolveCommand rectangular = c;
        visit_csr("solve", *operands.matrix,
                  [&](const auto& csr) { rectangular.solver = suitable_methods(facts_of(csr)).front().solver; });
        chosen = choose_solver<V>(rectangular);
    }
    Measurement<V> measurement(*chosen.factory, operands);
    const auto measured = measure(c, operands, measurement);
    if (is_live(c)) {
        show_line("");
    }
    auto report = report_of(c.file + c.problem, chosen.text, operands, measured);
    report.read_seconds = reading.count();
    report.cure = cure_of(report, operands, measured.x, measurement.solver());
    report.view = c.view ? tree_of<V>(measurement.solver(), {operands.num_nonzeros}) : std::string();
    write_outputs(c, outputs, report, measured);
    if (!c.solution.empty()) {
        write_solution<V>(c.solution, {measured.x.size(), measured.x.to_host()});
    }
    const auto status = measured.result.status();
    return status == SolveStatus::interrupted ? interrupted
           : status == SolveStatus::converged ? success
                                              : not_converged;
}

}  // namespace

VectorSource parse_rhs(const std::string& text)
{
    VectorSource source;
    if (text == "ones" || text == "a-times-ones") {
        source.kind = text == "ones" ? VectorSource::Kind::ones : VectorSource::Kind::a_times_ones;
    } else if (!parse_random(text, "--rhs", source)) {
        set_file(text, "--rhs", {"ones", "a-times-ones", "random:SEED"}, source);
    }
    return source;
}

VectorSource parse_x0(const std::string& text)
{
    VectorSource source;
    if (text != "zero" && !parse_random(text, "--x0", source)) {
        set_file(text, "--x0", {"zero", "random", "random:SEED"}, source);
    }
    return source;
}

int solve(const SolveCommand& command)
{
    check_command(command);
    auto c = command;
    c.ranks = c.ranks.with_transport(parse_transport(c.transport));
    if (c.reproducible) {
        c.ranks = c.ranks.reproducible();
    }
    return with_types_of(c, [&]<class V>() { return solve_as<V>(c); });
}

}  // namespace linden::tool
