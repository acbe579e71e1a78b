// needs: double int32
#include "core/kernels/cg.hpp"

#include <limits>

#include "benchmark/support/suite.hpp"
#include "core/kernels/reduction.hpp"
#include "core/solver/workspace.hpp"

namespace linden::benchmarks {
namespace {

/// Blocks, scalars and a stopping rule that never holds. The scalars are set anew before each step and make steps that
/// change next to nothing: alpha = 1e-30, beta = 1.
template <class V>
struct Steps {
    using R = real_t<V>;

    Steps(const Executor& on, size_type rows, std::vector<V> values)
        : exec(on),
          stop(exec, 1),
          start(exec, values),
          scalars(exec, static_cast<size_type>(values.size())),
          reduction(ReductionWorkspace::for_values<V>(exec, 2))
    {
        for (int i = 0; i < 5; ++i) {
            vectors.push_back(block<V>(exec, {rows, 1}));
        }
        const Array<R> norms(exec, {R{1}, R{1}});
        const StopRule rule{.max_iterations = std::numeric_limits<std::int64_t>::max(),
                            .relative_residual = 0,
                            .absolute_residual = 0,
                            .baseline = Baseline::rhs,
                            .time_limit = 0,
                            .divergence = std::numeric_limits<double>::infinity(),
                            .stagnation_iterations = 0,
                            .history_capacity = 0};
        stop_initialize<R>(exec, rule, norms.data(), norms.data() + 1, stop.view());
        exec.synchronize();
    }

    void reset() { copy_bytes(exec, start.data(), exec, scalars.data(), start.bytes()); }
    V* scalar(int i) { return scalars.data() + i; }
    DenseView<V> vector(std::size_t i) { return vectors[i].view(); }

    Executor exec;
    StopState<R> stop;
    Array<V> start;
    Array<V> scalars;
    ReductionWorkspace reduction;
    std::vector<Dense<V>> vectors;
};

template <class V>
void add_steps(const Executor& exec, size_type rows)
{
    const auto what = std::to_string(rows) + "x1";
    const auto bytes = rows * static_cast<size_type>(sizeof(V));
    constexpr auto huge = static_cast<real_t<V>>(1e30);

    add("cg_update_residual", exec, type_names<V>(), what, [=](benchmark::State& state) {
        Steps<V> s(exec, rows, {1, 1, huge, 0});
        measure(state, exec, 3 * bytes, [&] {
            s.reset();
            cg_update_residual<V>(exec, s.vector(0), s.vector(1), {s.scalar(0), s.scalar(1), s.scalar(2), s.scalar(3)},
                                  true, s.stop.view(), s.reduction.view());
        });
    });
    add("cg_update_direction", exec, type_names<V>(), what, [=](benchmark::State& state) {
        Steps<V> s(exec, rows, {1, 1, huge, 1 / huge});
        measure(state, exec, 5 * bytes, [&] {
            s.reset();
            cg_update_direction<V>(exec, s.vector(0), s.vector(1), s.vector(2),
                                   {s.scalar(0), s.scalar(1), s.scalar(2), s.scalar(3)}, s.stop.view());
        });
    });
    add("cg_single_reduction_step", exec, type_names<V>(), what, [=](benchmark::State& state) {
        Steps<V> s(exec, rows, {1, 1, huge, 1});
        measure(state, exec, 9 * bytes, [&] {
            s.reset();
            cg_single_reduction_step<V>(exec,
                                        {.z = s.vector(0),
                                         .w = s.vector(1),
                                         .p = s.vector(2),
                                         .s = s.vector(3),
                                         .x = s.vector(4),
                                         .r = s.vector(0)},
                                        {s.scalar(0), s.scalar(1), s.scalar(2), s.scalar(3)}, true, s.stop.view(),
                                        s.reduction.view());
        });
    });
}

const Suite suite{[](const Executor& exec) {
    add_steps<double>(exec, 10'000);
    add_steps<double>(exec, exec.is_host() ? 5'000'000 : 16'777'216);
    add_steps<double>(exec, 1'000'000);
    if constexpr (has_types<float>) {
        add_steps<float>(exec, 5'000'000);
    }
}};

}  // namespace
}  // namespace linden::benchmarks
