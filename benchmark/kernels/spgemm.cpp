// needs: double int32
#include <linden/matrix/multiply.hpp>

#include "benchmark/support/suite.hpp"

namespace linden::benchmarks {
namespace {

using Matrix = Csr<double, std::int32_t>;

/// On an executor of its own, whose peak is then that of the product.
void add_case(const Executor& exec, const std::string& spec)
{
    const auto backend = exec.backend();
    add("spgemm", exec, "double_int32", short_name(spec), [=](benchmark::State& state) {
        const auto own = Executor::create(backend);
        const auto a = problem<double, std::int32_t>(own, spec);
        const auto before = own.counters().allocated_bytes;
        const auto result_bytes = bytes_of(multiply(*a, *a));
        const auto peak = static_cast<double>(own.counters().peak_bytes - before);
        measure(state, own, 2 * bytes_of(*a) + result_bytes, [&] { multiply(*a, *a); });
        state.counters["result_bytes"] = static_cast<double>(result_bytes);
        state.counters["peak_of_result"] = peak / static_cast<double>(result_bytes);
    });
    add("spgemm_new_values", exec, "double_int32", short_name(spec), [=](benchmark::State& state) {
        const auto a = problem<double, std::int32_t>(exec, spec);
        MultiplyPlan<double, std::int32_t> plan(*a, *a);
        auto c = plan.result();
        measure(state, exec, 2 * bytes_of(*a) + bytes_of(c), [&] { plan.compute(*a, *a, c); });
    });
    add("spgeam", exec, "double_int32", short_name(spec), [=](benchmark::State& state) {
        const auto a = problem<double, std::int32_t>(exec, spec);
        measure(state, exec, 3 * bytes_of(*a), [&] { linden::add(1, *a, 2, *a); });
    });
}

const Suite suite{[](const Executor& exec) {
    for (const char* spec : {"lap2d:500", "lap3d:64", "st27:40", "random:100000:8:1"}) {
        add_case(exec, spec);
    }
    if (!exec.is_host()) {
        for (const char* spec : {"lap3d:128", "st27:100", "random:1000000:8:1"}) {
            add_case(exec, spec);
        }
    }
    for (const auto& file : matrix_files()) {
        add_case(exec, file);
    }
}};

}  // namespace
}  // namespace linden::benchmarks
