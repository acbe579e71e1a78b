#pragma once

#include <linden/solver/solver.hpp>

#include "benchmark/support/suite.hpp"

namespace linden::benchmarks {

/// The time of one iteration, from solves of `num_iterations`. `words`: vector words per iteration and row, by the
/// table in the solver's source; `products`: how often an iteration reads A.
template <class V, class I>
void add_solver(std::string_view name, const Executor& exec, const std::string& spec, FactoryPtr<V> factory,
                size_type num_iterations, double words, int products)
{
    add(name, exec, type_names<V, I>(), spec, [=](benchmark::State& state) {
        const auto a = problem<V, I>(exec, spec);
        const auto solver = factory->make(a);
        const auto& solve_with = dynamic_cast<const Solver<V>&>(*solver);
        const auto b = block<V>(exec, {a->size().rows, 1});
        auto x = Dense<V>(exec, b.size());
        size_type done = 0;
        const auto solve = [&] {
            x.fill(V{});
            done += solve_with.solve(b, x).iterations();
        };
        solve();
        done = 0;
        size_type asked = 0;
        Stopwatch watch(exec);
        for (auto _ : state) {
            watch.start();
            solve();
            state.SetIterationTime(watch.stop() / static_cast<double>(num_iterations));
            asked += num_iterations;
        }
        if (done != asked) {
            state.SkipWithError("a solve ended early");
        }
        const auto vector_bytes = words * static_cast<double>(a->size().rows) * static_cast<double>(sizeof(V));
        count_bytes(state, exec, products * bytes_of(*a) + static_cast<size_type>(vector_bytes));
    });
}

/// Times `f` after a run to warm up: what whole set-ups and solves take.
template <class F>
void measure_time(benchmark::State& state, const Executor& exec, F&& f)
{
    Stopwatch watch(exec);
    f();
    for (auto _ : state) {
        watch.start();
        f();
        state.SetIterationTime(watch.stop());
    }
}

/// What a comparison of preconditioned solvers asks for.
inline constexpr double asked_residual = 1e-6;

/// The problems that solvers are timed on: devices get one more that fills them.
inline std::vector<std::string> solver_problems(const Executor& exec)
{
    std::vector<std::string> specs{"lap2d:1000", "lap3d:100"};
    if (!exec.is_host()) {
        specs.emplace_back("lap3d:256");
    }
    return specs;
}

}  // namespace linden::benchmarks
