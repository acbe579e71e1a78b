// needs: double int32
// The experiment of M. Naumov, Incomplete-LU and Cholesky Preconditioned Iterative Methods Using CUSPARSE and CUBLAS
// (NVIDIA, 2011), section 5: BiCGStab with ILU(0) and ILUT(k, tol), CG with IC(0) and ICT(k, tol) where A is Hermitian
// with a positive diagonal; b = A 1, x0 = 0, relative residual 1e-7, at most 2000 iterations; its Tables 2 to 5.

#include <linden/preconditioner/ic.hpp>
#include <linden/preconditioner/ilu.hpp>
#include <linden/solver/bicgstab.hpp>
#include <linden/solver/cg.hpp>

#include "benchmark/papers/chart.hpp"
#include "benchmark/papers/experiment.hpp"
#include "core/base/nearest_name.hpp"

namespace linden::benchmarks {
namespace {

constexpr std::string_view usage =
    "usage: linden_benchmark_paper_ilu_ic [OPTION]... MATRIX...\n"
    "  MATRIX           a Matrix Market file, .mtx or .mtx.gz, or a problem such as lap2d:300\n"
    "  --executors=A,B  executors, of reference, omp, cuda and hip; speed-ups are over the first [reference,omp]\n"
    "  --repeat=K       times are medians of K runs [3]\n"
    "  --only=P         ilu0 or ilut, for one kind of preconditioners\n"
    "  --svg=FILE       draws the speed-ups, or with one executor the times\n";

/// Without fill-in where tol is 0.
struct Fill {
    std::string name;
    size_type k = 0;
    double tol = 0;
};

struct Options : CommonOptions {
    std::vector<Fill> fills{
        {"ilu0"}, {"ilut(5, 1e-3)", 5, 1e-3}, {"ilut(10, 1e-5)", 10, 1e-5}, {"ilut(20, 1e-7)", 20, 1e-7}};
};

/// What became of one matrix with one preconditioner on one executor.
struct FactoredRun {
    bool converged = false;
    std::string iterations;  ///< or what went wrong
    double factorization_seconds = 0;
    double solve_seconds = 0;
    double residual = NAN;
    double seconds() const { return converged ? factorization_seconds + solve_seconds : NAN; }
};

/// runs[problem][fill][executor]
using Runs = std::vector<std::vector<std::vector<FactoredRun>>>;

Options parse(const std::vector<std::string>& arguments)
{
    Options options;
    for (const auto& argument : arguments) {
        const auto value = value_of(argument);
        if (argument == "--only=ilu0" || argument == "--only=ilut") {
            std::erase_if(options.fills, [&](const Fill& fill) { return !fill.name.starts_with(value); });
        } else if (argument.starts_with("--only=")) {
            throw UsageError(argument + ": " + expected_one_of(value, {"ilu0", "ilut"}));
        } else {
            take_argument(argument, options);
        }
    }
    check_has_matrices(options);
    return options;
}

FactoryPtr<V> preconditioner(const Fill& fill, bool positive)
{
    if (fill.tol == 0) {
        return positive ? FactoryPtr<V>(Ic0<V>::factory()) : FactoryPtr<V>(Ilu0<V>::factory());
    }
    const ThresholdFill threshold{.k = fill.k, .tol = fill.tol, .scaling = FactorScaling::none};  // as in the paper
    return positive ? FactoryPtr<V>(Ict<V>::factory(threshold)) : FactoryPtr<V>(Ilut<V>::factory(threshold));
}

FactoryPtr<V> method(const Fill& fill, bool positive)
{
    const Stop stop{.max_iterations = 2000, .relative_residual = 1e-7, .baseline = Baseline::initial_residual};
    return positive
               ? FactoryPtr<V>(Cg<V>::factory({.stop = stop, .preconditioner = preconditioner(fill, true)}))
               : FactoryPtr<V>(BiCgStab<V>::factory({.stop = stop, .preconditioner = preconditioner(fill, false)}));
}

/// As in `2.5`, where the second half of the third iteration was not needed; else the status.
std::string iterations(const ColumnResult& column, size_type num_bad_pivots)
{
    auto text = std::string(name(column.status));
    if (column.status == SolveStatus::converged) {
        const auto whole = column.iterations - (column.half_step ? 1 : 0);
        text = std::to_string(whole) + (column.half_step ? ".5" : "");
    }
    return num_bad_pivots == 0 ? text : text + ", pivots replaced: " + std::to_string(num_bad_pivots);
}

/// The factorization's time is that of making the solver: factors, and the analysis of their triangles.
FactoredRun measure(const LinOpFactory<V>& factory, const Problem& problem, const Executor& exec, int repeat)
{
    const LinOpPtr<V> a = share(Csr<V, I>(exec, problem.data));
    const auto ones = Dense<V>::filled(exec, {a->size().rows, 1}, 1);
    Dense<V> b(exec, ones.size());
    a->apply(ones, b);
    const auto [result, factors, setup_seconds, solve_seconds] = time_solver(factory, a, b, repeat);
    const auto bad = dynamic_cast<const IncompleteFactorization<V>&>(*factors).num_bad_pivots();
    return {result.status == SolveStatus::converged, iterations(result, bad), setup_seconds, solve_seconds,
            result.relative_residual()};
}

/// What an executor cannot do, for want of memory or of a kernel, is a row like others.
FactoredRun measure_or_say_why_not(const Fill& fill, const Problem& problem, const Executor& exec, int repeat)
{
    try {
        return measure(*method(fill, problem.positive), problem, exec, repeat);
    } catch (const Error& error) {
        return {.iterations = error.what()};
    }
}

Runs measure_all(const Options& options, const std::vector<Executor>& executors, const std::vector<Problem>& problems)
{
    Runs runs;
    for (const auto& problem : problems) {
        auto& of_problem = runs.emplace_back(options.fills.size());
        for (const auto& exec : executors) {
            for (std::size_t f = 0; f < options.fills.size(); ++f) {
                const auto& fill = options.fills[f];
                const auto run = measure_or_say_why_not(fill, problem, exec, options.repeat);
                std::fprintf(stderr, "%s, %s, %s: %s s and %s s, %s\n", problem.name.c_str(), fill.name.c_str(),
                             exec.name().c_str(), seconds_text(run.factorization_seconds).c_str(),
                             seconds_text(run.solve_seconds).c_str(), run.iterations.c_str());
                of_problem[f].push_back(run);
            }
        }
    }
    return runs;
}

/// What executor e gains over the first with the same preconditioner; beside ILU(0), with others, also over the first
/// with ILU(0), and e with ILU(0) over the first, which is the paper's `vs. ilu0`. NaN where a solve has failed.
std::vector<double> speed_ups(const std::vector<std::vector<FactoredRun>>& runs, const Options& options, std::size_t f,
                              std::size_t e)
{
    std::vector<double> values{runs[f].front().seconds() / runs[f][e].seconds()};
    if (f > 0 && options.fills.front().tol == 0) {
        values.push_back(runs.front().front().seconds() / runs[f][e].seconds());
        values.push_back(runs[f].front().seconds() / runs.front()[e].seconds());
    }
    return values;
}

void print_head(const Options& options, const std::vector<Executor>& executors, std::size_t f)
{
    const auto& fill = options.fills[f];
    std::printf("\n### %s, with CG ic%s\n\n| matrix | n | nnz | method |", fill.name.c_str(), fill.name.c_str() + 3);
    std::string rule = "|---|---:|---:|---|";
    for (const auto& exec : executors) {
        std::printf(" %s: fact., s | solve, s | residual | it. |", exec.name().c_str());
        rule += "---:|---:|---:|---:|";
    }
    const auto first = executors.front().name();
    for (std::size_t e = 1; e < executors.size(); ++e) {
        const auto name = executors[e].name();
        std::printf(" %s vs. %s |", name.c_str(), first.c_str());
        rule += "---:|";
        if (f > 0 && options.fills.front().tol == 0) {
            std::printf(" vs. %s's ilu0 | ilu0 vs. %s |", first.c_str(), first.c_str());
            rule += "---:|---:|";
        }
    }
    std::printf("\n%s\n", rule.c_str());
}

/// The last row: means of the columns of speed-ups, over the rows that have one.
void print_means(const std::vector<std::vector<double>>& rows, std::size_t num_executors)
{
    if (num_executors < 2) {
        return;
    }
    std::printf("| mean | | | |");
    for (std::size_t e = 0; e < num_executors; ++e) {
        std::printf(" | | | |");
    }
    for (std::size_t col = 0; col < rows.front().size(); ++col) {
        double sum = 0;
        int count = 0;
        for (const auto& row : rows) {
            sum += std::isfinite(row[col]) ? row[col] : 0;
            count += std::isfinite(row[col]) ? 1 : 0;
        }
        std::printf(" %s |", format("%.3g", sum / count).c_str());
    }
    std::printf("\n");
}

void print_table(const Options& options, const std::vector<Executor>& executors, const std::vector<Problem>& problems,
                 const Runs& runs, std::size_t f)
{
    print_head(options, executors, f);
    std::vector<std::vector<double>> gains;
    for (std::size_t p = 0; p < problems.size(); ++p) {
        const auto& problem = problems[p];
        std::printf("| %s | %lld | %lld | %s |", problem.name.c_str(), static_cast<long long>(problem.data.size.rows),
                    static_cast<long long>(problem.data.num_nonzeros()), problem.positive ? "CG" : "BiCGStab");
        for (const auto& run : runs[p][f]) {
            std::printf(" %s | %s | %s | %s |", seconds_text(run.factorization_seconds).c_str(),
                        seconds_text(run.solve_seconds).c_str(), format("%.2e", run.residual).c_str(),
                        run.iterations.c_str());
        }
        auto& row = gains.emplace_back();
        for (std::size_t e = 1; e < executors.size(); ++e) {
            const auto values = speed_ups(runs[p], options, f, e);
            row.insert(row.end(), values.begin(), values.end());
        }
        for (const double value : row) {
            std::printf(" %s |", format("%.3g", value).c_str());
        }
        std::printf("\n");
    }
    print_means(gains, executors.size());
}

void print_tables(const Options& options, const std::vector<Executor>& executors, const std::vector<Problem>& problems,
                  const Runs& runs)
{
    std::printf("b = A 1, x0 = 0, relative residual 1e-7, at most 2000 iterations, double, int32; medians of %d. ",
                options.repeat);
    std::printf("The residual is the true one;\nhalf an iteration is the first half of BiCGStab's.\n");
    print_executors(executors);
    if (executors.size() > 1) {
        std::printf(
            "`B vs. A` is the time of A, factorization and solve, over that of B. `vs. A's ilu0`: the time of A "
            "with ilu0 over that\nof B; `ilu0 vs. A`: the time of A over that of B with ilu0, the paper's "
            "column `vs. ilu0`.\n");
    }
    for (std::size_t f = 0; f < options.fills.size(); ++f) {
        print_table(options, executors, problems, runs, f);
    }
}

/// Speed-ups over the first executor, or the times of the only one.
std::vector<Bar> bars_of(const std::vector<std::vector<FactoredRun>>& runs, const Options& options,
                         const std::vector<Executor>& executors)
{
    std::vector<Bar> bars;
    for (std::size_t f = 0; f < options.fills.size(); ++f) {
        const auto& label = options.fills[f].name;
        if (executors.size() == 1) {
            bars.push_back({label, runs[f].front().seconds(), f});
        }
        for (std::size_t e = 1; e < executors.size(); ++e) {
            bars.push_back({label + ", " + executors[e].name(), speed_ups(runs, options, f, e).front(), f});
        }
    }
    return bars;
}

/// A group of bars for each matrix.
BarChart bar_chart(const Options& options, const std::vector<Executor>& executors, const std::vector<Problem>& problems,
                   const Runs& runs)
{
    const bool are_times = executors.size() == 1;
    BarChart chart{are_times ? "Factorization and solve, s, " + executors.front().name()
                             : "Speed-up over " + executors.front().name(),
                   {},
                   are_times};
    for (std::size_t p = 0; p < problems.size(); ++p) {
        chart.groups.push_back({problems[p].name, bars_of(runs[p], options, executors)});
    }
    return chart;
}

void run(const std::vector<std::string>& arguments)
{
    const auto options = parse(arguments);
    if (options.help) {
        std::printf("%s\n%s", std::string(usage).c_str(), problem_help().c_str());
        return;
    }
    const auto executors = executors_of(options);
    OutputFile svg(options.svg, "--svg");
    tool::check_distinct({&svg}, options.matrices);
    const auto problems = load_all(options.matrices);
    const auto runs = measure_all(options, executors, problems);
    print_tables(options, executors, problems, runs);
    if (svg) {
        svg.write(draw(bar_chart(options, executors, problems, runs)));
    }
}

}  // namespace
}  // namespace linden::benchmarks

int main(int argc, char** argv) { return linden::benchmarks::run_program(linden::benchmarks::run, argc, argv); }
