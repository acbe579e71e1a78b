#include "core/kernels/ilut.hpp"

#include <linden/array.hpp>

#include "benchmark/support/suite.hpp"

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
          workspace_(exec, ilut_workspace_bytes<V, I>(rows, exec.info().num_units))
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

/// The rule (10, 1e-5) of [Naumov11, 5].
template <class Kernel>
void add_case(const Kernel& kernel, std::string_view name, const Executor& exec, const std::string& spec)
{
    add(name, exec, "double_int32", short_name(spec), [&kernel, exec, spec](benchmark::State& state) {
        const auto a = problem<double, std::int32_t>(exec, spec);
        const size_type rows = a->size().rows;
        Factors<double, std::int32_t> factors(exec, rows, a->num_nonzeros() / rows + 10);
        factors.find(kernel, *a, 1e-5);
        const double entries = factors.num_entries();
        measure(state, exec, bytes_of(*a) + static_cast<size_type>(entries) * 12,
                [&] { factors.find(kernel, *a, 1e-5); });
        state.counters["entries_per_row"] = entries / static_cast<double>(rows);
    });
}

const Suite suite{[](const Executor& exec) {
    if (!exec.is_host()) {
        return;
    }
    for (const char* spec : {"lap3d:100", "convdiff3d:100:1", "lap2d:1000", "random:200000:8:1"}) {
        add_case(ilut_factorize<double, std::int32_t>, "ilut_factorize", exec, spec);
    }
    for (const char* spec : {"lap3d:100", "lap2d:1000"}) {
        add_case(ict_factorize<double, std::int32_t>, "ict_factorize", exec, spec);
    }
    for (const auto& file : matrix_files()) {
        add_case(ilut_factorize<double, std::int32_t>, "ilut_factorize", exec, file);
    }
}};

}  // namespace
}  // namespace linden::benchmarks
