// needs: double int32
#include <linden/solver/bicgstab.hpp>

#include "benchmark/support/solve.hpp"

namespace linden::benchmarks {
namespace {

constexpr size_type num_iterations = 60;

const Suite suite{[](const Executor& exec) {
    const FactoryPtr<double> factory =
        BiCgStab<double>::factory({.stop = {.max_iterations = num_iterations, .relative_residual = 0}});
    for (const auto& spec : solver_problems(exec)) {
        add_solver<double, std::int32_t>("bicgstab", exec, spec, factory, num_iterations, 19, 2);
    }
}};

}  // namespace
}  // namespace linden::benchmarks
