// needs: double int32
#include "core/kernels/csr.hpp"

#include "benchmark/support/suite.hpp"

namespace linden::benchmarks {
namespace {

/// x := A b, k columns
template <class V, class I>
void add_case(const Executor& exec, const std::string& spec, size_type k)
{
    const auto what = k == 1 ? spec : spec + "x" + std::to_string(k);
    add("csr_spmv", exec, type_names<V, I>(), what, [=](benchmark::State& state) {
        const auto a = problem<V, I>(exec, spec);
        const auto b = block<V>(exec, {a->size().cols, k});
        Dense<V> x(exec, {a->size().rows, k});
        const auto words = (a->size().rows + a->size().cols) * k;
        measure(state, exec, bytes_of(*a) + words * static_cast<size_type>(sizeof(V)),
                [&] { csr_spmv<V, I>(exec, a->view(), V{1}, b.view(), V{}, x.view()); });
    });
}

/// The product as a user asks for it: the matrix chooses the kernel.
template <class V, class I>
void add_apply(const Executor& exec, const std::string& spec)
{
    add("csr_apply", exec, type_names<V, I>(), short_name(spec), [=](benchmark::State& state) {
        const auto a = problem<V, I>(exec, spec);
        const auto b = block<V>(exec, {a->size().cols, 1});
        Dense<V> x(exec, {a->size().rows, 1});
        const auto words = a->size().rows + a->size().cols;
        measure(state, exec, bytes_of(*a) + words * static_cast<size_type>(sizeof(V)), [&] { a->apply(b, x); });
    });
}

const Suite suite{[](const Executor& exec) {
    for (const char* spec : {"lap2d:1000", "lap3d:100", "random:200000:20:1"}) {
        add_case<double, std::int32_t>(exec, spec, 1);
    }
    add_case<double, std::int32_t>(exec, "lap3d:100", 4);
    if constexpr (has_types<std::int64_t>) {
        add_case<double, std::int64_t>(exec, "lap3d:100", 1);
    }
    if constexpr (has_types<float>) {
        add_case<float, std::int32_t>(exec, "lap3d:100", 1);
    }
    if constexpr (has_types<std::complex<double>>) {
        add_case<std::complex<double>, std::int32_t>(exec, "lap3d:100", 1);
    }
    add_case<double, std::int32_t>(exec, "lap2d:100", 1);  // in cache
    add_apply<double, std::int32_t>(exec, "powerlaw:1000000:7:1");
    for (const auto& file : matrix_files()) {
        add_apply<double, std::int32_t>(exec, file);
    }
    if (!exec.is_host()) {
        add_case<double, std::int32_t>(exec, "lap3d:128", 1);
        add_case<double, std::int32_t>(exec, "lap3d:128", 8);
        add_case<double, std::int32_t>(exec, "lap3d:128", 32);
        add_case<double, std::int32_t>(exec, "lap3d:256", 1);
        add_case<double, std::int32_t>(exec, "st27:128", 1);
    }
}};

}  // namespace
}  // namespace linden::benchmarks
