// needs: double int32
#include "core/kernels/sweep.hpp"

#include "benchmark/support/red_black.hpp"

/// Both halves of a sweep over the two colours of a grid's points, as a preconditioner does them: from b in the order
/// of the rows to x in that order.
namespace linden::benchmarks {
namespace {

using I = std::int32_t;

template <class V>
void add_sweep(const Executor& exec, const std::string& spec, size_type edge, size_type k)
{
    const auto what = short_name(spec) + (k == 1 ? "" : "x" + std::to_string(k));
    add("sweep_red_black", exec, type_names<V, I>(), what, [=](benchmark::State& state) {
        const RedBlack<V, I> a(*problem<V, I>(exec, spec), edge);
        const size_type n = a.size();
        const auto b = block<V>(exec, {n, k});
        Dense<V> w(exec, b.size());
        Dense<V> x(exec, b.size());
        // Forward: scale, b, w, half of w once more; back: w twice, half of it once more, x.
        const size_type words = n * (1 + 6 * k);
        const size_type bytes = a.num_nonzeros() * static_cast<size_type>(sizeof(V) + sizeof(I)) +
                                words * static_cast<size_type>(sizeof(V)) + 2 * n * static_cast<size_type>(sizeof(I));
        measure(state, exec, bytes, [&] {
            for (const bool black : {false, true}) {
                sweep_forward<V, V, I>(exec, a.lower(black), a.scale(), b.view(), a.order(), w.view(), {}, nullptr);
            }
            for (const bool black : {true, false}) {
                sweep_backward<V, V, I>(exec, a.upper(black), w.view(), x.view(), a.order());
            }
        });
    });
}

const Suite suite{[](const Executor& exec) {
    add_sweep<double>(exec, "lap2d:1000", 1000, 1);
    add_sweep<double>(exec, "lap3d:100", 100, 1);
    add_sweep<double>(exec, "lap3d:100", 100, 4);
    if (!exec.is_host()) {
        add_sweep<double>(exec, "lap3d:100", 100, 2);
        add_sweep<double>(exec, "lap3d:100", 100, 3);
        add_sweep<double>(exec, "lap3d:100", 100, 8);
        add_sweep<double>(exec, "lap3d:200", 200, 1);
        add_sweep<double>(exec, "lap3d:200", 200, 4);
    }
}};

}  // namespace
}  // namespace linden::benchmarks
