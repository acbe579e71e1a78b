// needs: double int32
#include <linden/solver/cg.hpp>

#include "benchmark/support/solve.hpp"

namespace linden::benchmarks {
namespace {

constexpr size_type num_iterations = 100;

template <class V>
void add_cg(const Executor& exec, const std::string& spec, bool single_reduction)
{
    const FactoryPtr<V> factory = Cg<V>::factory(
        {.stop = {.max_iterations = num_iterations, .relative_residual = 0}, .single_reduction = single_reduction});
    add_solver<V, std::int32_t>(single_reduction ? "cg_single_reduction" : "cg", exec, spec, factory, num_iterations,
                                single_reduction ? 11 : 10, 1);
}

const Suite suite{[](const Executor& exec) {
    for (const auto& spec : solver_problems(exec)) {
        add_cg<double>(exec, spec, false);
        add_cg<double>(exec, spec, true);
    }
    if constexpr (has_types<float>) {
        add_cg<float>(exec, "lap3d:100", false);
    }
}};

}  // namespace
}  // namespace linden::benchmarks
