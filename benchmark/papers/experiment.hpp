#pragma once

#include <linden/matrix/dense.hpp>
#include <linden/matrix/statistics.hpp>
#include <linden/solver/solver.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/load.hpp"
#include "tools/measure.hpp"
#include "tools/output_file.hpp"

/// What the experiments of papers share: their command lines, matrices and times; their pictures are in chart.hpp.
namespace linden::benchmarks {

using tool::OutputFile;
using tool::UsageError;
using V = double;
using I = std::int32_t;

/// What every experiment takes.
struct CommonOptions {
    std::vector<std::string> executors{"reference", "omp"};
    std::vector<std::string> matrices;
    std::string svg;
    int repeat = 3;
    bool help = false;
};

inline std::vector<std::string> split(std::string_view list)
{
    std::vector<std::string> names;
    for (std::size_t begin = 0; begin <= list.size();) {
        const auto end = std::min(list.find(',', begin), list.size());
        names.emplace_back(list.substr(begin, end - begin));
        begin = end + 1;
    }
    return names;
}

inline int parse_count(const std::string& option, std::string_view text)
{
    int count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc() || end != text.data() + text.size() || count < 1) {
        throw UsageError(option + ": expected an integer of at least 1");
    }
    return count;
}

/// What follows the first `=`, empty if there is none.
inline std::string value_of(const std::string& argument)
{
    return argument.substr(std::min(argument.find('=') + 1, argument.size()));
}

/// A file's name in an option that needs one.
inline std::string file_of(const std::string& argument)
{
    const auto file = value_of(argument);
    if (file.empty()) {
        throw UsageError(argument + ": expected the name of a file");
    }
    return file;
}

/// Takes an argument that no experiment has for itself.
inline void take_argument(const std::string& argument, CommonOptions& options)
{
    if (argument == "--help" || argument == "-h") {
        options.help = true;
    } else if (argument.starts_with("--executors=")) {
        options.executors = split(value_of(argument));
    } else if (argument.starts_with("--repeat=")) {
        options.repeat = parse_count(argument, value_of(argument));
    } else if (argument.starts_with("--svg=")) {
        options.svg = file_of(argument);
    } else if (argument.starts_with("-")) {
        throw UsageError(argument + " is no option; --help lists them");
    } else {
        options.matrices.push_back(argument);
    }
}

inline void check_has_matrices(const CommonOptions& options)
{
    if (options.matrices.empty() && !options.help) {
        throw UsageError("give a matrix or several: Matrix Market files, or problems such as lap2d:300");
    }
}

inline std::vector<Executor> executors_of(const CommonOptions& options)
{
    std::vector<Executor> executors;
    for (const auto& name : options.executors) {
        executors.push_back(Executor::create(name));
    }
    return executors;
}

inline bool has_positive_diagonal(const CsrData<V, I>& a)
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

struct Problem {
    std::string name;
    CsrData<V, I> data;
    bool positive = false;  ///< Hermitian with a positive diagonal
};

inline Problem load(const std::string& spec)
{
    const bool is_file = spec.ends_with(".mtx") || spec.ends_with(".mtx.gz");
    auto data = is_file ? read_matrix<V, I>(spec) : generate_problem<V, I>(spec);
    if (data.size.rows != data.size.cols || data.size.rows == 0) {
        throw UsageError(spec + " is " + std::to_string(data.size.rows) + " x " + std::to_string(data.size.cols) +
                         "; expected a square matrix with rows");
    }
    const bool hermitian = statistics(Csr<V, I>(Executor::reference(), data)).is_hermitian;
    const auto file = std::filesystem::path(spec).filename().string();
    return {is_file ? file.substr(0, file.find(".mtx")) : spec, data, hermitian && has_positive_diagonal(data)};
}

/// All before the first is timed, so that a wrong one is known at once.
inline std::vector<Problem> load_all(const std::vector<std::string>& specs)
{
    std::vector<Problem> problems;
    for (const auto& spec : specs) {
        problems.push_back(load(spec));
    }
    return problems;
}

/// @throws UsageError
inline void check_positive(const std::vector<Problem>& problems)
{
    for (const auto& problem : problems) {
        if (!problem.positive) {
            throw UsageError(problem.name + " is not symmetric with a positive diagonal");
        }
    }
}

/// Multiples of 2^-24 in [-1, 1), the same in every run.
inline std::vector<V> random_vector(std::size_t n)
{
    std::uint64_t state = 1;
    std::vector<V> x(n);
    for (auto& value : x) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        value = static_cast<double>(state >> 39) * 0x1p-24 - 1;
    }
    return x;
}

/// A solve and what it took; medians.
struct Timing {
    ColumnResult result;
    std::shared_ptr<const LinOp<V>> preconditioner;
    double setup_seconds = 0;
    double solve_seconds = 0;
};

/// Makes solvers with `factory` and solves A x = b from the given x with the last; x becomes the solution. Devices load
/// their kernels at first use, in a set-up and a few iterations that are not timed; every executor has a few iterations
/// before those that are, which take the vectors.
inline Timing time_solver(const LinOpFactory<V>& factory, const LinOpPtr<V>& a, const Dense<V>& b, Dense<V>& x,
                          int repeat)
{
    const auto& exec = a->executor();
    const auto x0 = x.copy();
    std::unique_ptr<LinOp<V>> made;
    const auto solve = [&](const SolveOptions& options) {
        return static_cast<const Solver<V>&>(*made).solve(b, x, options).columns.front();
    };
    std::vector<double> setup_times, solve_times;
    for (int i = exec.is_host() ? 0 : -1; i < repeat; ++i) {
        made = nullptr;
        const auto seconds = tool::timed(exec, [&] { made = factory.make(a); });
        if (i >= 0) {
            setup_times.push_back(seconds);
        }
    }
    solve({.max_iterations = 10});
    Timing timing;
    for (int i = 0; i < repeat; ++i) {
        x.copy_from(x0);
        solve_times.push_back(tool::timed(exec, [&] { timing.result = solve({}); }));
    }
    timing.preconditioner = static_cast<const Solver<V>&>(*made).preconditioner();
    timing.setup_seconds = tool::median(setup_times);
    timing.solve_seconds = tool::median(solve_times);
    return timing;
}

/// The same from x = 0, when the solution is not asked for.
inline Timing time_solver(const LinOpFactory<V>& factory, const LinOpPtr<V>& a, const Dense<V>& b, int repeat)
{
    auto x = Dense<V>::filled(a->executor(), b.size(), 0);
    return time_solver(factory, a, b, x, repeat);
}

/// What became of one system with one method on one executor.
struct Run {
    std::string status;  ///< or what went wrong; empty if all is well
    double iterations = NAN;
    double setup_seconds = NAN;
    double solve_seconds = NAN;
    double relative_error = NAN;  ///< of x, where that is known
    double seconds() const { return setup_seconds + solve_seconds; }
};

/// What an executor cannot do, for want of memory or of a kernel, is a run like others.
template <class TimeIt>
Run run_or_say_why_not(TimeIt&& time_it)
{
    try {
        const Timing timing = time_it();
        if (timing.result.status != SolveStatus::converged) {
            return {.status = std::string(name(timing.result.status))};
        }
        return {{}, static_cast<double>(timing.result.iterations), timing.setup_seconds, timing.solve_seconds};
    } catch (const Error& error) {
        return {.status = error.what()};
    }
}

/// Empty if `value` is not finite.
inline std::string format(const char* how, double value)
{
    char text[40];
    std::snprintf(text, sizeof text, how, value);
    return std::isfinite(value) ? text : "";
}

inline std::string seconds_text(double seconds) { return format(seconds < 100 ? "%.3g" : "%.0f", seconds); }

inline std::string iterations_text(const Run& run)
{
    return run.status.empty() ? format("%.0f", run.iterations) : run.status;
}

/// A line of progress.
inline void report(const std::string& problem, const std::string& method, const Executor& exec, const Run& run)
{
    std::fprintf(stderr, "%s, %s, %s: %s iterations, %s s and %s s\n", problem.c_str(), method.c_str(),
                 exec.name().c_str(), iterations_text(run).c_str(), seconds_text(run.setup_seconds).c_str(),
                 seconds_text(run.solve_seconds).c_str());
}

inline void print_executors(const std::vector<Executor>& executors)
{
    for (const auto& exec : executors) {
        const auto info = exec.info();
        std::printf("%s: %s, units: %d.\n", exec.name().c_str(), info.name.c_str(), info.num_units);
    }
}

/// What main() of an experiment is.
inline int run_program(void (*run)(const std::vector<std::string>&), int argc, char** argv)
{
    try {
        run({argv + 1, argv + argc});
        return tool::success;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return tool::failure;
    }
}

}  // namespace linden::benchmarks
