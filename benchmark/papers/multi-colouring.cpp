// needs: double int32
// The experiment of V. Heuveline, D. Lukarski and J.-P. Weiss, Scalable Multi-coloring Preconditioning for Multi-core
// CPUs and GPUs (Euro-Par 2010 Workshops), section 4: CG without preconditioner and with symmetric Gauss-Seidel (SGS),
// block Jacobi with SGS in each block (BJ) and multi-coloured SGS (MCSGS), and beside them the last by Eisenstat's
// trick and multi-coloured ILU(0); b = 1, x0 = 0, relative residual 1e-6; the iterations of its Figure 1 and the times
// of its Figures 2 to 4.

#include <linden/config/config.hpp>
#include <linden/reorder/colouring.hpp>

#include "benchmark/papers/chart.hpp"
#include "benchmark/papers/experiment.hpp"

namespace linden::benchmarks {
namespace {

constexpr std::string_view usage =
    "usage: linden_benchmark_paper_multi_colouring [OPTION]... MATRIX...\n"
    "  MATRIX               a Matrix Market file, .mtx or .mtx.gz, or a problem such as lap2d:300; positive definite\n"
    "  --executors=A,B      executors, of reference, omp, cuda and hip [reference,omp]\n"
    "  --repeat=K           times are medians of K runs [3]\n"
    "  --blocks=A,B         numbers of blocks for BJ [8,16,32]\n"
    "  --block-rows=A,B     also BJ with blocks of so many rows\n"
    "  --preconditioner=P   in place of SGS, BJ and what is multi-coloured; as in `linden solve`; several times for "
    "several\n"
    "  --svg=FILE           draws how many times fewer iterations they need on the first executor\n"
    "  --times=FILE         draws set-up and solve\n";

constexpr std::string_view stop = ":max_iterations=50000,relative_residual=1e-6";

struct Method {
    std::string label;
    std::string preconditioner;  ///< as configurations have it
    std::string solver = "cg";
};

struct Options : CommonOptions {
    std::vector<std::string> blocks{"8", "16", "32"};
    std::vector<std::string> block_rows;
    std::vector<std::string> preconditioners;
    std::string times;
};

/// runs[problem][method][executor]; the first method is none.
using Runs = std::vector<std::vector<std::vector<Run>>>;

std::vector<std::string> counts_of(const std::string& argument)
{
    auto counts = split(value_of(argument));
    for (const auto& count : counts) {
        (void)parse_count(argument, count);
    }
    return counts;
}

Options parse(const std::vector<std::string>& arguments)
{
    Options options;
    for (const auto& argument : arguments) {
        if (argument.starts_with("--blocks=")) {
            options.blocks = counts_of(argument);
        } else if (argument.starts_with("--block-rows=")) {
            options.block_rows = counts_of(argument);
        } else if (argument.starts_with("--preconditioner=")) {
            options.preconditioners.push_back(value_of(argument));
        } else if (argument.starts_with("--times=")) {
            options.times = file_of(argument);
        } else {
            take_argument(argument, options);
        }
    }
    check_has_matrices(options);
    return options;
}

/// @throws InvalidParameter for a preconditioner that there is not
FactoryPtr<V> factory_of(const Method& method)
{
    return config::parse_short<V>(method.solver + std::string(stop), method.preconditioner);
}

std::vector<Method> methods_of(const Options& options)
{
    std::vector<Method> methods{{"none", "none"}};
    for (const auto& preconditioner : options.preconditioners) {
        methods.push_back({preconditioner, preconditioner});
    }
    if (options.preconditioners.empty()) {
        methods.push_back({"SGS", "ssor"});
        for (const auto& blocks : options.blocks) {
            methods.push_back({"BJ, " + blocks + " blocks", "ssor:blocks=" + blocks});
        }
        for (const auto& rows : options.block_rows) {
            methods.push_back({"BJ, " + rows + " rows", "ssor:block_rows=" + rows});
        }
        methods.push_back({"MCSGS", "mcssor"});
        methods.push_back({"MCSGS, Eisenstat", "", "ssorcg"});
        methods.push_back({"MC-ILU(0)", "mcilu"});
    }
    for (const auto& method : methods) {
        (void)factory_of(method);
    }
    return methods;
}

Run measure(const Method& method, const Problem& problem, const Executor& exec, int repeat)
{
    return run_or_say_why_not([&] {
        const LinOpPtr<V> a = share(Csr<V, I>(exec, problem.data));
        const auto b = Dense<V>::filled(exec, {a->size().rows, 1}, 1);
        return time_solver(*factory_of(method), a, b, repeat);
    });
}

Runs measure_all(const Options& options, const std::vector<Executor>& executors, const std::vector<Problem>& problems,
                 const std::vector<Method>& methods)
{
    Runs runs;
    for (const auto& problem : problems) {
        auto& of_problem = runs.emplace_back(methods.size());
        for (const auto& exec : executors) {
            for (std::size_t m = 0; m < methods.size(); ++m) {
                const auto run = measure(methods[m], problem, exec, options.repeat);
                report(problem.name, methods[m].label, exec, run);
                of_problem[m].push_back(run);
            }
        }
    }
    return runs;
}

void print_table(const std::vector<Executor>& executors, const Problem& problem, const std::vector<Method>& methods,
                 const std::vector<std::vector<Run>>& runs)
{
    std::printf("\n### %s\n\nn = %lld, nnz = %lld, colours: %lld.\n\n| preconditioner |", problem.name.c_str(),
                static_cast<long long>(problem.data.size.rows), static_cast<long long>(problem.data.num_nonzeros()),
                static_cast<long long>(find_colouring(Csr<V, I>(Executor::reference(), problem.data)).num_colours));
    std::string rule = "|---|";
    for (const auto& exec : executors) {
        std::printf(" %s: it. | it. ratio | set-up, s | solve, s | speed-up |", exec.name().c_str());
        rule += "---:|---:|---:|---:|---:|";
    }
    std::printf("\n%s\n", rule.c_str());
    for (std::size_t m = 0; m < methods.size(); ++m) {
        std::printf("| %s |", methods[m].label.c_str());
        for (std::size_t e = 0; e < executors.size(); ++e) {
            const auto &run = runs[m][e], &none = runs.front()[e];
            std::printf(" %s | %s | %s | %s | %s |", iterations_text(run).c_str(),
                        format("%.2f", none.iterations / run.iterations).c_str(),
                        seconds_text(run.setup_seconds).c_str(), seconds_text(run.solve_seconds).c_str(),
                        format("%.2f", none.seconds() / run.seconds()).c_str());
        }
        std::printf("\n");
    }
}

void print_tables(const Options& options, const std::vector<Executor>& executors, const std::vector<Problem>& problems,
                  const std::vector<Method>& methods, const Runs& runs)
{
    std::printf("CG, b = 1, x0 = 0, relative residual 1e-6, at most 50000 iterations, double, int32; medians of %d.\n",
                options.repeat);
    print_executors(executors);
    std::printf(
        "`it. ratio` is the iterations without preconditioner over those with it, the paper's Figure 1; `speed-up` the "
        "same of\nset-up and solve. Colours are those of the paper's algorithm.\n");
    for (std::size_t p = 0; p < problems.size(); ++p) {
        print_table(executors, problems[p], methods, runs[p]);
    }
}

/// Figure 1 of the paper.
BarChart chart_of_iterations(const std::vector<Executor>& executors, const std::vector<Problem>& problems,
                             const std::vector<Method>& methods, const Runs& runs)
{
    BarChart chart{"Iterations of CG without preconditioner over those with it, " + executors.front().name(), {}};
    for (std::size_t p = 0; p < problems.size(); ++p) {
        auto& group = chart.groups.emplace_back(BarGroup{problems[p].name, {}});
        for (std::size_t m = 1; m < methods.size(); ++m) {
            const double ratio = runs[p].front().front().iterations / runs[p][m].front().iterations;
            group.bars.push_back({methods[m].label, ratio, m - 1});
        }
    }
    return chart;
}

/// Figures 2 to 4.
BarChart chart_of_times(const std::vector<Executor>& executors, const std::vector<Problem>& problems,
                        const std::vector<Method>& methods, const Runs& runs)
{
    BarChart chart{"Set-up and solve, s", {}, true};
    for (std::size_t p = 0; p < problems.size(); ++p) {
        auto& group = chart.groups.emplace_back(BarGroup{problems[p].name, {}});
        for (std::size_t e = 0; e < executors.size(); ++e) {
            for (std::size_t m = 0; m < methods.size(); ++m) {
                group.bars.push_back({methods[m].label + ", " + executors[e].name(), runs[p][m][e].seconds(), e});
            }
        }
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
    const auto methods = methods_of(options);
    OutputFile svg(options.svg, "--svg"), times(options.times, "--times");
    tool::check_distinct({&svg, &times}, options.matrices);
    const auto problems = load_all(options.matrices);
    check_positive(problems);
    const auto runs = measure_all(options, executors, problems, methods);
    print_tables(options, executors, problems, methods, runs);
    if (svg) {
        svg.write(draw(chart_of_iterations(executors, problems, methods, runs)));
    }
    if (times) {
        times.write(draw(chart_of_times(executors, problems, methods, runs)));
    }
}

}  // namespace
}  // namespace linden::benchmarks

int main(int argc, char** argv) { return linden::benchmarks::run_program(linden::benchmarks::run, argc, argv); }
