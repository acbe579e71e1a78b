// needs: double int32
#include <linden/preconditioner/ic.hpp>
#include <linden/preconditioner/ilu.hpp>
#include <linden/solver/bicgstab.hpp>
#include <linden/solver/cg.hpp>

#include "benchmark/support/solve.hpp"

/// Incomplete factors: set-up, one application, and solves to ||r|| <= 1e-6 ||b|| from b = 1, x = 0.
namespace linden::benchmarks {
namespace {

using I = std::int32_t;

void add_preconditioner(const std::string& name, const Executor& exec, const std::string& spec,
                        const FactoryPtr<double>& factory)
{
    add(name + "_setup", exec, "double_int32", spec, [=](benchmark::State& state) {
        const auto a = problem<double, I>(exec, spec);
        measure_time(state, exec, [&] { factory->make(a); });
    });
    add(name + "_apply", exec, "double_int32", spec, [=](benchmark::State& state) {
        const auto a = problem<double, I>(exec, spec);
        const auto m = factory->make(a);
        const auto b = block<double>(exec, {a->size().rows, 1});
        Dense<double> x(exec, b.size());
        measure_time(state, exec, [&] { m->apply(b, x); });
    });
}

template <template <class> class SolverOf>
void add_solve(const std::string& name, const Executor& exec, const std::string& spec,
               const FactoryPtr<double>& preconditioner)
{
    add(name, exec, "double_int32", spec, [=](benchmark::State& state) {
        const auto a = problem<double, I>(exec, spec);
        const auto solver =
            SolverOf<double>::factory({.stop = {.relative_residual = asked_residual}, .preconditioner = preconditioner})
                .generate(a);
        const auto b = block<double>(exec, {a->size().rows, 1});
        Dense<double> x(exec, b.size());
        size_type iterations = 0;
        measure_time(state, exec, [&] {
            x.fill(0);
            iterations = solver->solve(b, x).iterations();
        });
        state.counters["iterations"] = static_cast<double>(iterations);
    });
}

const Suite suite{[](const Executor& exec) {
    const FactoryPtr<double> ilu0 = Ilu0<double>::factory();
    const FactoryPtr<double> ic0 = Ic0<double>::factory();
    for (const char* spec : {"lap2d:300", "lap3d:60", "lap2d:1000", "lap3d:100"}) {
        add_preconditioner("ilu0", exec, spec, ilu0);
        add_preconditioner("ic0", exec, spec, ic0);
        add_solve<Cg>("cg_ilu0", exec, spec, ilu0);
        add_solve<Cg>("cg_ic0", exec, spec, ic0);
        add_solve<BiCgStab>("bicgstab_ilu0", exec, spec, ilu0);
    }
}};

}  // namespace
}  // namespace linden::benchmarks
