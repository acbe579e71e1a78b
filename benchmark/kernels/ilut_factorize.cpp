// needs: double int32
#include "core/kernels/ilut.hpp"

#include <linden/array.hpp>

#include "benchmark/support/levels.hpp"
#include "core/factorization/factor_pattern.hpp"
#include "core/factorization/threshold.hpp"

namespace linden::benchmarks {
namespace {

/// Factors with room for `row_limit` entries on each side of the diagonal in a row, and what it takes to find them.
template <class V, class I>
class Factors {
public:
    Factors(const Executor& exec, size_type rows, size_type row_limit)
        : row_limit_(row_limit),
          counts_(exec, rows),
          cols_(exec, rows * (2 * row_limit + 1)),
          values_(exec, rows * (2 * row_limit + 1)),
          report_(exec, 1),
          workspace_(exec, ilut_workspace_bytes<V, I>(
                               rows, exec.is_host() ? exec.info().num_units : ilut_device_parts<V, I>(rows)))
    {
    }

    template <class Kernel>
    void find(const Kernel& kernel, const Csr<V, I>& a, double tolerance)
    {
        kernel(a.executor(), a.view(), {row_limit_, tolerance}, real_t<V>{0}, view(), report_.data(),
               {workspace_.data(), workspace_.size()});
    }

    double num_entries() const
    {
        double sum = 0;
        for (const auto count : counts_.to_host()) {
            sum += static_cast<double>(count);
        }
        return sum;
    }

private:
    LimitedRowsView<V, I> view()
    {
        return {counts_.size(), 2 * row_limit_ + 1, counts_.data(), cols_.data(), values_.data()};
    }

    size_type row_limit_;
    Array<I> counts_;
    Array<I> cols_;
    Array<V> values_;
    Array<PivotReport> report_;
    Array<std::byte> workspace_;
};

/// Times one run of `f` after the other: each takes long enough, on devices too.
template <class F>
void measure_runs(benchmark::State& state, const Executor& exec, size_type bytes, F&& f)
{
    Stopwatch watch(exec);
    f();
    for (auto _ : state) {
        watch.start();
        f();
        state.SetIterationTime(watch.stop());
    }
    count_bytes(state, exec, bytes);
}

/// The rule (10, 1e-5) of [Naumov11, 5].
constexpr size_type tested_k = 10;
constexpr double tested_tolerance = 1e-5;

template <class Kernel>
void add_case(const Kernel& kernel, std::string_view name, const Executor& exec, const std::string& spec)
{
    add(name, exec, "double_int32", short_name(spec), [&kernel, exec, spec](benchmark::State& state) {
        const auto a = problem<double, std::int32_t>(exec, spec);
        const size_type rows = a->size().rows;
        Factors<double, std::int32_t> factors(exec, rows, a->num_nonzeros() / rows + tested_k);
        factors.find(kernel, *a, tested_tolerance);
        const double entries = factors.num_entries();
        measure_runs(state, exec, bytes_of(*a) + static_cast<size_type>(entries) * 12,
                     [&] { factors.find(kernel, *a, tested_tolerance); });
        state.counters["entries_per_row"] = entries / static_cast<double>(rows);
    });
}

/// All that it takes to have the factors of a matrix in the device's memory, found on the device, or with `_host` on
/// the host: with both copies then. With the levels of the factor, through which no row's time is less than a hop.
void add_both_ways(const std::string& name, bool is_cholesky, const Executor& exec, const std::string& spec)
{
    const detail::FactorizationPlan plan{
        .name = name, .is_cholesky = is_cholesky, .k = tested_k, .tolerance = tested_tolerance};
    for (const auto& where : {exec, detail::host_beside(exec)}) {
        const std::string suffix = where == exec ? "" : "_host";
        add(name + suffix, exec, "double_int32", short_name(spec), [=](benchmark::State& state) {
            const auto a = problem<double, std::int32_t>(exec, spec);
            const auto found = detail::factorize_with_threshold_on(where, *a, plan);
            const auto num_levels = lower_levels(found.factors, detail::LevelUnit::whole).num_levels;
            measure_runs(state, exec, bytes_of(*a) + bytes_of(found.factors),
                         [&] { detail::factorize_with_threshold_on(where, *a, plan); });
            state.SetLabel(level_label(exec, num_levels));
        });
    }
}

constexpr const char* ilut_problems[] = {"lap3d:100", "convdiff3d:100:1", "lap2d:1000", "random:200000:8:1"};
constexpr const char* ict_problems[] = {"lap3d:100", "lap2d:1000"};

const Suite suite{[](const Executor& exec) {
    for (const char* spec : ilut_problems) {
        add_case(ilut_factorize<double, std::int32_t>, "ilut_factorize", exec, spec);
    }
    for (const char* spec : ict_problems) {
        add_case(ict_factorize<double, std::int32_t>, "ict_factorize", exec, spec);
    }
    for (const auto& file : matrix_files()) {
        add_case(ilut_factorize<double, std::int32_t>, "ilut_factorize", exec, file);
    }
}};

const Suite both_ways{[](const Executor& exec) {
    if (exec.is_host()) {
        return;
    }
    for (const char* spec : ilut_problems) {
        add_both_ways("ilut_factors", false, exec, spec);
    }
    for (const char* spec : ict_problems) {
        add_both_ways("ict_factors", true, exec, spec);
    }
    for (const auto& file : matrix_files()) {
        add_both_ways("ilut_factors", false, exec, file);
    }
}};

}  // namespace
}  // namespace linden::benchmarks
