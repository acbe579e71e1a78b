// needs: double int32
// The experiment of R. Gupta, M. B. van Gijzen and C. Vuik, Efficient Two-Level Preconditioned Conjugate Gradient
// Method on the GPU (Delft University of Technology, Report 11-15, 2011), section 7: CG with the preconditioners of its
// section 3, without and with deflation by 2n stripes (its section 4.1), on two-phase problems with contrast 1000; the
// iterations of its Figures 11 and 16, the speed-ups of Figures 12 to 14, the times of Figure 15. Then the time to
// solution beside the best methods of the experiments ilu-ic and multi-colouring.
//
// Exact solution x_i = cos(i - 1), b = A x, random x0, ||r|| <= 1e-6 ||b||, its section 2.2; Dirichlet conditions on
// one side, opposite the interface, and rows numbered along it, as deflation-spectra has them for its Table 1.
// Of the numberings with these sides it is the one in which deflation saves more, towards the half of its Figure 11.

#include <linden/config/config.hpp>

#include "benchmark/papers/chart.hpp"
#include "benchmark/papers/experiment.hpp"
#include "benchmark/papers/two-level.hpp"
#include "core/base/nearest_name.hpp"

namespace linden::benchmarks {
namespace {

constexpr std::string_view usage =
    "usage: linden_benchmark_paper_deflation [OPTION]... [MATRIX]...\n"
    "  MATRIX           where methods race for the solution: a problem such as bubbles:256:12:1000:1, or a Matrix "
    "Market\n"
    "                   file; positive definite [twophase, bubbles and bubbles3d]\n"
    "  --executors=A,B  executors, of reference, omp, cuda and hip; speed-ups are over the first [reference,omp]\n"
    "  --repeat=K       times are medians of K runs [3]\n"
    "  --grids=A,B      points on a side of the two-phase problems [16,32,64,128]\n"
    "  --boundary=SIDES their sides with Dirichlet conditions, some of l, r, b and t [b]\n"
    "  --turned         lines of rows across the interface of two-phase problems, in place of along\n"
    "  --given          the given matrices throughout, in place of the scaled ones\n"
    "  --tolerance=EPS  ||r|| <= EPS ||b|| [1e-6, in the race 1e-10, so that errors are alike]\n"
    "  --full           also a grid of 1024 x 1024, and larger problems for the race; always with cuda\n"
    "  --only=PART      grids or race\n"
    "  --svg=FILE       draws iterations without and with deflation, on the first executor\n"
    "  --times=FILE     draws the times of the solves with deflation\n";

struct Options : CommonOptions {
    std::vector<std::string> grids;
    std::string boundary{dirichlet_sides};
    std::string only;
    std::string times;
    std::string tolerance = "1e-6";
    std::string race_tolerance = "1e-10";
    Form form = Form::scaled;
    bool is_turned = false;
    bool is_full = false;
};

/// A solver and its preconditioner, as configurations have them.
struct Method {
    std::string label;
    std::string preconditioner;
    std::string solver = "cg";
    bool is_given = false;  ///< needs the matrix that is not scaled
};

Options parse(const std::vector<std::string>& arguments)
{
    Options options;
    for (const auto& argument : arguments) {
        if (argument.starts_with("--grids=")) {
            options.grids = split(value_of(argument));
            for (const auto& side : options.grids) {
                (void)parse_count(argument, side);
            }
        } else if (argument.starts_with("--boundary=")) {
            options.boundary = value_of(argument);
        } else if (argument.starts_with("--tolerance=")) {
            options.tolerance = options.race_tolerance = value_of(argument);
        } else if (argument == "--turned") {
            options.is_turned = true;
        } else if (argument == "--given") {
            options.form = Form::given;
        } else if (argument == "--full") {
            options.is_full = true;
        } else if (argument == "--only=grids" || argument == "--only=race") {
            options.only = value_of(argument);
        } else if (argument.starts_with("--only=")) {
            throw UsageError(argument + ": " + expected_one_of(value_of(argument), {"grids", "race"}));
        } else if (argument.starts_with("--times=")) {
            options.times = file_of(argument);
        } else {
            take_argument(argument, options);
        }
    }
    if (options.only == "race" && !(options.svg + options.times).empty()) {
        throw UsageError("--svg and --times draw the grids, which --only=race leaves out");
    }
    return options;
}

/// What is left out of the command line.
void complete(Options& options)
{
    options.is_full = options.is_full ||
                      std::ranges::any_of(options.executors, [](const auto& name) { return name.starts_with("cuda"); });
    if (options.grids.empty()) {
        options.grids = {"16", "32", "64", "128"};
        if (options.is_full) {
            options.grids.emplace_back("1024");
        }
    }
    if (options.matrices.empty()) {
        options.matrices = {"twophase:256:1000:b", "bubbles:256:12:1000:1", "bubbles3d:40:8:1000:1"};
        if (options.is_full) {
            options.matrices = {"twophase:1024:1000:b", "bubbles:1024:25:1000:1", "bubbles3d:100:8:1000:1"};
        }
    }
}

/// A square or a cube of n points on a side; files are taken for squares.
struct Grid {
    explicit Grid(const Problem& problem)
        : rows(problem.data.size.rows),
          dimensions(problem.name.find("3d:") != std::string::npos || problem.name.starts_with("st27:") ? 3 : 2),
          n(std::max<size_type>(1, std::llround(std::pow(static_cast<double>(rows), 1.0 / dimensions))))
    {
    }
    /// Rows of a line of the square, or of a plane of the cube.
    size_type line() const { return std::max<size_type>(1, rows / n); }

    size_type rows;
    int dimensions;
    size_type n;
};

/// Section 7.2: 2n stripes, in the plane half a line each.
std::string deflated_cg(const Grid& grid)
{
    return "deflatedcg:kind=stripes,vectors=" + std::to_string(std::min(2 * grid.n, grid.rows));
}

/// The deflation of the paper's reference [5]: 16 x 16 boxes, or 8 x 8 x 8.
std::string deflated_cg_by_boxes(const Grid& grid)
{
    std::string text = "deflatedcg:kind=boxes";
    const auto boxes = std::to_string(std::min<size_type>(grid.n, grid.dimensions == 2 ? 16 : 8));
    for (int d = 0; d < grid.dimensions; ++d) {
        const char axis = "xyz"[d];
        text += std::string(",n") + axis + "=" + std::to_string(grid.n) + ",boxes_" + axis + "=" + boxes;
    }
    return text;
}

/// @throws InvalidParameter for what there is not
FactoryPtr<V> factory_of(const Method& method, const std::string& tolerance)
{
    const auto* const separator = method.solver.find(':') == std::string::npos ? ":" : ",";
    return config::parse_short<V>(method.solver + separator + "max_iterations=100000,relative_residual=" + tolerance,
                                  method.preconditioner);
}

/// A problem on an executor, with its right-hand side.
class System {
public:
    System(const Problem& problem, const Executor& exec, Form form)
        : name_(problem.name),
          a_(share(matrix_of(problem, exec, form))),
          x0_(Dense<V>::vector(exec, random_vector(static_cast<std::size_t>(a_->size().rows)))),
          b_(exec, x0_.size()),
          exact_(static_cast<std::size_t>(a_->size().rows))
    {
        for (std::size_t i = 0; i < exact_.size(); ++i) {
            exact_[i] = std::cos(static_cast<double>(i));
        }
        a_->apply(Dense<V>::vector(exec, exact_), b_);
    }

    Run solve(const Method& method, const Options& options) const
    {
        double error = NAN;
        auto run = run_or_say_why_not([&] {
            auto x = x0_.copy();
            auto timing = time_solver(*factory_of(method, options.tolerance), a_, b_, x, options.repeat);
            error = relative_error(x.to_host());
            return timing;
        });
        run.relative_error = error;
        report(name_, method.label, a_->executor(), run);
        return run;
    }

private:
    /// ||x_exact - x|| / ||x_exact||, equation (4).
    double relative_error(const std::vector<V>& x) const
    {
        double difference = 0, norm = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            difference += (exact_[i] - x[i]) * (exact_[i] - x[i]);
            norm += exact_[i] * exact_[i];
        }
        return std::sqrt(difference / norm);
    }

    std::string name_;
    LinOpPtr<V> a_;
    Dense<V> x0_, b_;
    std::vector<V> exact_;
};

/// runs[method][executor]
using Runs = std::vector<std::vector<Run>>;

Runs run_all(const std::vector<Method>& methods, const Problem& problem, const std::vector<Executor>& executors,
             const Options& options)
{
    Runs runs(methods.size());
    for (const auto& exec : executors) {
        const System given(problem, exec, Form::given), usual(problem, exec, options.form);
        for (std::size_t m = 0; m < methods.size(); ++m) {
            runs[m].push_back((methods[m].is_given ? given : usual).solve(methods[m], options));
        }
    }
    return runs;
}

/// One grid of the paper: methods without deflation, and the same with it.
struct GridRuns {
    std::string name;
    std::vector<Method> methods;
    Runs plain, deflated;
    Runs inverse, triangular;  ///< deflated, by the inverse of Z^T A Z or by triangular solves in the default's place
};

std::vector<Method> methods_of(const Grid& grid)
{
    std::vector<Method> methods{{"none", "none", "cg", true}, {"diagonal", "jacobi"}};
    for (const auto& [label, text, condition] : two_level_preconditioners(grid.line())) {
        methods.push_back({label, text, "cg", label == "IP"});
    }
    methods.push_back({"Chebyshev", "chebyshev"});
    return methods;
}

GridRuns measure(const Problem& problem, const std::vector<Executor>& executors, const Options& options)
{
    const Grid grid(problem);
    GridRuns runs{problem.name, methods_of(grid), {}, {}, {}, {}};
    const auto deflated = [&](const std::string& label, const std::string& coarse) {
        auto methods = runs.methods;
        for (auto& method : methods) {
            method.label += label;
            method.solver = deflated_cg(grid) + coarse;
        }
        return run_all(methods, problem, executors, options);
    };
    runs.plain = run_all(runs.methods, problem, executors, options);
    runs.deflated = deflated(", deflated", "");
    runs.inverse = deflated(", deflated by the inverse", ",coarse=inverse");
    runs.triangular = deflated(", deflated by Cholesky", ",coarse=cholesky");
    return runs;
}

/// Figures 11 and 16.
void print_iterations(const GridRuns& runs, const Executor& first)
{
    std::printf(
        "| preconditioner | it. on %s | relative error | deflated: it. | relative error | it. saved, factor |\n"
        "|---|---:|---:|---:|---:|---:|\n",
        first.name().c_str());
    for (std::size_t m = 0; m < runs.methods.size(); ++m) {
        const auto &plain = runs.plain[m].front(), &deflated = runs.deflated[m].front();
        std::printf("| %s | %s | %s | %s | %s | %s |\n", runs.methods[m].label.c_str(), iterations_text(plain).c_str(),
                    format("%.1e", plain.relative_error).c_str(), iterations_text(deflated).c_str(),
                    format("%.1e", deflated.relative_error).c_str(),
                    format("%.2f", plain.iterations / deflated.iterations).c_str());
    }
}

void print_cells(const Run& run, const Run& first, bool is_first)
{
    std::printf(" %s | %s |", seconds_text(run.setup_seconds).c_str(), seconds_text(run.solve_seconds).c_str());
    if (!is_first) {
        std::printf(" %s |", format("%.2f", first.solve_seconds / run.solve_seconds).c_str());
    }
}

/// Figures 12 to 15.
void print_times(const GridRuns& runs, const std::vector<Executor>& executors)
{
    std::string rule = "|---|";
    std::printf("\n| preconditioner |");
    for (std::size_t e = 0; e < executors.size(); ++e) {
        std::string cells = "set-up, s | solve, s |";
        cells += e > 0 ? " speed-up |" : "";
        std::printf(" %s: %s deflated: %s", executors[e].name().c_str(), cells.c_str(), cells.c_str());
        rule += e > 0 ? "---:|---:|---:|---:|---:|---:|" : "---:|---:|---:|---:|";
    }
    std::printf("\n%s\n", rule.c_str());
    for (std::size_t m = 0; m < runs.methods.size(); ++m) {
        std::printf("| %s |", runs.methods[m].label.c_str());
        for (std::size_t e = 0; e < executors.size(); ++e) {
            print_cells(runs.plain[m][e], runs.plain[m].front(), e == 0);
            print_cells(runs.deflated[m][e], runs.deflated[m].front(), e == 0);
        }
        std::printf("\n");
    }
}

/// Explicit inverse against triangular solve, Figures 12 to 14, and what the headline runs have, the inverse that is
/// dissected where it is large; the set-up as in Figure 10.
void print_coarse_solvers(const GridRuns& runs, const std::vector<Executor>& executors)
{
    std::string rule = "|---|";
    std::printf("\n| deflated |");
    for (const auto& exec : executors) {
        std::printf(" %s: dissected: it. | set-up, s | solve, s |", exec.name().c_str());
        std::printf(" inverse: it. | set-up, s | solve, s | dissected's gain |");
        std::printf(" Cholesky: it. | set-up, s | solve, s | inverse's gain |");
        rule += "---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|";
    }
    std::printf("\n%s\n", rule.c_str());
    const auto print = [](const Run& run) {
        std::printf(" %s | %s | %s |", iterations_text(run).c_str(), seconds_text(run.setup_seconds).c_str(),
                    seconds_text(run.solve_seconds).c_str());
    };
    const auto print_gain = [](const Run& before, const Run& run) {
        std::printf(" %s |", format("%.2f", before.solve_seconds / run.solve_seconds).c_str());
    };
    for (std::size_t m = 0; m < runs.methods.size(); ++m) {
        std::printf("| %s |", runs.methods[m].label.c_str());
        for (std::size_t e = 0; e < executors.size(); ++e) {
            const auto &dissected = runs.deflated[m][e], &inverse = runs.inverse[m][e];
            const auto& cholesky = runs.triangular[m][e];
            print(dissected);
            print(inverse);
            print_gain(inverse, dissected);
            print(cholesky);
            print_gain(cholesky, inverse);
        }
        std::printf("\n");
    }
}

/// Section 7.1: IP without scaling is left out, as in the paper, and no preconditioner, which is as far off.
BarChart chart_of_iterations(const std::vector<GridRuns>& grids, const Executor& first)
{
    BarChart chart{"Iterations of CG without and with 2n deflation vectors, " + first.name(), {}, true};
    for (const auto& runs : grids) {
        auto& group = chart.groups.emplace_back(BarGroup{runs.name, {}});
        for (std::size_t m = 0; m < runs.methods.size(); ++m) {
            const auto& label = runs.methods[m].label;
            if (label != "none" && label != "IP") {
                group.bars.push_back({label, runs.plain[m].front().iterations, 0});
                group.bars.push_back({label + ", deflated", runs.deflated[m].front().iterations, 1});
            }
        }
    }
    return chart;
}

/// Figure 15, for each grid.
BarChart chart_of_times(const std::vector<GridRuns>& grids, const std::vector<Executor>& executors)
{
    BarChart chart{"Solve with 2n deflation vectors, s", {}, true};
    for (const auto& runs : grids) {
        auto& group = chart.groups.emplace_back(BarGroup{runs.name, {}});
        for (std::size_t e = 0; e < executors.size(); ++e) {
            for (std::size_t m = 0; m < runs.methods.size(); ++m) {
                const auto label = runs.methods[m].label + ", " + executors[e].name();
                group.bars.push_back({label, runs.deflated[m][e].solve_seconds, e});
            }
        }
    }
    return chart;
}

/// The methods of one paper in the race.
struct Team {
    std::string name;
    std::vector<Method> methods;
};

std::vector<Team> teams_of(const Grid& grid)
{
    Team two_level{"paper 4", {}};
    for (const auto& [label, text, condition] : two_level_preconditioners(grid.line())) {
        if (label == "Block-IC(8n)" || label == "IP, scaled" || label == "Neu1" || label == "Neu2") {
            two_level.methods.push_back({label, text});
            two_level.methods.push_back({label + ", deflated", text, deflated_cg(grid)});
        }
    }
    const auto boxes = deflated_cg_by_boxes(grid);
    return {
        {"none", {{"diagonal", "jacobi"}}},
        {"paper 2", {{"IC(0)", "ic0"}, {"ICT(5, 1e-3)", "ict:k=5,tol=1e-3"}, {"ICT(10, 1e-5)", "ict:k=10,tol=1e-5"}}},
        {"paper 3", {{"MCSGS", "mcssor"}, {"MCSGS, Eisenstat", "", "ssorcg"}, {"MC-ILU(0)", "mcilu"}}},
        two_level,
        {"relatives of 4",
         {{"Neu2, boxes", "neumann:order=2", boxes},
          {"Chebyshev", "chebyshev"},
          {"Chebyshev, deflated", "chebyshev", deflated_cg(grid)},
          {"Chebyshev, boxes", "chebyshev", boxes}}}};
}

/// runs[team][method][executor]
struct Race {
    std::string name;
    std::vector<Team> teams;
    std::vector<Runs> runs;
};

Race race_for(const Problem& problem, const std::vector<Executor>& executors, const Options& options)
{
    Race race{problem.name, teams_of(Grid(problem)), {}};
    for (const auto& team : race.teams) {
        race.runs.push_back(run_all(team.methods, problem, executors, options));
    }
    return race;
}

/// The method of a team that is first on executor e; the first method if none has arrived.
std::size_t winner(const Runs& runs, std::size_t e)
{
    std::size_t best = 0;
    for (std::size_t m = 0; m < runs.size(); ++m) {
        const double seconds = runs[m][e].seconds();
        best = seconds < runs[best][e].seconds() || std::isnan(runs[best][e].seconds()) ? m : best;
    }
    return best;
}

/// The best of each paper, in one table.
void print_winners(const std::vector<Race>& races, const std::vector<Executor>& executors, const std::string& tolerance)
{
    std::printf("\n### Time to solution: the best of each paper, ||r|| <= %s ||b||\n\n| problem | executor |",
                tolerance.c_str());
    std::string rule = "|---|---|";
    for (const auto& team : races.front().teams) {
        std::printf(" %s | it. | s |", team.name.c_str());
        rule += "---|---:|---:|";
    }
    std::printf("\n%s\n", rule.c_str());
    for (const auto& race : races) {
        for (std::size_t e = 0; e < executors.size(); ++e) {
            std::printf("| %s | %s |", race.name.c_str(), executors[e].name().c_str());
            for (std::size_t t = 0; t < race.teams.size(); ++t) {
                const auto m = winner(race.runs[t], e);
                const auto& run = race.runs[t][m][e];
                std::printf(" %s | %s | %s |", race.teams[t].methods[m].label.c_str(), iterations_text(run).c_str(),
                            seconds_text(run.seconds()).c_str());
            }
            std::printf("\n");
        }
    }
}

/// All of one problem, the best of each paper in bold.
void print_race(const Race& race, const std::vector<Executor>& executors)
{
    std::printf("\n### Time to solution: %s\n\n| of | method |", race.name.c_str());
    std::string rule = "|---|---|";
    for (const auto& exec : executors) {
        std::printf(" %s: it. | relative error | set-up, s | solve, s | both, s |", exec.name().c_str());
        rule += "---:|---:|---:|---:|---:|";
    }
    std::printf("\n%s\n", rule.c_str());
    for (std::size_t t = 0; t < race.teams.size(); ++t) {
        const auto& team = race.teams[t];
        for (std::size_t m = 0; m < team.methods.size(); ++m) {
            std::printf("| %s | %s |", team.name.c_str(), team.methods[m].label.c_str());
            for (std::size_t e = 0; e < executors.size(); ++e) {
                const auto& run = race.runs[t][m][e];
                const auto* const bold = winner(race.runs[t], e) == m ? "**" : "";
                std::printf(" %s | %s | %s | %s | %s%s%s |", iterations_text(run).c_str(),
                            format("%.1e", run.relative_error).c_str(), seconds_text(run.setup_seconds).c_str(),
                            seconds_text(run.solve_seconds).c_str(), bold, seconds_text(run.seconds()).c_str(), bold);
            }
            std::printf("\n");
        }
    }
}

void print_head(const Options& options, const std::vector<Executor>& executors)
{
    std::printf(
        "CG for the %s matrix, x_i = cos(i - 1), b = A x, x0 random in [-1, 1), ||r|| <= %s ||b|| on grids, "
        "at most 100000 iterations,\ndouble, int32; medians of %d. Relative errors are ||x_exact - x|| / ||x_exact||, "
        "the paper's equation (4); speed-ups those\nof solves alone over %s, its equation (24). Deflation is by 2n "
        "stripes of successive rows, half a line of the grid each,\nwith the inverse of Z^T A Z, dissected "
        "where it is large.\n",
        options.form == Form::given ? "given" : "scaled", options.tolerance.c_str(), options.repeat,
        executors.front().name().c_str());
    if (options.form == Form::scaled) {
        std::printf("`none` and `IP` have the matrix that is not scaled.\n");
    }
    print_executors(executors);
}

/// Other problems than the paper's remain as they are.
Problem load_turned(const std::string& spec, const Options& options)
{
    auto problem = load(spec);
    return options.is_turned && spec.starts_with("twophase:") ? turned(problem) : problem;
}

std::vector<GridRuns> run_grids(const Options& options, const std::vector<Executor>& executors)
{
    std::vector<GridRuns> grids;
    for (const auto& side : options.grids) {
        const auto problem = load_turned("twophase:" + side + ":1000:" + options.boundary, options);
        check_positive({problem});
        grids.push_back(measure(problem, executors, options));
        std::printf("\n### %s\n\n", problem.name.c_str());
        print_iterations(grids.back(), executors.front());
        print_times(grids.back(), executors);
        print_coarse_solvers(grids.back(), executors);
        std::fflush(stdout);
    }
    return grids;
}

void run_races(const std::vector<Problem>& problems, const std::vector<Executor>& executors, const Options& options)
{
    std::vector<Race> races;
    for (const auto& problem : problems) {
        races.push_back(race_for(problem, executors, options));
    }
    print_winners(races, executors, options.tolerance);
    for (const auto& race : races) {
        print_race(race, executors);
    }
}

void run(const std::vector<std::string>& arguments)
{
    auto options = parse(arguments);
    if (options.help) {
        std::printf("%s\n%s", std::string(usage).c_str(), problem_help().c_str());
        return;
    }
    complete(options);
    const auto executors = executors_of(options);
    OutputFile svg(options.svg, "--svg"), times(options.times, "--times");
    tool::check_distinct({&svg, &times}, options.matrices);
    std::vector<Problem> problems;
    for (const auto& spec : options.only == "grids" ? std::vector<std::string>{} : options.matrices) {
        problems.push_back(load_turned(spec, options));
    }
    check_positive(problems);
    (void)load("twophase:2:1000:" + options.boundary);
    (void)factory_of({}, options.tolerance);
    print_head(options, executors);
    const auto grids = options.only == "race" ? std::vector<GridRuns>{} : run_grids(options, executors);
    if (options.only != "grids") {
        options.tolerance = options.race_tolerance;
        run_races(problems, executors, options);
    }
    if (svg) {
        svg.write(draw(chart_of_iterations(grids, executors.front())));
    }
    if (times) {
        times.write(draw(chart_of_times(grids, executors)));
    }
}

}  // namespace
}  // namespace linden::benchmarks

int main(int argc, char** argv) { return linden::benchmarks::run_program(linden::benchmarks::run, argc, argv); }
