// needs: double int32
#include <linden/matrix/operations.hpp>

#include <algorithm>
#include <numeric>
#include <random>

#include "benchmark/support/suite.hpp"
#include "core/matrix/cuthill_mckee.hpp"

/// Reverse Cuthill-McKee orders that stay on the executor, of problems as they are and with their rows in random
/// order.
namespace linden::benchmarks {
namespace {

std::vector<std::int32_t> random_order(size_type n)
{
    std::vector<std::int32_t> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    std::mt19937_64 random(1);
    std::shuffle(order.begin(), order.end(), random);
    return order;
}

void add_case(const Executor& exec, const std::string& spec, bool is_shuffled)
{
    const auto what = short_name(spec) + (is_shuffled ? ",shuffled" : "");
    add("cuthill_mckee", exec, "int32", what, [=](benchmark::State& state) {
        auto a = problem<double, std::int32_t>(exec, spec);
        if (is_shuffled) {
            const Permutation<double, std::int32_t> order(exec, random_order(a->size().rows));
            a = share(permute_symmetric(*a, order));
        }
        const PatternView<std::int32_t> pattern = a->view();
        measure(state, exec, bytes_of(*a), [&] { detail::cuthill_mckee_rows<std::int32_t>(exec, pattern); });
    });
}

const Suite suite{[](const Executor& exec) {
    for (const char* spec : {"lap3d:64", "lap3d:128", "lap2d:1000", "st27:80"}) {
        add_case(exec, spec, false);
        add_case(exec, spec, true);
    }
    for (const auto& file : matrix_files()) {
        add_case(exec, file, false);
    }
}};

}  // namespace
}  // namespace linden::benchmarks
