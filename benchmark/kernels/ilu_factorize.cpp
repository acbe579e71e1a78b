// needs: double int32
#include "core/kernels/ilu.hpp"

#include "benchmark/support/levels.hpp"

namespace linden::benchmarks {
namespace {

/// L U = A or L L^H = A on the pattern of A, of which L L^H has the lower triangle.
enum class Kind { lu, cholesky };

/// Times the factorization alone, each time of the same values. Bytes: each entry once, nnz (2 V + I) + n (3 I + R).
template <class V, class I>
void time_factorization(benchmark::State& state, const Executor& exec, const Csr<V, I>& a, Kind kind)
{
    const size_type n = a.size().rows;
    const auto levels = lower_levels(a, detail::level_unit_for(exec));
    Array<I> diagonal(exec, n);
    pattern_find_diagonal<I>(exec, a.view(), diagonal.data());
    const auto values = Array<V>(exec, a.to_host().values);
    auto factors = values.clone();
    Array<real_t<V>> norms(exec, n);
    ilu_prepare_rows<V, I>(exec, a.view(), diagonal.data(), 0, factors.data(), norms.data());
    Array<PivotReport> report(exec, 1);
    Array<std::byte> workspace(exec, ilu_workspace_bytes(n));
    const FactorPatternView<I> f{a.view(), diagonal.data(), levels.order.data(), levels.num_levels,
                                 levels.level_ptrs.data()};
    const auto& factorize = kind == Kind::lu ? ilu_factorize<V, I> : ic_factorize<V, I>;
    Stopwatch watch(exec);
    for (auto _ : state) {
        copy_bytes(exec, values.data(), exec, factors.data(), values.bytes());
        watch.start();
        factorize(exec, f, {norms.data()}, factors.data(), report.data(), {workspace.data(), workspace.size()});
        state.SetIterationTime(watch.stop());
    }
    constexpr size_type v = sizeof(V), i = sizeof(I), r = sizeof(real_t<V>);
    count_bytes(state, exec, values.size() * (2 * v + i) + n * (3 * i + r));
    state.SetLabel(level_label(exec, levels.num_levels));
}

template <class V, class I>
void add_case(const Executor& exec, const std::string& spec)
{
    add("ilu_factorize", exec, type_names<V, I>(), short_name(spec),
        [=](benchmark::State& state) { time_factorization(state, exec, *problem<V, I>(exec, spec), Kind::lu); });
    add("ic_factorize", exec, type_names<V, I>(), short_name(spec), [=](benchmark::State& state) {
        auto host = problem<V, I>(exec, spec)->to_host();
        CsrData<V, I> lower{host.size, {0}, {}, {}};
        for (size_type row = 0; row < host.size.rows; ++row) {
            for (I k = host.row_ptrs[row]; k < host.row_ptrs[row + 1] && host.col_idxs[k] <= row; ++k) {
                lower.col_idxs.push_back(host.col_idxs[k]);
                lower.values.push_back(host.values[k]);
            }
            lower.row_ptrs.push_back(static_cast<I>(lower.values.size()));
        }
        time_factorization(state, exec, Csr<V, I>(exec, lower), Kind::cholesky);
    });
}

const Suite suite{[](const Executor& exec) {
    std::vector<std::string> specs = matrix_files();
    specs.insert(specs.end(), {"lap2d:1000", "lap3d:100"});
    for (const auto& spec : specs) {
        add_case<double, std::int32_t>(exec, spec);
    }
}};

}  // namespace
}  // namespace linden::benchmarks
