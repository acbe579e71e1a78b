// needs: double int32
#include <linden/error.hpp>
#include <linden/io/matrix_market.hpp>
#include <linden/matrix/csr.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/preconditioner/multi_elimination.hpp>
#include <linden/solver/direct.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <sstream>
#include <utility>

#include "benchmark/direct/others.hpp"

/// Prints a table of direct solvers for matrices in files, tab-separated: milliseconds of processor time, or with
/// --wall and on devices of the wall clock, the componentwise backward error of the solution of A x = A 1, entries of
/// the factors. Among them is multi-elimination without dropping, whose solve is one application. usage:
/// linden_benchmark_direct [--executor=cuda|hip | --threads=N] [--wall] [--skip-others] [--solvers=NAME;...]
/// [--columns=K] FILE.mtx...   K: right-hand sides of Linden's solvers
namespace linden::bench {
namespace {

size_type num_columns = 1;

/// The largest of all columns.
double error_of(const Csr<double, std::int32_t>& a, const Dense<double>& b, const std::vector<double>& x)
{
    if (x.empty()) {
        return NAN;
    }
    const auto errors =
        componentwise_backward_error<double>(a, b, Dense<double>::from_host(a.executor(), {b.size(), x}));
    return *std::max_element(errors.begin(), errors.end());
}

/// A times (1, 1, ...), A times (2, 2, ...) and so on.
Dense<double> right_hand_sides(const Csr<double, std::int32_t>& a, size_type columns)
{
    DenseData<double> ones{{a.size().rows, columns}, {}};
    for (size_type i = 0; i < a.size().rows * columns; ++i) {
        ones.values.push_back(static_cast<double>(1 + i % columns));
    }
    Dense<double> b(a.executor(), ones.size);
    a.apply(Dense<double>::from_host(a.executor(), ones), b);
    return b;
}

void print_row(const std::string& matrix, const Matrix& a, const std::string& solver, const DirectTimes& t,
               double error, const std::string& remark)
{
    const auto milliseconds = [](double seconds) { return seconds < 0 ? NAN : 1e3 * seconds; };
    std::printf("%s\t%lld\t%lld\t%s\t%.4g\t%.4g\t%.4g\t%.4g\t%.2g\t%.0f\t%s\n", matrix.c_str(),
                static_cast<long long>(a.size.rows), static_cast<long long>(a.num_nonzeros()), solver.c_str(),
                milliseconds(t.analysis), milliseconds(t.factorization), milliseconds(t.refactorization),
                milliseconds(t.solve), error, t.entries, remark.c_str());
    std::fflush(stdout);
}

/// A factory's set-up, update and solve(operator, b, x), measured; an operator that `finish` can ask.
template <class Factory, class Solve, class Finish>
void run_linden(const std::string& matrix, const Matrix& data, const Executor& exec, const std::string& name,
                const Factory& factory, const Solve& solve, const Finish& finish)
{
    const auto a = share(Csr<double, std::int32_t>(exec, data));
    const auto b = right_hand_sides(*a, num_columns);
    DirectTimes times;
    std::string remark;
    const auto now = [&exec] {
        if (exec.is_host()) {
            return host_seconds();
        }
        exec.synchronize();
        return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    };
    try {
        decltype(factory.generate(a)) solver;
        // What is not the numeric phase, which has no other name here than that for new values.
        const double setup = median_seconds([&] { solver = factory.generate(a); }, now);
        times.factorization = times.refactorization = median_seconds([&] { solver->update_values(a); }, now);
        times.analysis = setup - times.factorization;
        Dense<double> x(exec, b.size());
        times.solve = median_seconds([&] { solve(*solver, b, x); }, now);
        times.x = x.to_host();
        remark = finish(*solver, times);
    } catch (const Error& e) {
        remark = e.what();
    }
    print_row(matrix, data, name, times, error_of(*a, b, times.x), remark);
}

template <class Solver>
void run_direct(const std::string& matrix, const Matrix& data, const Executor& exec)
{
    SolveResult result;
    run_linden(
        matrix, data, exec, std::string(Solver::type_name), Solver::factory(),
        [&](const Solver& solver, const Dense<double>& b, Dense<double>& x) {
            x.fill(0);
            result = solver.solve(b, x);
        },
        [&](const Solver& solver, DirectTimes& times) {
            times.entries = static_cast<double>(solver.factor_size().entries);
            return std::string(name(result.status())) + ", " + std::to_string(result.iterations()) + " steps, " +
                   std::to_string(solver.num_replaced_pivots()) + " replaced" +
                   (solver.has_partial_pivoting() ? ", partial pivoting" : "") +
                   (solver.num_unmatched_rows() > 0 ? ", structurally singular" : "");
        });
}

void run_elimination(const std::string& matrix, const Matrix& data, const Executor& exec)
{
    using Elimination = MultiElimination<double>;
    run_linden(
        matrix, data, exec, std::string(Elimination::type_name), Elimination::factory({.rule = EliminationRule::exact}),
        [](const Elimination& inverse, const Dense<double>& b, Dense<double>& x) { inverse.apply(b, x); },
        [](const Elimination& inverse, DirectTimes& times) {
            times.entries = static_cast<double>(inverse.num_nonzeros() + inverse.size().rows);
            return std::to_string(inverse.levels().size() - 1) + " levels, a bottom of " +
                   std::to_string(inverse.levels().back().rows) + " rows, " + std::to_string(inverse.num_bad_pivots()) +
                   " replaced";
        });
}

std::vector<OtherSolver> other_solvers()
{
    std::vector<OtherSolver> all;
    for (const auto& some : {suitesparse_solvers, superlu_solvers, eigen_solvers, pardiso_solvers}) {
        for (auto& solver : some()) {
            all.push_back(std::move(solver));
        }
    }
    return all;
}

bool is_symmetric(const Csr<double, std::int32_t>& a)
{
    const auto x = [&] {
        std::vector<double> values;
        for (size_type i = 0; i < a.size().rows; ++i) {
            values.push_back(std::sin(static_cast<double>(i + 1)));
        }
        return values;
    }();
    const auto data = a.to_host();
    std::vector<double> left(x.size(), 0), right(x.size(), 0), scale(x.size(), 0);
    for (size_type i = 0; i < a.size().rows; ++i) {
        for (auto k = data.row_ptrs[i]; k < data.row_ptrs[i + 1]; ++k) {
            left[i] += data.values[k] * x[data.col_idxs[k]];
            right[data.col_idxs[k]] += data.values[k] * x[i];
            scale[i] += std::abs(data.values[k]);
        }
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (std::abs(left[i] - right[i]) > 1e-10 * scale[i]) {
            return false;
        }
    }
    return true;
}

/// Which solvers run: those named, or all.
struct Choice {
    std::vector<std::string> names;
    bool has_others = true;

    bool has(std::string_view name) const
    {
        return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
    }
};

void run_matrix(const std::string& path, const Executor& exec, const Choice& choice)
{
    const auto data = read_matrix<double, std::int32_t>(path);
    if (data.size.rows != data.size.cols) {
        return;
    }
    const auto slash = path.rfind('/');
    const auto file = path.substr(slash == std::string::npos ? 0 : slash + 1);
    const auto matrix = file.substr(0, file.find(".mtx"));
    const Csr<double, std::int32_t> a(exec, data);
    const bool symmetric = is_symmetric(a);
    const auto run_linden_if = [&](std::string_view name, bool suits, const auto& run) {
        if (suits && choice.has(name)) {
            run(matrix, data, exec);
        }
    };
    run_linden_if("Lu", true, run_direct<Lu<double>>);
    run_linden_if("MultiElimination", true, run_elimination);
    run_linden_if("Cholesky", symmetric, run_direct<Cholesky<double>>);
    run_linden_if("Ldlt", symmetric, run_direct<Ldlt<double>>);
    const auto b = right_hand_sides(a, 1);
    for (const auto& other : choice.has_others ? other_solvers() : std::vector<OtherSolver>{}) {
        if ((!other.needs_definite || symmetric) && choice.has(other.name)) {
            const auto times = other.run(data, b.to_host());
            print_row(matrix, data, other.name, times, error_of(a, b, times.x), "");
        }
    }
}

Executor executor(const std::string& device, int threads)
{
    if (device == "cuda") {
        return Executor::cuda();
    }
    if (device == "hip") {
        return Executor::hip();
    }
    return threads == 0 ? Executor::omp() : Executor::omp({.threads = threads});
}

int run(int argc, char** argv)
{
    int threads = 0;
    Choice choice;
    std::string device;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        if (argument.rfind("--threads=", 0) == 0) {
            threads = std::stoi(argument.substr(10));
        } else if (argument.rfind("--executor=", 0) == 0) {
            device = argument.substr(11);
        } else if (argument == "--wall") {
            host_clock = CLOCK_MONOTONIC;
        } else if (argument.rfind("--columns=", 0) == 0) {
            num_columns = std::stoi(argument.substr(10));
        } else if (argument == "--skip-others") {
            choice.has_others = false;
        } else if (argument.rfind("--solvers=", 0) == 0) {
            std::istringstream names(argument.substr(10));
            for (std::string name; std::getline(names, name, ';');) {
                choice.names.push_back(name);
            }
        }
    }
    const auto exec = executor(device, threads);
    std::printf("matrix\trows\tnnz\tsolver\tanalysis\tfactorization\trefactorization\tsolve\terror\tentries\tremark\n");
    for (int i = 1; i < argc; ++i) {
        if (argv[i][0] != '-') {
            try {
                run_matrix(argv[i], exec, choice);
            } catch (const Error& e) {
                std::printf("%s\t%s\n", argv[i], e.what());
            }
        }
    }
    return 0;
}

}  // namespace
}  // namespace linden::bench

int main(int argc, char** argv) { return linden::bench::run(argc, argv); }
