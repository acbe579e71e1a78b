// The experiment of M. Naumov, Incomplete-LU and Cholesky Preconditioned Iterative Methods Using CUSPARSE and CUBLAS
// (NVIDIA, 2011), section 5: BiCGStab with ILU(0) and ILUT(k, tol), CG with IC(0) and ICT(k, tol) where A is Hermitian
// with a positive diagonal; b = A 1, x0 = 0, relative residual 1e-7, at most 2000 iterations; its Tables 2 to 5.

#include <linden/matrix/statistics.hpp>
#include <linden/preconditioner/ic.hpp>
#include <linden/preconditioner/ilu.hpp>
#include <linden/solver/bicgstab.hpp>
#include <linden/solver/cg.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "core/base/nearest_name.hpp"

#include "tools/load.hpp"
#include "tools/measure.hpp"
#include "tools/output_file.hpp"
#include "tools/svg.hpp"

namespace linden::benchmarks {
namespace {

using tool::median;
using tool::OutputFile;
using tool::timed;
using tool::UsageError;
using V = double;
using I = std::int32_t;

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

struct Options {
    std::vector<std::string> executors{"reference", "omp"};
    std::vector<std::string> matrices;
    std::vector<Fill> fills{
        {"ilu0"}, {"ilut(5, 1e-3)", 5, 1e-3}, {"ilut(10, 1e-5)", 10, 1e-5}, {"ilut(20, 1e-7)", 20, 1e-7}};
    std::string svg;
    int repeat = 3;
    bool help = false;
};

struct Problem {
    std::string name;
    CsrData<V, I> data;
    bool positive = false;  ///< Hermitian with a positive diagonal
};

/// What became of one matrix with one preconditioner on one executor.
struct Run {
    bool converged = false;
    std::string iterations;  ///< or what went wrong
    double factorization_seconds = 0;
    double solve_seconds = 0;
    double residual = NAN;
    double seconds() const { return converged ? factorization_seconds + solve_seconds : NAN; }
};

/// runs[problem][fill][executor]
using Runs = std::vector<std::vector<std::vector<Run>>>;

std::vector<std::string> split(std::string_view list)
{
    std::vector<std::string> names;
    for (std::size_t begin = 0; begin <= list.size();) {
        const auto end = std::min(list.find(',', begin), list.size());
        names.emplace_back(list.substr(begin, end - begin));
        begin = end + 1;
    }
    return names;
}

int parse_count(const std::string& option, std::string_view text)
{
    int count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc() || end != text.data() + text.size() || count < 1) {
        throw UsageError(option + ": expected an integer of at least 1");
    }
    return count;
}

Options parse(const std::vector<std::string>& arguments)
{
    Options options;
    for (const auto& argument : arguments) {
        const auto value = argument.substr(std::min(argument.find('=') + 1, argument.size()));
        if (argument == "--help" || argument == "-h") {
            options.help = true;
        } else if (argument.starts_with("--executors=")) {
            options.executors = split(value);
        } else if (argument.starts_with("--repeat=")) {
            options.repeat = parse_count(argument, value);
        } else if (argument == "--only=ilu0" || argument == "--only=ilut") {
            std::erase_if(options.fills, [&](const Fill& fill) { return !fill.name.starts_with(value); });
        } else if (argument.starts_with("--only=")) {
            throw UsageError(argument + ": " + expected_one_of(value, {"ilu0", "ilut"}));
        } else if (argument == "--svg=") {
            throw UsageError("--svg=: expected the name of a file");
        } else if (argument.starts_with("--svg=")) {
            options.svg = value;
        } else if (argument.starts_with("-")) {
            throw UsageError(argument + " is no option; --help lists them");
        } else {
            options.matrices.push_back(argument);
        }
    }
    if (options.matrices.empty() && !options.help) {
        throw UsageError("give a matrix or several: Matrix Market files, or problems such as lap2d:300");
    }
    return options;
}

bool has_positive_diagonal(const CsrData<V, I>& a)
{
    for (size_type row = 0; row < a.size.rows; ++row) {
        const auto* const first = a.col_idxs.data() + a.row_ptrs[row];
        const auto* const last = a.col_idxs.data() + a.row_ptrs[row + 1];
        const auto* const found = std::lower_bound(first, last, static_cast<I>(row));
        if (found == last || *found != row || !(a.values[found - a.col_idxs.data()] > 0)) {
            return false;
        }
    }
    return true;
}

Problem load(const std::string& spec)
{
    const bool is_file = spec.ends_with(".mtx") || spec.ends_with(".mtx.gz");
    auto data = tool::load_matrix<V, I>(is_file ? spec : "", spec);
    if (data.size.rows != data.size.cols || data.size.rows == 0) {
        throw UsageError(spec + " is " + std::to_string(data.size.rows) + " x " + std::to_string(data.size.cols) +
                         "; expected a square matrix with rows");
    }
    const bool hermitian = statistics(Csr<V, I>(Executor::reference(), data)).is_hermitian;
    const auto file = std::filesystem::path(spec).filename().string();
    return {is_file ? file.substr(0, file.find(".mtx")) : spec, data, hermitian && has_positive_diagonal(data)};
}

FactoryPtr<V> preconditioner(const Fill& fill, bool positive)
{
    if (fill.tol == 0) {
        return positive ? FactoryPtr<V>(Ic0<V>::factory()) : FactoryPtr<V>(Ilu0<V>::factory());
    }
    return positive ? FactoryPtr<V>(Ict<V>::factory({.k = fill.k, .tol = fill.tol}))
                    : FactoryPtr<V>(Ilut<V>::factory({.k = fill.k, .tol = fill.tol}));
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

/// The factorization's time is that of making the solver: factors, and the analysis of their triangles. Devices load
/// their kernels at first use, in a factorization and a few iterations that are not timed; every executor has a few
/// iterations before those that are, which take the vectors.
Run measure(const LinOpFactory<V>& factory, const Problem& problem, const Executor& exec, int repeat)
{
    const LinOpPtr<V> a = share(Csr<V, I>(exec, problem.data));
    const auto ones = Dense<V>::filled(exec, {a->size().rows, 1}, 1);
    Dense<V> b(exec, ones.size()), x(exec, ones.size());
    a->apply(ones, b);
    std::unique_ptr<LinOp<V>> made;
    const auto solve = [&](const SolveOptions& options) {
        return static_cast<const Solver<V>&>(*made).solve(b, x, options).columns.front();
    };
    std::vector<double> factorization_times, solve_times;
    for (int i = exec.is_host() ? 0 : -1; i < repeat; ++i) {
        made = nullptr;
        const auto seconds = timed(exec, [&] { made = factory.make(a); });
        if (i >= 0) {
            factorization_times.push_back(seconds);
        }
    }
    x.fill(0);
    solve({.max_iterations = 10});
    ColumnResult result;
    for (int i = 0; i < repeat; ++i) {
        x.fill(0);
        solve_times.push_back(timed(exec, [&] { result = solve({}); }));
    }
    const auto factors = static_cast<const Solver<V>&>(*made).preconditioner();
    const auto bad = dynamic_cast<const IncompleteFactorization<V>&>(*factors).num_bad_pivots();
    return {result.status == SolveStatus::converged, iterations(result, bad), median(factorization_times),
            median(solve_times), result.relative_residual()};
}

/// What an executor cannot do, for want of memory or of a kernel, is a row like others.
Run measure_or_say_why_not(const Fill& fill, const Problem& problem, const Executor& exec, int repeat)
{
    try {
        return measure(*method(fill, problem.positive), problem, exec, repeat);
    } catch (const Error& error) {
        return {.iterations = error.what()};
    }
}

std::string format(const char* how, double value)
{
    char text[40];
    std::snprintf(text, sizeof text, how, value);
    return std::isfinite(value) ? text : "";
}

std::string seconds_text(double seconds) { return format(seconds < 100 ? "%.3g" : "%.0f", seconds); }

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
std::vector<double> speed_ups(const std::vector<std::vector<Run>>& runs, const Options& options, std::size_t f,
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
    for (const auto& exec : executors) {
        const auto info = exec.info();
        std::printf("%s: %s, units: %d.\n", exec.name().c_str(), info.name.c_str(), info.num_units);
    }
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

struct Bar {
    std::string label;
    double value = NAN;
    std::size_t colour = 0;
};

/// Speed-ups over the first executor, or the times of the only one.
std::vector<Bar> bars_of(const std::vector<std::vector<Run>>& runs, const Options& options,
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

double longest(const std::vector<Bar>& bars)
{
    double length = 0;
    for (const auto& bar : bars) {
        length = bar.value > length ? bar.value : length;
    }
    return length;
}

/// A group of bars for each matrix; a star where a solve has failed. Speed-ups share one scale, times have one for each
/// matrix.
std::string bar_chart(const Options& options, const std::vector<Executor>& executors,
                      const std::vector<Problem>& problems, const Runs& runs)
{
    namespace svg = tool::svg;
    using svg::Anchor;
    constexpr double left = 180, length = 420, step = 16, top = 40;
    constexpr std::string_view colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7"};
    const bool are_times = executors.size() == 1;
    const auto title = are_times ? "Factorization and solve, s, " + executors.front().name()
                                 : "Speed-up over " + executors.front().name();
    double scale = 0;
    std::string body;
    std::vector<std::vector<Bar>> groups;
    for (const auto& of_problem : runs) {
        groups.push_back(bars_of(of_problem, options, executors));
        scale = std::max(scale, longest(groups.back()));
    }
    double y = top;
    for (std::size_t p = 0; p < problems.size(); ++p) {
        body += svg::text(10, y += step, svg::escaped(problems[p].name), Anchor::start, "font-weight=\"bold\"");
        const double unit = length / (are_times ? longest(groups[p]) : scale);
        for (const auto& bar : groups[p]) {
            const double end = left + (std::isfinite(bar.value) ? unit * bar.value : 0);
            body += svg::text(left - 6, y += step, svg::escaped(bar.label), Anchor::end);
            body += svg::line(left, y - 4, end, y - 4,
                              "stroke-width=\"11\" stroke=\"" + std::string(colours[bar.colour]) + "\"");
            const auto value = are_times ? seconds_text(bar.value) : format("%.3g", bar.value);
            body += svg::text(end + 4, y, value.empty() ? "*" : value, Anchor::start);
        }
        y += step / 2;
    }
    if (!are_times && scale >= 1) {
        const double one = left + length / scale;
        body += svg::line(one, top, one, y, "stroke=\"#222\" stroke-dasharray=\"4 3\"");
    }
    return svg::head(left + length + 80, y + step, title) + svg::text(10, 24, svg::escaped(title), Anchor::start) +
           body + "</svg>\n";
}

void run(const std::vector<std::string>& arguments)
{
    const auto options = parse(arguments);
    if (options.help) {
        std::printf("%s\n%s", std::string(usage).c_str(), problem_help().c_str());
        return;
    }
    std::vector<Executor> executors;
    for (const auto& name : options.executors) {
        executors.push_back(Executor::create(name));
    }
    OutputFile svg(options.svg, "--svg");
    tool::check_distinct({&svg}, options.matrices);
    std::vector<Problem> problems;  // all before the first is timed, so that a wrong one is known at once
    for (const auto& matrix : options.matrices) {
        problems.push_back(load(matrix));
    }
    const auto runs = measure_all(options, executors, problems);
    print_tables(options, executors, problems, runs);
    if (svg) {
        svg.write(bar_chart(options, executors, problems, runs));
    }
}

}  // namespace
}  // namespace linden::benchmarks

int main(int argc, char** argv)
{
    try {
        linden::benchmarks::run({argv + 1, argv + argc});
        return linden::tool::success;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return linden::tool::failure;
    }
}
