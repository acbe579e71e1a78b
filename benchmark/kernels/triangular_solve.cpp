// needs: double int32
#include <linden/matrix/operations.hpp>
#include <linden/solver/triangular.hpp>

#include <algorithm>

#include "benchmark/support/levels.hpp"
#include "core/kernels/triangular.hpp"
#include "core/kernels/vendor_triangular.hpp"

/// L x = b for the lower triangle L of a matrix.
namespace linden::benchmarks {
namespace {

template <class V, class S, class I>
class LowerFactor {
public:
    LowerFactor(const Csr<V, I>& a, detail::LevelUnit unit)
        : levels_(lower_levels(a, unit)),
          row_ptrs_(a.executor()),
          cols_(a.executor()),
          values_(a.executor()),
          inverse_diagonal_(a.executor())
    {
        const auto host = a.to_host();
        const auto position = levels_.position.to_host();
        std::vector<I> ptrs{0}, cols;
        std::vector<S> values;
        std::vector<V> inverse;
        std::vector<std::pair<I, V>> entries;
        for (const I row : levels_.order.to_host()) {
            entries.clear();
            inverse.push_back(V{1});
            for (I k = host.row_ptrs[row]; k < host.row_ptrs[row + 1]; ++k) {
                if (host.col_idxs[k] < row) {
                    entries.emplace_back(position[host.col_idxs[k]], host.values[k]);
                } else if (host.col_idxs[k] == row) {
                    inverse.back() = V{1} / host.values[k];
                }
            }
            std::sort(entries.begin(), entries.end(), [](auto& l, auto& r) { return l.first < r.first; });
            for (const auto& [col, value] : entries) {
                cols.push_back(col);
                values.push_back(static_cast<S>(value));
            }
            ptrs.push_back(static_cast<I>(cols.size()));
        }
        row_ptrs_ = Array<I>(a.executor(), ptrs);
        cols_ = Array<I>(a.executor(), cols);
        values_ = Array<S>(a.executor(), values);
        inverse_diagonal_ = Array<V>(a.executor(), inverse);
    }

    LevelFactorView<V, S, I> view() const
    {
        return {levels_.order.size(), cols_.size(),
                row_ptrs_.data(),     cols_.data(),
                values_.data(),       inverse_diagonal_.data(),
                levels_.order.data(), levels_.order.data(),
                levels_.num_levels,   levels_.level_ptrs.data()};
    }
    size_type bytes(size_type k) const
    {
        return triangular_solve_bytes<V, S, I>(levels_.order.size(), cols_.size(), k);
    }
    /// All levels on hosts; on devices runs of thin levels and wide levels one by one.
    std::vector<LevelRange> ranges(const Executor& exec) const
    {
        const auto ptrs = levels_.level_ptrs.to_host();
        return detail::level_ranges(exec, {ptrs.begin(), ptrs.end()});
    }

private:
    Levels<I> levels_;
    Array<I> row_ptrs_, cols_;
    Array<S> values_;
    Array<V> inverse_diagonal_;
};

template <class V, class S, class I>
void add_levels(const Executor& exec, const std::string& spec, size_type k)
{
    const auto what = short_name(spec) + (k == 1 ? "" : "x" + std::to_string(k));
    add("triangular_solve_levels", exec, type_names<V, S, I>(), what, [=](benchmark::State& state) {
        const LowerFactor<V, S, I> factor(*problem<V, I>(exec, spec), detail::level_unit_for(exec));
        const auto f = factor.view();
        const auto ranges = factor.ranges(exec);
        const auto b = block<V>(exec, {f.rows, k});
        Dense<V> x(exec, b.size());
        Array<V> w(exec, f.rows * k);
        measure(state, exec, factor.bytes(k), [&] {
            for (const auto range : ranges) {
                triangular_solve_levels<V, S, I>(exec, f, range, b.view(), x.view(), w.data());
            }
        });
        state.SetLabel(level_label(exec, f.num_levels));
    });
}

template <class V, class S, class I>
void add_syncfree(const Executor& exec, const std::string& spec, size_type k)
{
    const auto what = short_name(spec) + (k == 1 ? "" : "x" + std::to_string(k));
    add("triangular_solve_syncfree", exec, type_names<V, S, I>(), what, [=](benchmark::State& state) {
        const LowerFactor<V, S, I> factor(*problem<V, I>(exec, spec), detail::LevelUnit::row);
        const auto f = factor.view();
        const auto b = block<V>(exec, {f.rows, k});
        Dense<V> x(exec, b.size());
        Array<V> blocks(exec, 2 * f.rows * k);
        Array<std::uint64_t> tickets(exec, 1);
        const SyncFreeState<V> sync_free{blocks.data(), tickets.data()};
        triangular_start_state<V>(exec, blocks.size(), sync_free);
        measure(state, exec, factor.bytes(k),
                [&] { triangular_solve_syncfree<V, S, I>(exec, f, b.view(), x.view(), sync_free); });
        state.SetLabel(level_label(exec, f.num_levels));
    });
}

template <class S>
void add_both(const Executor& exec, const std::string& spec, size_type k)
{
    add_levels<double, S, std::int32_t>(exec, spec, k);
    add_syncfree<double, S, std::int32_t>(exec, spec, k);
}

/// The same by the operator, whose algorithm is named.
void add_operator(const Executor& exec, const std::string& spec, std::string_view name, TriangularAlgorithm algorithm,
                  size_type k)
{
    using I = std::int32_t;
    const auto what = short_name(spec) + (k == 1 ? "" : "x" + std::to_string(k));
    add("triangular_apply_" + std::string(name), exec, type_names<double, I>(), what, [=](benchmark::State& state) {
        const auto a = problem<double, I>(exec, spec);
        const auto n = a->size().rows;
        const auto num_nonzeros = lower_triangle(*a, linden::Triangle::without_diagonal).num_nonzeros();
        const Triangular<double> triangle(exec, {.solve = {.algorithm = algorithm}}, a);
        const auto b = block<double>(exec, {n, k});
        Dense<double> x(exec, b.size());
        measure(state, exec, triangular_solve_bytes<double, double, I>(n, num_nonzeros, k),
                [&] { triangle.apply(b, x); });
        state.SetLabel(level_label(exec, triangle.num_levels()));
    });
}

void add_operators(const Executor& exec, const std::string& spec, size_type k)
{
    using enum TriangularAlgorithm;
    add_operator(exec, spec, "automatic", automatic, k);
    add_operator(exec, spec, "levels", levels, k);
    add_operator(exec, spec, "syncfree", syncfree, k);
    add_operator(exec, spec, "segments", segments, k);
    if (vendor_triangular_solve<double, std::int32_t>.available(exec.backend())) {
        add_operator(exec, spec, "vendor", vendor, k);
    }
}

const Suite suite{[](const Executor& exec) {
    std::vector<std::string> specs = matrix_files();
    specs.insert(specs.end(), {"lap2d:1000", "lap3d:100"});
    if (!exec.is_host()) {
        specs.emplace_back("lap3d:200");
    }
    for (const auto& spec : specs) {
        add_both<double>(exec, spec, 1);
    }
    add_both<double>(exec, "lap3d:100", 4);
    if constexpr (has_types<float>) {
        add_both<float>(exec, "lap3d:100", 1);
    }
    if (!exec.is_host()) {
        for (const auto& spec : specs) {
            add_operators(exec, spec, 1);
        }
        add_operators(exec, "lap3d:100", 4);
    }
}};

}  // namespace
}  // namespace linden::benchmarks
