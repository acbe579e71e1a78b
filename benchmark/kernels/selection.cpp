// needs: double int32
#include "core/kernels/selection.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "benchmark/support/suite.hpp"

/// The median of random values that spread over a few orders of magnitude, and what the standard library takes for it
/// on one thread.
namespace linden::benchmarks {
namespace {

template <class R>
std::vector<R> random_values(size_type n)
{
    std::mt19937_64 engine(1);
    std::vector<R> values;
    for (size_type i = 0; i < n; ++i) {
        values.push_back(static_cast<R>(std::exp2(static_cast<double>(engine() >> 11) * 0x1p-50)));
    }
    return values;
}

/// Exact: n values, a byte for each written and read.
template <class R>
void add_case(const Executor& exec, size_type n, Selection how)
{
    const bool is_exact = how == Selection::exact;
    const auto what = std::to_string(n) + (is_exact ? ":exact" : ":approximate");
    add("selection_select", exec, type_names<R>(), what, [=](benchmark::State& state) {
        const Array<R> values(exec, random_values<R>(n));
        Array<R> result(exec, 1);
        Array<std::byte> workspace(exec, selection_workspace_bytes<R>(n));
        measure(state, exec, n * static_cast<size_type>(sizeof(R) + (is_exact ? 2 : 0)), [&] {
            selection_select<R>(exec, n, values.data(), n / 2, how, result.data(),
                                {workspace.data(), workspace.size()});
        });
    });
}

/// With the copy that it reorders: two words.
template <class Reorder>
void add_std(std::string_view name, const Executor& exec, size_type n, Reorder reorder)
{
    add(name, "std", type_names<double>(), std::to_string(n), [=](benchmark::State& state) {
        const auto values = random_values<double>(n);
        std::vector<double> copy(values.size());
        measure(state, exec, 2 * n * static_cast<size_type>(sizeof(double)), [&] {
            std::copy(values.begin(), values.end(), copy.begin());
            reorder(copy);
        });
    });
}

const Suite suite{[](const Executor& exec) {
    for (const size_type n : {10'000, 1'000'000, 10'000'000}) {
        add_case<double>(exec, n, Selection::exact);
        add_case<double>(exec, n, Selection::approximate);
        if (exec.backend() == Backend::omp) {
            using Values = std::vector<double>;
            add_std("nth_element", exec, n,
                    [](Values& v) { std::nth_element(v.begin(), v.begin() + std::ssize(v) / 2, v.end()); });
            add_std("sort", exec, n, [](Values& v) { std::sort(v.begin(), v.end()); });
        }
    }
    if (!exec.is_host()) {
        add_case<double>(exec, 100'000'000, Selection::exact);
        add_case<double>(exec, 100'000'000, Selection::approximate);
    }
    add_case<float>(exec, 10'000'000, Selection::exact);
    add_case<float>(exec, 10'000'000, Selection::approximate);
}};

}  // namespace
}  // namespace linden::benchmarks
