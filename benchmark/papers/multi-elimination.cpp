// needs: double int32
// The experiment of D. Lukarski, H. Anzt, S. Tomov and J. Dongarra, Multi-Elimination ILU Preconditioners on GPUs,
// section V: the sequences of matrices of its Table II; the number of levels and CG against the drop threshold, with
// the bottom solved in double and in single precision or by GMRES, its Tables III to V and Figure 2; CG with other
// preconditioners, its Table VI, and beside them the rule for diffusion; b = 1, x0 = 0, relative residual 1e-6. And
// what a level costs, and the rule without dropping as a direct solver.

#include <linden/matrix/identity.hpp>
#include <linden/preconditioner/ilu.hpp>
#include <linden/preconditioner/multi_elimination.hpp>
#include <linden/preconditioner/multicoloured.hpp>
#include <linden/solver/cg.hpp>
#include <linden/solver/gmres.hpp>

#include "benchmark/papers/chart.hpp"
#include "benchmark/papers/elimination-costs.hpp"
#include "benchmark/papers/elimination-exact.hpp"
#include "benchmark/papers/experiment.hpp"

namespace linden::benchmarks {
namespace {

constexpr std::string_view usage =
    "usage: linden_benchmark_paper_multi_elimination [OPTION]... MATRIX...\n"
    "  MATRIX               a Matrix Market file, .mtx or .mtx.gz, or a problem such as lap2d:300; positive definite\n"
    "                       unless --exact\n"
    "  --executors=A,B      executors, of reference, omp, cuda and hip [reference,omp]\n"
    "  --repeat=K           times are medians of K runs [3]\n"
    "  --betas=A,B          factors of the paper's drop threshold [0.1]\n"
    "  --bottom-rows=N      the paper's rule, or with --exact that, goes on until fewer than N rows are left [12000, "
    "as it says]\n"
    "  --iterative-bottom   the bottom also by GMRES with multi-coloured SGS to 1e-8\n"
    "  --sequence=FILE      also the sequence of this matrix without dropping; several times for several\n"
    "  --exact              the rule without dropping as a direct solver, in place of everything else\n"
    "  --svg=FILE           draws set-up and solve against beta on the last executor\n"
    "  --levels=FILE        draws rows, nonzeros and bytes by level on the last executor\n";

using Parameters = Elimination::Parameters;

struct Options : CommonOptions {
    std::vector<std::string> betas{"0.1"};
    std::vector<std::string> sequences;
    size_type bottom_rows = -1;  ///< negative: as the rule says
    bool iterative_bottom = false;
    bool exact = false;
    std::string levels;
};

/// CG with multi-elimination, and what that has found.
struct EliminationRun {
    Run run;
    std::vector<Elimination::Level> levels{};
};

/// Ways to solve with the bottom.
constexpr std::string_view bottoms[] = {"double", "single", "GMRES"};

/// runs[executor][beta][bottom]
using ThresholdRuns = std::vector<std::vector<std::vector<EliminationRun>>>;

struct Method {
    std::string label;
    FactoryPtr<V> preconditioner;
};

double parse_beta(const std::string& option, const std::string& text)
{
    double beta = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), beta);
    if (error != std::errc() || end != text.data() + text.size() || !(beta >= 0)) {
        throw UsageError(option + ": expected a number of at least 0");
    }
    return beta;
}

Options parse(const std::vector<std::string>& arguments)
{
    Options options;
    for (const auto& argument : arguments) {
        if (argument.starts_with("--betas=")) {
            options.betas = split(value_of(argument));
            for (const auto& beta : options.betas) {
                (void)parse_beta(argument, beta);
            }
        } else if (argument.starts_with("--bottom-rows=")) {
            options.bottom_rows = parse_count(argument, value_of(argument));
        } else if (argument == "--iterative-bottom") {
            options.iterative_bottom = true;
        } else if (argument.starts_with("--sequence=")) {
            options.sequences.push_back(file_of(argument));
        } else if (argument == "--exact") {
            options.exact = true;
        } else if (argument.starts_with("--levels=")) {
            options.levels = file_of(argument);
        } else {
            take_argument(argument, options);
        }
    }
    check_has_matrices(options);
    if (options.exact && !(options.svg.empty() && options.levels.empty())) {
        throw UsageError("--exact draws nothing");
    }
    return options;
}

FactoryPtr<V> cg(const FactoryPtr<V>& preconditioner)
{
    return Cg<V>::factory({.stop = {.max_iterations = 50000}, .preconditioner = preconditioner});
}

/// The paper's rule.
Parameters paper_rule(const Options& options, double beta)
{
    return {.rule = EliminationRule::paper, .beta = beta, .bottom_rows = options.bottom_rows};
}

Parameters with_bottom(Parameters parameters, std::string_view bottom)
{
    if (bottom == "single") {
        parameters.bottom_storage = StoragePrecision::single;
    } else if (bottom == "GMRES") {
        parameters.bottom =
            Gmres<V>::factory({.stop = {.relative_residual = 1e-8}, .preconditioner = McSsor<V>::factory()});
    }
    return parameters;
}

/// The matrix of the collection: the 9-point stencil on a grid of 30 x 30.
Problem gr_30_30()
{
    constexpr I n = 30;
    Problem problem{"gr_30_30", {{n * n, n * n}, {0}, {}, {}}, true};
    auto& [size, row_ptrs, col_idxs, values] = problem.data;
    for (I row = 0; row < n * n; ++row) {
        for (I y = std::max(row / n - 1, 0); y <= std::min(row / n + 1, n - 1); ++y) {
            for (I x = std::max(row % n - 1, 0); x <= std::min(row % n + 1, n - 1); ++x) {
                col_idxs.push_back(y * n + x);
                values.push_back(y * n + x == row ? 8 : -1);
            }
        }
        row_ptrs.push_back(static_cast<I>(col_idxs.size()));
    }
    return problem;
}

void print_sequences(const std::vector<Problem>& problems)
{
    const Parameters parameters{
        .rule = EliminationRule::paper, .beta = 0, .depth = 3, .bottom = Identity<V>::factory()};
    std::vector<std::vector<Elimination::Level>> sequences;
    std::printf("\n### Sequences without dropping, Table II\n\n| level |");
    std::string rule = "|---:|";
    for (const auto& problem : problems) {
        const LinOpPtr<V> a = share(Csr<V, I>(Executor::reference(), problem.data));
        sequences.push_back(Elimination::factory(parameters).generate(a)->levels());
        std::printf(" %s: n | nnz |", problem.name.c_str());
        rule += "---:|---:|";
    }
    std::printf("\n%s\n", rule.c_str());
    for (std::size_t l = 0; l <= static_cast<std::size_t>(parameters.depth); ++l) {
        std::printf("| %d |", static_cast<int>(parameters.depth + 1) - static_cast<int>(l));
        for (const auto& levels : sequences) {
            l < levels.size() ? std::printf(" %lld | %lld |", static_cast<long long>(levels[l].rows),
                                            static_cast<long long>(levels[l].nonzeros))
                              : std::printf(" | |");
        }
        std::printf("\n");
    }
}

EliminationRun measure_elimination(const Parameters& parameters, const Problem& problem, const Executor& exec,
                                   int repeat)
{
    EliminationRun result;
    result.run = run_or_say_why_not([&] {
        const LinOpPtr<V> a = share(Csr<V, I>(exec, problem.data));
        const auto b = Dense<V>::filled(exec, {a->size().rows, 1}, 1);
        auto timing = time_solver(*cg(Elimination::factory(parameters)), a, b, repeat);
        result.levels = dynamic_cast<const Elimination&>(*timing.preconditioner).levels();
        return timing;
    });
    return result;
}

ThresholdRuns measure_thresholds(const Options& options, const std::vector<Executor>& executors, const Problem& problem)
{
    ThresholdRuns runs;
    for (const auto& exec : executors) {
        auto& of_executor = runs.emplace_back();
        for (const auto& beta : options.betas) {
            auto& of_beta = of_executor.emplace_back();
            for (std::size_t i = 0; i < (options.iterative_bottom ? 3 : 2); ++i) {
                const auto parameters = with_bottom(paper_rule(options, parse_beta("--betas", beta)), bottoms[i]);
                of_beta.push_back(measure_elimination(parameters, problem, exec, options.repeat));
                report(problem.name, "beta = " + beta + ", " + std::string(bottoms[i]), exec, of_beta.back().run);
            }
        }
    }
    return runs;
}

void print_thresholds(const Options& options, const std::vector<Executor>& executors, const ThresholdRuns& runs)
{
    std::printf("\n#### The threshold and the bottom, Tables III to V\n\n| executor | beta | levels | n | nnz |");
    std::string rule = "|---|---:|---:|---:|---:|";
    for (std::size_t i = 0; i < runs.front().front().size(); ++i) {
        std::printf(" %s: it. | set-up, s | solve, s |", std::string(bottoms[i]).c_str());
        rule += "---:|---:|---:|";
    }
    std::printf("\n%s\n", rule.c_str());
    for (std::size_t e = 0; e < executors.size(); ++e) {
        for (std::size_t k = 0; k < options.betas.size(); ++k) {
            const auto& levels = runs[e][k].front().levels;
            std::printf("| %s | %s |", executors[e].name().c_str(), options.betas[k].c_str());
            levels.empty() ? std::printf(" | | |")
                           : std::printf(" %d | %lld | %lld |", static_cast<int>(levels.size()) - 1,
                                         static_cast<long long>(levels.back().rows),
                                         static_cast<long long>(levels.back().nonzeros));
            for (const auto& [run, its_levels] : runs[e][k]) {
                std::printf(" %s | %s | %s |", iterations_text(run).c_str(), seconds_text(run.setup_seconds).c_str(),
                            seconds_text(run.solve_seconds).c_str());
            }
            std::printf("\n");
        }
    }
}

std::vector<Method> methods_of(const Options& options)
{
    const auto paper = with_bottom(paper_rule(options, 0.1), "single");
    return {{"none", nullptr},
            {"MC-SGS", McSsor<V>::factory()},
            {"ILU(0)", Ilu0<V>::factory()},
            {"MC-ILU(0)", McIlu<V>::factory()},
            {"multi-elimination, the paper's rule, single", Elimination::factory(paper)},
            {"multi-elimination, modified", Elimination::factory()},
            {"multi-elimination, modified, half", Elimination::factory({.storage = StoragePrecision::half})}};
}

/// Table VI.
void print_comparison(const Options& options, const std::vector<Executor>& executors, const Problem& problem)
{
    std::printf("\n#### Preconditioners, Table VI\n\n| preconditioner |");
    std::string rule = "|---|";
    for (const auto& exec : executors) {
        std::printf(" %s: it. | set-up, s | solve, s | total, s |", exec.name().c_str());
        rule += "---:|---:|---:|---:|";
    }
    std::printf("\n%s\n", rule.c_str());
    for (const auto& [label, preconditioner] : methods_of(options)) {
        std::printf("| %s |", label.c_str());
        for (const auto& exec : executors) {
            const auto run = run_or_say_why_not([&] {
                const LinOpPtr<V> a = share(Csr<V, I>(exec, problem.data));
                const auto b = Dense<V>::filled(exec, {a->size().rows, 1}, 1);
                return time_solver(*cg(preconditioner), a, b, options.repeat);
            });
            report(problem.name, label, exec, run);
            std::printf(" %s | %s | %s | %s |", iterations_text(run).c_str(), seconds_text(run.setup_seconds).c_str(),
                        seconds_text(run.solve_seconds).c_str(), seconds_text(run.seconds()).c_str());
        }
        std::printf("\n");
    }
}

/// Of the paper's rule and of the modified one.
std::vector<EliminationCosts> measure_costs(const Options& options, const Problem& problem, const Executor& exec)
{
    const LinOpPtr<V> a = share(Csr<V, I>(exec, problem.data));
    return {costs_of("the paper's rule", with_bottom(paper_rule(options, 0.1), "single"), a, options.repeat),
            costs_of("modified", {}, a, options.repeat)};
}

/// Figure 2 of the paper, for one matrix on the last executor.
BarGroup bars_of_thresholds(const Options& options, const Problem& problem, const ThresholdRuns& runs)
{
    BarGroup group{problem.name, {}};
    for (std::size_t k = 0; k < options.betas.size(); ++k) {
        const auto& of_bottoms = runs.back()[k];
        for (std::size_t i = 0; i < of_bottoms.size(); ++i) {
            const auto label = "beta = " + options.betas[k] + ", " + std::string(bottoms[i]);
            group.bars.push_back({label, of_bottoms[i].run.seconds(), i});
        }
    }
    return group;
}

void print_introduction(const Options& options, const std::vector<Executor>& executors)
{
    std::printf("CG, b = 1, x0 = 0, relative residual 1e-6, at most 50000 iterations, double, int32; medians of %d.\n",
                options.repeat);
    print_executors(executors);
    std::printf(
        "The paper's rule goes on until fewer than %lld rows are left, which an explicit inverse solves with, in the "
        "precision given;\nGMRES: with multi-coloured SGS to 1e-8. `levels` counts eliminations, n and nnz are those "
        "of "
        "the matrix at the bottom.\nIn a table by level, n and nnz are those of the matrix before it; bytes moved are "
        "not measured but a model: what is stored,\nread once, and the vectors' elements at the level's rows. The time "
        "of an application, with kernels launched one by one, is measured.\n",
        static_cast<long long>(options.bottom_rows < 0 ? 12000 : options.bottom_rows));
}

void run_all(const Options& options)
{
    const auto executors = executors_of(options);
    OutputFile svg(options.svg, "--svg"), levels(options.levels, "--levels");
    auto inputs = options.matrices;
    inputs.insert(inputs.end(), options.sequences.begin(), options.sequences.end());
    tool::check_distinct({&svg, &levels}, inputs);
    auto sequences = load_all(options.sequences);
    sequences.insert(sequences.begin(), gr_30_30());
    const auto problems = load_all(options.matrices);
    check_positive(problems);
    print_introduction(options, executors);
    print_sequences(sequences);
    BarChart times_chart{"Set-up and solve against beta, s, " + executors.back().name(), {}, true};
    BarChart costs_chart{"Levels, " + executors.back().name(), {}, true};
    for (const auto& problem : problems) {
        std::printf("\n### %s\n\nn = %lld, nnz = %lld.\n", problem.name.c_str(),
                    static_cast<long long>(problem.data.size.rows),
                    static_cast<long long>(problem.data.num_nonzeros()));
        const auto runs = measure_thresholds(options, executors, problem);
        print_thresholds(options, executors, runs);
        times_chart.groups.push_back(bars_of_thresholds(options, problem, runs));
        print_comparison(options, executors, problem);
        std::fflush(stdout);
        for (const auto& costs : measure_costs(options, problem, executors.back())) {
            print_costs(costs, executors.back());
            add_costs(problem.name, costs, costs_chart);
        }
        std::fflush(stdout);
    }
    if (svg) {
        svg.write(draw(times_chart));
    }
    if (levels) {
        levels.write(draw(costs_chart));
    }
}

void run(const std::vector<std::string>& arguments)
{
    const auto options = parse(arguments);
    if (options.help) {
        std::printf("%s\n%s", std::string(usage).c_str(), problem_help().c_str());
    } else if (options.exact) {
        print_exact(executors_of(options), load_all(options.matrices), options.bottom_rows, options.repeat);
    } else {
        run_all(options);
    }
}

}  // namespace
}  // namespace linden::benchmarks

int main(int argc, char** argv) { return linden::benchmarks::run_program(linden::benchmarks::run, argc, argv); }
