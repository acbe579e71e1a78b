// needs: double int32
#include "benchmark/support/suite.hpp"
#include "core/kernels/dense.hpp"

namespace linden::benchmarks {
namespace {

/// x := alpha b + beta x: 3 m k words
template <class V>
void add_case(const Executor& exec, size_type rows, size_type cols)
{
    const auto what = std::to_string(rows) + "x" + std::to_string(cols);
    add("dense_axpby", exec, type_names<V>(), what, [=](benchmark::State& state) {
        const auto b = block<V>(exec, {rows, cols});
        auto x = block<V>(exec, {rows, cols});
        measure(state, exec, 3 * rows * cols * static_cast<size_type>(sizeof(V)), [&] {
            dense_axpby<V>(exec, static_cast<real_t<V>>(0.5), b.view(), static_cast<real_t<V>>(0.5), x.view());
        });
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
