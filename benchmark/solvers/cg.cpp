#include <linden/solver/cg.hpp>

#include "benchmark/support/suite.hpp"

namespace linden::benchmarks {
namespace {

constexpr size_type num_iterations = 100;

/// The time of one iteration, from solves of 100. Bytes per iteration: those of A, and 10 n words (11 n with a single
/// reduction), see the table in core/solver/cg.cpp.
template <class V, class I>
void add_case(const Executor& exec, const std::string& spec, bool single_reduction)
{
    const auto* name = single_reduction ? "cg_single_reduction" : "cg";
    add(name, exec, type_names<V, I>(), spec, [=](benchmark::State& state) {
        const auto a = problem<V, I>(exec, spec);
        const auto solver = Cg<V>::factory({.stop = {.max_iterations = num_iterations, .relative_residual = 0},
                                            .single_reduction = single_reduction})
                                .generate(a);
        const auto b = block<V>(exec, {a->size().rows, 1});
        auto x = Dense<V>(exec, b.size());
        size_type done = 0;
        const auto solve = [&] {
            x.fill(V{});
            done += solver->solve(b, x).iterations();
        };
        solve();
        done = 0;
        size_type asked = 0;
        while (state.KeepRunningBatch(num_iterations)) {
            solve();
            asked += num_iterations;
        }
        if (done != asked) {
            state.SkipWithError("a solve ended early");
        }
        const auto words = (single_reduction ? 11 : 10) * a->size().rows;
        count_bytes(state, exec, bytes_of(*a) + words * static_cast<size_type>(sizeof(V)));
    });
}

const Suite suite{[](const Executor& exec) {
    for (const char* spec : {"lap2d:1000", "lap3d:100"}) {
        add_case<double, std::int32_t>(exec, spec, false);
        add_case<double, std::int32_t>(exec, spec, true);
    }
    add_case<float, std::int32_t>(exec, "lap3d:100", false);
}};

}  // namespace
}  // namespace linden::benchmarks
