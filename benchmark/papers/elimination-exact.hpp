#pragma once

#include <linden/preconditioner/multi_elimination.hpp>
#include <linden/solver/gmres.hpp>

#include "benchmark/papers/elimination-costs.hpp"
#include "benchmark/papers/experiment.hpp"

/// Multi-elimination without dropping as a direct solver, and with little dropping as a preconditioner of GMRES.
namespace linden::benchmarks {

struct ExactRun {
    std::string status;  ///< what went wrong; empty if all is well
    std::vector<Elimination::Level> levels{};
    double factor_nonzeros = NAN;
    double num_bad_pivots = NAN;
    double residual = NAN;  ///< relative, of x = M^-1 b
    double setup_seconds = NAN;
    double application_seconds = NAN;
    double update_seconds = NAN;
};

struct DroppedRun {
    Run run;
    double factor_nonzeros = NAN;
};

/// A 1.
inline Dense<V> row_sums(const LinOp<V>& a)
{
    const auto ones = Dense<V>::filled(a.executor(), {a.size().rows, 1}, 1);
    Dense<V> b(a.executor(), ones.size());
    a.apply(ones, b);
    return b;
}

inline double relative_residual(const LinOp<V>& a, const LinOp<V>& inverse, const Dense<V>& b)
{
    Dense<V> x(a.executor(), b.size());
    inverse.apply(b, x);
    auto r = b.copy();
    a.apply(V{-1}, x, V{1}, r);  // r := b - A x
    return r.norm2().front() / b.norm2().front();
}

inline ExactRun measure_exact(const Problem& problem, const Executor& exec, size_type bottom_rows, int repeat)
{
    ExactRun run;
    try {
        const LinOpPtr<V> a = share(Csr<V, I>(exec, problem.data));
        const auto factory = Elimination::factory({.rule = EliminationRule::exact, .bottom_rows = bottom_rows});
        std::unique_ptr<Elimination> m;
        std::vector<double> setup_times, update_times;
        for (int i = exec.is_host() ? 0 : -1; i < repeat; ++i) {
            m = nullptr;
            const auto setup_seconds = tool::timed(exec, [&] { m = factory.generate(a); });
            const auto update_seconds = tool::timed(exec, [&] { m->update_values(a); });
            if (i >= 0) {
                setup_times.push_back(setup_seconds);
                update_times.push_back(update_seconds);
            }
        }
        run = {{},
               m->levels(),
               static_cast<double>(m->num_nonzeros()),
               static_cast<double>(m->num_bad_pivots()),
               relative_residual(*a, *m, row_sums(*a)),
               tool::median(setup_times),
               time_application(*m, repeat),
               tool::median(update_times)};
    } catch (const Error& error) {
        run.status = error.what();
    }
    return run;
}

inline DroppedRun measure_dropped(const Problem& problem, const Executor& exec, size_type bottom_rows, int repeat)
{
    DroppedRun result;
    result.run = run_or_say_why_not([&] {
        const LinOpPtr<V> a = share(Csr<V, I>(exec, problem.data));
        const auto gmres =
            Gmres<V>::factory({.stop = {.max_iterations = 1000, .relative_residual = 1e-10},
                               .preconditioner = Elimination::factory(
                                   {.rule = EliminationRule::exact, .beta = 1e-4, .bottom_rows = bottom_rows}),
                               .krylov_dim = 50});
        auto timing = time_solver(gmres, a, row_sums(*a), repeat);
        result.factor_nonzeros =
            static_cast<double>(dynamic_cast<const Elimination&>(*timing.preconditioner).num_nonzeros());
        return timing;
    });
    return result;
}

inline void print_exact_row(const Problem& problem, const ExactRun& exact, const DroppedRun& dropped)
{
    const auto n = static_cast<double>(problem.data.size.rows), nnz = static_cast<double>(problem.data.num_nonzeros());
    const auto milliseconds = [](double seconds) { return format("%.3g", seconds * 1e3); };
    std::printf("| %s | %.0f | %.0f |", problem.name.c_str(), n, nnz);
    if (exact.status.empty()) {
        const auto bottom = static_cast<double>(exact.levels.back().rows);
        std::printf(" %d | %.0f | %.2f | %.2f | %.0f | %.1e | %s | %s | %s |",
                    static_cast<int>(exact.levels.size()) - 1, bottom, (exact.factor_nonzeros + n) / nnz,
                    bottom * bottom / nnz, exact.num_bad_pivots, exact.residual,
                    milliseconds(exact.setup_seconds).c_str(), milliseconds(exact.application_seconds).c_str(),
                    milliseconds(exact.update_seconds).c_str());
    } else {
        std::printf(" %s | | | | | | | | |", exact.status.c_str());
    }
    std::printf(" %s | %s | %s | %s |\n", format("%.2f", (dropped.factor_nonzeros + n) / nnz).c_str(),
                iterations_text(dropped.run).c_str(), milliseconds(dropped.run.setup_seconds).c_str(),
                milliseconds(dropped.run.solve_seconds).c_str());
}

inline void print_exact(const std::vector<Executor>& executors, const std::vector<Problem>& problems,
                        size_type bottom_rows, int repeat)
{
    std::printf(
        "Multi-elimination by the rule exact, b = A 1, double, int32; medians of %d. Fill is nonzeros of L and U with "
        "one diagonal\nover nnz, without the bottom, whose square over nnz stands beside it. The residual is that of "
        "one application, relative to b.\nIn the last columns entries up to 1e-4 times the norm of their row are "
        "dropped; iterations are those of GMRES(50) to 1e-10.\n",
        repeat);
    print_executors(executors);
    for (const auto& exec : executors) {
        std::printf(
            "\n### %s\n\n"
            "| matrix | n | nnz | levels | bottom | fill | bottom^2/nnz | bad pivots | residual | set-up, ms "
            "| application, ms | new values, ms | dropped: fill | it. | set-up, ms | solve, ms |\n"
            "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
            exec.name().c_str());
        for (const auto& problem : problems) {
            std::fprintf(stderr, "%s, exact, %s\n", problem.name.c_str(), exec.name().c_str());
            print_exact_row(problem, measure_exact(problem, exec, bottom_rows, repeat),
                            measure_dropped(problem, exec, bottom_rows, repeat));
            std::fflush(stdout);
        }
    }
}

}  // namespace linden::benchmarks
