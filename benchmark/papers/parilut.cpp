// needs: double int32
// The experiments of H. Anzt, T. Ribizel, G. Flegar, E. Chow and J. Dongarra, ParILUT - a parallel threshold ILU for
// GPUs, section V: the throughput of selection, its Figure 8; iterations of GMRES against the number of steps with
// exact and with approximate selection, its Figure 10; what the parts of the set-up take, its Figures 11 and 12. And
// set-up and solve beside other preconditioners, with exact and with approximate triangular solves; and of all settings
// of ParILUT the fastest beside other preconditioners, in one table for all matrices. b = 1, x0 = 0.

#include <linden/preconditioner/ilu.hpp>
#include <linden/preconditioner/multicoloured.hpp>
#include <linden/solver/gmres.hpp>

#include "benchmark/papers/chart.hpp"
#include "benchmark/papers/experiment.hpp"
#include "benchmark/papers/line-chart.hpp"
#include "benchmark/papers/parilut-parts.hpp"
#include "benchmark/papers/parilut-selection.hpp"
#include "core/base/nearest_name.hpp"

namespace linden::benchmarks {
namespace {

constexpr std::string_view usage =
    "usage: linden_benchmark_paper_parilut [OPTION]... MATRIX...\n"
    "  MATRIX            a Matrix Market file, .mtx or .mtx.gz, or a problem such as convdiff3d:30:20\n"
    "  --executors=A,B   executors, of reference, omp, cuda and hip [reference,omp]\n"
    "  --repeat=K        times are medians of K runs, those of parts of the fastest [3]\n"
    "  --only=A,B        experiments, of selection, steps, parts, solve and best; selection needs no\n"
    "                    matrix [all]\n"
    "  --steps=N         0 to N steps of ParILUT [5]\n"
    "  --sweeps=A,B      sweeps in each step [1]\n"
    "  --fills=A,B       limits of the factors' entries, as multiples of the matrix's [1,2]\n"
    "  --restart=N       steps of GMRES until it restarts [400]\n"
    "  --seconds=S       solves that take longer are given up [60]\n"
    "  --largest=P       selection of up to 2^P values [22]\n"
    "  --svg=FILE        draws iterations against steps on the last executor\n"
    "  --parts=FILE      draws the parts of the set-up\n"
    "  --selection=FILE  draws the throughput of selection\n";

struct Options : CommonOptions {
    std::vector<std::string> experiments{"selection", "steps", "parts", "solve", "best"};
    int steps = 5;
    std::vector<int> sweeps{1};
    std::vector<double> fills{1, 2};
    int restart = 400;
    int seconds = 60;
    int largest = 22;
    std::string parts;
    std::string selection;

    bool has(std::string_view experiment) const
    {
        return std::find(experiments.begin(), experiments.end(), experiment) != experiments.end();
    }
};

double parse_fill(const std::string& option, const std::string& text)
{
    double fill = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), fill);
    if (error != std::errc() || end != text.data() + text.size() || !(fill > 0)) {
        throw UsageError(option + ": expected a number above 0");
    }
    return fill;
}

void take_experiments(const std::string& argument, Options& options)
{
    options.experiments = split(value_of(argument));
    for (const auto& name : options.experiments) {
        if (!Options().has(name)) {
            throw UsageError(argument + ": " + expected_one_of(name, Options().experiments));
        }
    }
}

Options parse(const std::vector<std::string>& arguments)
{
    Options options;
    for (const auto& argument : arguments) {
        const auto value = value_of(argument);
        if (argument.starts_with("--only=")) {
            take_experiments(argument, options);
        } else if (argument.starts_with("--steps=")) {
            options.steps = parse_count(argument, value);
        } else if (argument.starts_with("--sweeps=")) {
            options.sweeps.clear();
            for (const auto& count : split(value)) {
                options.sweeps.push_back(parse_count(argument, count));
            }
        } else if (argument.starts_with("--fills=")) {
            options.fills.clear();
            for (const auto& fill : split(value)) {
                options.fills.push_back(parse_fill(argument, fill));
            }
        } else if (argument.starts_with("--restart=")) {
            options.restart = parse_count(argument, value);
        } else if (argument.starts_with("--seconds=")) {
            options.seconds = parse_count(argument, value);
        } else if (argument.starts_with("--largest=")) {
            options.largest = std::min(parse_count(argument, value), 30);
        } else if (argument.starts_with("--parts=")) {
            options.parts = file_of(argument);
        } else if (argument.starts_with("--selection=")) {
            options.selection = file_of(argument);
        } else {
            take_argument(argument, options);
        }
    }
    if (options.experiments != std::vector<std::string>{"selection"}) {
        check_has_matrices(options);
    }
    return options;
}

/// A preconditioner in GMRES, and the entries of its factors.
struct FactoredRun {
    Run run;
    double nonzeros = NAN;  ///< as a multiple of the matrix's
};

FactoredRun measure(const Options& options, const FactoryPtr<V>& preconditioner, const Problem& problem,
                    const Executor& exec, int repeat)
{
    FactoredRun result;
    result.run = run_or_say_why_not([&] {
        const LinOpPtr<V> a = share(Csr<V, I>(exec, problem.data));
        const auto b = Dense<V>::filled(exec, {a->size().rows, 1}, 1);
        const auto gmres = Gmres<V>::factory({.stop = {.max_iterations = 2000,
                                                       .relative_residual = 1e-10,
                                                       .max_seconds = static_cast<double>(options.seconds)},
                                              .preconditioner = preconditioner,
                                              .krylov_dim = options.restart});
        auto timing = time_solver(gmres, a, b, repeat);
        if (const auto* f = dynamic_cast<const IncompleteFactorization<V>*>(timing.preconditioner.get())) {
            result.nonzeros = static_cast<double>(f->num_nonzeros()) / static_cast<double>(problem.data.num_nonzeros());
        }
        return timing;
    });
    return result;
}

/// A line of the paper's Figure 10.
struct StepsSetting {
    size_type sweeps = 0;
    double fill = 0;
    Selection selection = Selection::exact;

    std::string label() const
    {
        const auto how = selection == Selection::exact ? "exact" : "approximate";
        return "fill " + format("%g", fill) + ", " + how + ", sweeps: " + std::to_string(sweeps);
    }
    /// Without steps the triangles of A.
    FactoryPtr<V> preconditioner(size_type steps) const
    {
        return ParIlut<V>::factory(
            {.steps = steps, .fill = fill, .factor_sweeps = steps == 0 ? 0 : sweeps, .selection = selection});
    }
};

std::vector<StepsSetting> settings_of(const Options& options)
{
    std::vector<StepsSetting> settings;
    for (const int sweeps : options.sweeps) {
        for (const double fill : options.fills) {
            settings.push_back({sweeps, fill, Selection::exact});
            settings.push_back({sweeps, fill, Selection::approximate});
        }
    }
    return settings;
}

/// Of one executor.
struct StepsRuns {
    Run ilu0;
    std::vector<std::vector<FactoredRun>> runs;  ///< runs[setting][steps]
};

StepsRuns measure_steps(const Options& options, const Problem& problem, const Executor& exec)
{
    StepsRuns result;
    result.ilu0 = measure(options, Ilu0<V>::factory(), problem, exec, 1).run;
    report(problem.name, "ILU(0)", exec, result.ilu0);
    const auto settings = settings_of(options);
    const auto start = measure(options, settings.front().preconditioner(0), problem, exec, 1);
    report(problem.name, "no steps", exec, start.run);
    for (const auto& setting : settings) {
        auto& of_setting = result.runs.emplace_back(1, start);
        for (int steps = 1; steps <= options.steps; ++steps) {
            of_setting.push_back(measure(options, setting.preconditioner(steps), problem, exec, 1));
            report(problem.name, setting.label() + ", steps: " + std::to_string(steps), exec, of_setting.back().run);
        }
    }
    return result;
}

void print_steps(const Options& options, const std::vector<Executor>& executors, const std::vector<StepsRuns>& all)
{
    std::printf(
        "\n#### Iterations against steps, Figure 10\n\nWithout steps the factors are the triangles of A. The last "
        "column: entries of the factors after the last step, over those of A.\n\n| executor | preconditioner |");
    std::string rule = "|---|---|";
    for (int steps = 0; steps <= options.steps; ++steps) {
        std::printf(" %d |", steps);
        rule += "---:|";
    }
    std::printf(" entries |\n%s---:|\n", rule.c_str());
    const auto settings = settings_of(options);
    for (std::size_t e = 0; e < executors.size(); ++e) {
        const auto name = executors[e].name();
        std::printf("| %s | ILU(0) | %s |", name.c_str(), iterations_text(all[e].ilu0).c_str());
        for (int steps = 0; steps < options.steps; ++steps) {
            std::printf(" |");
        }
        std::printf(" 1 |\n");
        for (std::size_t i = 0; i < settings.size(); ++i) {
            std::printf("| %s | %s |", name.c_str(), settings[i].label().c_str());
            for (const auto& [run, nonzeros] : all[e].runs[i]) {
                std::printf(" %s |", iterations_text(run).c_str());
            }
            std::printf(" %s |\n", format("%.3f", all[e].runs[i].back().nonzeros).c_str());
        }
    }
}

LinePanel lines_of(const Options& options, const std::string& name, const StepsRuns& all)
{
    LinePanel panel{name, {{"ILU(0)", std::vector<double>(options.steps + 1, all.ilu0.iterations)}}};
    const auto settings = settings_of(options);
    for (std::size_t i = 0; i < settings.size(); ++i) {
        auto& line =
            panel.lines.emplace_back(Line{settings[i].label(), {}, settings[i].selection == Selection::approximate});
        for (const auto& [run, nonzeros] : all.runs[i]) {
            line.values.push_back(run.iterations);
        }
    }
    return panel;
}

std::vector<SetupParts> measure_all_parts(const Options& options, const std::vector<Executor>& executors,
                                          const Problem& problem)
{
    std::vector<SetupParts> all;
    for (const auto& exec : executors) {
        for (const auto selection : {Selection::exact, Selection::approximate}) {
            all.push_back(measure_parts({.steps = options.steps,
                                         .fill = options.fills.back(),
                                         .factor_sweeps = options.sweeps.front(),
                                         .selection = selection},
                                        problem, exec, options.repeat));
        }
    }
    return all;
}

struct Method {
    std::string label;
    FactoryPtr<V> preconditioner;
};

/// How triangular systems are solved.
const std::pair<std::string_view, TriangularOptions> triangular_solves[] = {
    {"exact solves", {}},
    {"3 Jacobi sweeps", {.algorithm = TriangularAlgorithm::jacobi, .sweeps = 3}},
    {"ISAI, power 1", {.algorithm = TriangularAlgorithm::isai, .power = 1}},
    {"ISAI, power 2", {.algorithm = TriangularAlgorithm::isai, .power = 2}}};

std::vector<Method> methods()
{
    std::vector<Method> all{{"none", nullptr},
                            {"MC-SGS", McSsor<V>::factory()},
                            {"ILU(0)", Ilu0<V>::factory()},
                            {"ILUT(10, 1e-5)", Ilut<V>::factory({.k = 10, .tol = 1e-5})}};
    for (const auto& [name, solve] : triangular_solves) {
        all.push_back({"ParILU, " + std::string(name), ParIlu<V>::factory({.triangular = solve})});
    }
    for (const auto& [name, solve] : triangular_solves) {
        all.push_back({"ParILUT, fill 2, " + std::string(name), ParIlut<V>::factory({.fill = 2, .triangular = solve})});
    }
    all.push_back({"ParILUT, fill 2, values by elimination", ParIlut<V>::factory({.fill = 2, .eliminate = true})});
    return all;
}

void print_solves(const Options& options, const std::vector<Executor>& executors, const Problem& problem)
{
    std::printf(
        "\n#### Set-up and solve\n\nParILU and ParILUT with their default numbers of steps and sweeps. Entries: of the "
        "factors, over those of A.\n\n| preconditioner | entries |");
    std::string rule = "|---|---:|";
    for (const auto& exec : executors) {
        std::printf(" %s: it. | set-up, s | solve, s | total, s |", exec.name().c_str());
        rule += "---:|---:|---:|---:|";
    }
    std::printf("\n%s\n", rule.c_str());
    for (const auto& [label, preconditioner] : methods()) {
        std::string row;
        double nonzeros = NAN;
        for (const auto& exec : executors) {
            const auto found = measure(options, preconditioner, problem, exec, options.repeat);
            const auto& run = found.run;
            report(problem.name, label, exec, run);
            nonzeros = found.nonzeros;
            row += " " + iterations_text(run) + " | " + seconds_text(run.setup_seconds) + " | " +
                   seconds_text(run.solve_seconds) + " | " + seconds_text(run.seconds()) + " |";
        }
        std::printf("| %s | %s |%s\n", label.c_str(), format("%.2f", nonzeros).c_str(), row.c_str());
    }
}

/// Settings of ParILUT that pay for different matrices, from a cheap set-up to few iterations.
std::vector<Method> settings_with(const TriangularOptions& solve)
{
    std::vector<Method> all;
    const auto add = [&](SweptThresholdFill p) {
        p.triangular = solve;
        const auto values = p.eliminate ? ", eliminated" : p.sweep_order == SweepOrder::in_place ? ", in place" : "";
        const auto label = "steps " + std::to_string(p.steps) + ", fill " + format("%g", p.fill) + values;
        all.push_back({label, ParIlut<V>::factory(p)});
    };
    add({.steps = 1, .fill = 1});
    add({.steps = 1, .fill = 2});
    add({.steps = 1, .fill = 2, .eliminate = true});
    add({.steps = 1, .fill = 2, .factor_sweeps = 1, .sweep_order = SweepOrder::in_place});
    add({.steps = 3, .fill = 2});
    add({.steps = 5, .fill = 4});
    return all;
}

/// Tries each setting once, and measures the fastest. Where the solve takes less than half of the set-up, those after
/// it, whose set-up takes longer, are left out.
std::pair<std::string, Run> best_of(const Options& options, const std::vector<Method>& settings,
                                    const std::string& solve, const Problem& problem, const Executor& exec)
{
    const Method* best = nullptr;
    Run fastest{.status = "none"};
    for (const auto& setting : settings) {
        if (fastest.solve_seconds < fastest.setup_seconds / 2) {
            break;
        }
        const auto run = measure(options, setting.preconditioner, problem, exec, 1).run;
        report(problem.name, solve + ", " + setting.label, exec, run);
        if (run.status.empty() && (best == nullptr || run.seconds() < fastest.seconds())) {
            best = &setting;
            fastest = run;
        }
    }
    if (best == nullptr) {
        return {"", fastest};
    }
    return {best->label, measure(options, best->preconditioner, problem, exec, options.repeat).run};
}

std::string milliseconds_text(double seconds) { return format("%.3g", 1e3 * seconds); }

std::string cell_of(const Run& run)
{
    if (!run.status.empty()) {
        return run.status;
    }
    return iterations_text(run) + ": " + milliseconds_text(run.setup_seconds) + " + " +
           milliseconds_text(run.solve_seconds);
}

void print_best_row(const Options& options, const Problem& problem, const Executor& exec)
{
    std::string row = "| " + problem.name;
    double others = INFINITY, best = INFINITY;
    for (const auto& [label, preconditioner] : methods()) {
        if (label == "MC-SGS" || label == "ILU(0)" || label.starts_with("ILUT")) {
            const auto run = measure(options, preconditioner, problem, exec, options.repeat).run;
            report(problem.name, label, exec, run);
            others = std::fmin(others, run.seconds());
            row += " | " + cell_of(run);
        }
    }
    std::string best_label = "none";
    for (const auto& [name, solve] : triangular_solves) {
        const auto [label, run] = best_of(options, settings_with(solve), std::string(name), problem, exec);
        row += " | " + cell_of(run);
        if (run.seconds() < best) {
            best = run.seconds();
            best_label = std::string(name) + ", " + label;
        }
    }
    std::printf("%s | %s | %s |\n", row.c_str(), best_label.c_str(), format("%.2f", best / others).c_str());
    std::fflush(stdout);
}

void print_best(const Options& options, const std::vector<Executor>& executors, const std::vector<Problem>& problems)
{
    for (const auto& exec : executors) {
        std::printf(
            "\n### Time to solution, %s\n\nIterations: ms of set-up + ms of solve. Of ParILUT the fastest of these "
            "settings for each kind of triangular solves:",
            exec.name().c_str());
        for (const auto& [label, preconditioner] : settings_with({})) {
            std::printf(" %s;", label.c_str());
        }
        std::printf(
            " the one that is fastest of all is named. The last column: its time over that of the fastest of MC-SGS, "
            "ILU(0) and ILUT.\n\n| matrix | MC-SGS | ILU(0) | ILUT(10, 1e-5) |");
        for (const auto& [name, solve] : triangular_solves) {
            std::printf(" ParILUT, %s |", std::string(name).c_str());
        }
        std::printf(" fastest of ParILUT | ratio |\n|---|---:|---:|---:|---:|---:|---:|---:|---|---:|\n");
        for (const auto& problem : problems) {
            print_best_row(options, problem, exec);
        }
    }
}

void print_introduction(const Options& options, const std::vector<Executor>& executors)
{
    std::printf(
        "GMRES(%d), b = 1, x0 = 0, relative residual 1e-10, at most 2000 iterations, double, int32; medians of %d.\n",
        options.restart, options.repeat);
    print_executors(executors);
}

/// What is drawn at the end.
struct Charts {
    LineChart steps;
    StackedChart parts{"Parts of the set-up of ParILUT", {setup_part_names.begin(), setup_part_names.end()}, {}};
};

void run_problem(const Options& options, const std::vector<Executor>& executors, const Problem& problem, Charts& charts)
{
    std::printf("\n### %s\n\nn = %lld, nnz = %lld.\n", problem.name.c_str(),
                static_cast<long long>(problem.data.size.rows), static_cast<long long>(problem.data.num_nonzeros()));
    if (options.has("steps")) {
        std::vector<StepsRuns> runs;
        for (const auto& exec : executors) {
            runs.push_back(measure_steps(options, problem, exec));
        }
        print_steps(options, executors, runs);
        charts.steps.panels.push_back(lines_of(options, problem.name, runs.back()));
    }
    if (options.has("parts")) {
        const auto parts = measure_all_parts(options, executors, problem);
        std::printf(
            "\n#### Parts of the set-up, Figures 11 and 12\n\nFill %g, steps: %d, sweeps: %d. The fastest of %d "
            "set-ups.\n\n",
            options.fills.back(), options.steps, options.sweeps.front(), options.repeat);
        print_parts(parts);
        charts.parts.groups.push_back(bars_of(problem.name, parts));
    }
    if (options.has("solve")) {
        print_solves(options, executors, problem);
    }
    std::fflush(stdout);
}

void run_all(const Options& options)
{
    const auto executors = executors_of(options);
    OutputFile steps_file(options.svg, "--svg"), parts_file(options.parts, "--parts"),
        selection_file(options.selection, "--selection");
    tool::check_distinct({&steps_file, &parts_file, &selection_file}, options.matrices);
    const auto problems = load_all(options.matrices);
    print_introduction(options, executors);
    if (options.has("selection")) {
        const auto rates = measure_selections(executors, options.largest, options.repeat);
        print_selections(rates);
        if (selection_file) {
            selection_file.write(draw(chart_of(rates)));
        }
    }
    Charts charts{{"GMRES with ParILUT, " + executors.back().name(), "steps", "iterations", {}}};
    for (int steps = 0; steps <= options.steps; ++steps) {
        charts.steps.places.push_back(std::to_string(steps));
    }
    for (const auto& problem : problems) {
        if (options.has("steps") || options.has("parts") || options.has("solve")) {
            run_problem(options, executors, problem, charts);
        }
    }
    if (options.has("best")) {
        print_best(options, executors, problems);
    }
    if (steps_file) {
        steps_file.write(draw(charts.steps));
    }
    if (parts_file) {
        parts_file.write(draw(charts.parts));
    }
}

void run(const std::vector<std::string>& arguments)
{
    const auto options = parse(arguments);
    if (options.help) {
        std::printf("%s\n%s", std::string(usage).c_str(), problem_help().c_str());
    } else {
        run_all(options);
    }
}

}  // namespace
}  // namespace linden::benchmarks

int main(int argc, char** argv) { return linden::benchmarks::run_program(linden::benchmarks::run, argc, argv); }
