// needs: double int32
#include "benchmark/support/suite.hpp"
#include "core/kernels/dense.hpp"
#include "core/kernels/reduction.hpp"

namespace linden::benchmarks {
namespace {

/// a^H b: 2 m k words
template <class V>
void add_case(const Executor& exec, size_type rows, size_type cols)
{
    const auto what = std::to_string(rows) + "x" + std::to_string(cols);
    add("dense_dot", exec, type_names<V>(), what, [=](benchmark::State& state) {
        const auto a = block<V>(exec, {rows, cols});
        const auto b = block<V>(exec, {rows, cols});
        Array<V> result(exec, cols);
        auto workspace = ReductionWorkspace::for_values<V>(exec, cols);
        measure(state, exec, 2 * rows * cols * static_cast<size_type>(sizeof(V)),
                [&] { dense_dot<V>(exec, a.view(), b.view(), result.data(), workspace.view()); });
    });
}

const Suite suite{[](const Executor& exec) {
    add_case<double>(exec, 10'000, 1);
    add_case<double>(exec, 10'000'000, 1);
    add_case<double>(exec, 2'500'000, 4);
    if constexpr (has_types<float>) {
        add_case<float>(exec, 10'000'000, 1);
    }
    if constexpr (has_types<std::complex<double>>) {
        add_case<std::complex<double>>(exec, 5'000'000, 1);
    }
}};

}  // namespace
}  // namespace linden::benchmarks
