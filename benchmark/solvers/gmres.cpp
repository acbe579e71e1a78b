// needs: double int32
#include <linden/solver/gmres.hpp>

#include "benchmark/support/solve.hpp"

namespace linden::benchmarks {
namespace {

constexpr size_type krylov_dim = 30;
constexpr size_type num_iterations = 3 * krylov_dim;
constexpr double words = krylov_dim + 9 + 7.0 / krylov_dim;

const Suite suite{[](const Executor& exec) {
    const FactoryPtr<double> factory = Gmres<double>::factory(
        {.stop = {.max_iterations = num_iterations, .relative_residual = 0}, .krylov_dim = krylov_dim});
    for (const char* spec : {"lap2d:1000", "lap3d:100"}) {
        add_solver<double, std::int32_t>("gmres30", exec, spec, factory, num_iterations, words, 1);
    }
}};

}  // namespace
}  // namespace linden::benchmarks
