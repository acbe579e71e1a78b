// needs: double int32
#include "core/kernels/eisenstat.hpp"

#include <limits>

#include "benchmark/support/red_black.hpp"
#include "core/solver/workspace.hpp"

/// Iterations of CG with Eisenstat's trick and two colours.
namespace linden::benchmarks {
namespace {

using I = std::int32_t;

/// What an iteration works on, with a stopping rule that never holds. The scalars are set anew before each and make
/// steps that change x and r by next to nothing: alpha = 1e-30 / <p, v>_D, beta = 1.
template <class V>
struct Iteration {
    using R = real_t<V>;

    Iteration(const Csr<V, I>& a, size_type edge)
        : exec(a.executor()),
          colours(a, edge),
          d(exec, std::vector<R>(static_cast<std::size_t>(a.size().rows), R{4})),
          start(exec, std::vector<V>{V{1e-30}, V{1e-30}, V{}}),
          values(exec, 3),
          reals(exec, std::vector<R>{R{1}, R{}}),
          is_due(exec, 1),
          stop(exec, 1),
          reduction(ReductionWorkspace::for_values<V>(exec, 1))
    {
        for (int i = 0; i < 5; ++i) {
            vectors.push_back(block<V>(exec, {a.size().rows, 1}));
        }
        const Array<R> norms(exec, {R{1}, R{1}});
        stop_initialize<R>(exec,
                           {.max_iterations = std::numeric_limits<std::int64_t>::max(),
                            .relative_residual = 0,
                            .absolute_residual = 0,
                            .baseline = Baseline::rhs,
                            .time_limit = 0,
                            .divergence = std::numeric_limits<double>::infinity(),
                            .stagnation_iterations = 0,
                            .history_capacity = 0},
                           norms.data(), norms.data() + 1, stop.view());
        exec.synchronize();
    }

    void run()
    {
        const auto r = vectors[0].view(), p = vectors[1].view(), t = vectors[2].view(), w = vectors[3].view();
        const EisenstatScalars<V> s{values.data(), values.data() + 1, values.data() + 2,
                                    reals.data(),  reals.data() + 1,  is_due.data()};
        copy_bytes(exec, start.data(), exec, values.data(), start.bytes());
        for (const bool black : {true, false}) {
            eisenstat_backward<V, V, I>(exec, colours.upper(black), r, p, t, s, stop.view());
        }
        for (const bool black : {false, true}) {
            eisenstat_forward<V, V, I>(exec, colours.lower(black),
                                       {.omega = 1, .d = d.data(), .p = p, .t = t, .w = w, .is_first = !black}, s,
                                       stop.view(), reduction.view());
        }
        eisenstat_update<V>(exec, {.d = d.data(), .t = t, .w = w, .x = vectors[4].view(), .r = r, .period = period}, s,
                            stop.view(), reduction.view());
        for (const bool black : {false, true}) {
            eisenstat_residual_norm<V, V, I>(exec, colours.lower(black),
                                             {.omega = 1, .d = d.data(), .r = r, .is_first = !black, .is_last = black},
                                             s, stop.view(), reduction.view());
        }
    }
    /// backward: r, p, t and p again, half of t once more; forward: d, p, t, w, half of w once more; update: d, t, w,
    /// and x and r twice.
    size_type bytes() const
    {
        return colours.num_nonzeros() * static_cast<size_type>(sizeof(V) + sizeof(I)) +
               16 * colours.size() * static_cast<size_type>(sizeof(V));
    }

    static constexpr std::int64_t period = std::int64_t{1} << 60;
    Executor exec;
    RedBlack<V, I> colours;
    Array<R> d;
    Array<V> start, values;
    Array<R> reals;
    Array<std::int32_t> is_due;
    StopState<R> stop;
    ReductionWorkspace reduction;
    std::vector<Dense<V>> vectors;  ///< r, p, t, w, x
};

template <class V>
void add_iteration(const Executor& exec, const std::string& spec, size_type edge)
{
    add("eisenstat_iteration", exec, type_names<V, I>(), short_name(spec), [=](benchmark::State& state) {
        Iteration<V> iteration(*problem<V, I>(exec, spec), edge);
        measure(state, exec, iteration.bytes(), [&] { iteration.run(); });
    });
}

const Suite suite{[](const Executor& exec) {
    add_iteration<double>(exec, "lap2d:1000", 1000);
    add_iteration<double>(exec, "lap3d:100", 100);
    if (!exec.is_host()) {
        add_iteration<double>(exec, "lap3d:200", 200);
    }
}};

}  // namespace
}  // namespace linden::benchmarks
