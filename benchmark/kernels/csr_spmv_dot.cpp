// needs: double int32
#include "benchmark/support/suite.hpp"
#include "core/kernels/csr.hpp"
#include "core/kernels/reduction.hpp"

namespace linden::benchmarks {
namespace {

/// x := A b and b^H x, as conjugate gradients need them: no more bytes than the product alone.
template <class V, class I>
void add_case(const Executor& exec, const std::string& spec)
{
    add("csr_spmv_dot", exec, type_names<V, I>(), spec, [=](benchmark::State& state) {
        const auto a = problem<V, I>(exec, spec);
        const auto b = block<V>(exec, {a->size().cols, 1});
        Dense<V> x(exec, {a->size().rows, 1});
        Array<V> wx(exec, 1);
        auto workspace = ReductionWorkspace::for_values<V>(exec, 2);
        const auto words = a->size().rows + a->size().cols;
        measure(state, exec, bytes_of(*a) + words * static_cast<size_type>(sizeof(V)), [&] {
            csr_spmv_dot<V, I>(exec, a->view(), b.view(), x.view(), b.view(), wx.data(), nullptr, workspace.view());
        });
    });
}

const Suite suite{[](const Executor& exec) {
    add_case<double, std::int32_t>(exec, "lap2d:1000");
    add_case<double, std::int32_t>(exec, "lap3d:100");
    if constexpr (has_types<float>) {
        add_case<float, std::int32_t>(exec, "lap3d:100");
    }
    if (!exec.is_host()) {
        add_case<double, std::int32_t>(exec, "lap3d:256");
    }
}};

}  // namespace
}  // namespace linden::benchmarks
