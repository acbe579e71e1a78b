#include "core/kernels/ilut.hpp"

#include "core/portable/ilut.hpp"

namespace linden::reference {
namespace {

/// The rows one after the other; factorize(problem, row, working_row, finish, report) does one.
template <class V, class I, class Factorize>
void for_each_row(const ThresholdProblem<V, I>& problem, PivotReport* report, WorkspaceView workspace,
                  const Factorize& factorize)
{
    const size_type n = problem.a.rows;
    auto* const diagonals = reinterpret_cast<size_type*>(workspace.data);
    WorkingRow<V, I> working_row(reinterpret_cast<std::byte*>(diagonals + (n + 7) / 8 * 8), n);
    const auto finish = [&](size_type row) { return diagonals[row]; };
    *report = {};
    for (size_type row = 0; row < n; ++row) {
        diagonals[row] = factorize(problem, row, working_row, finish, *report);
    }
}

template <class V, class I>
void factorize_ilut(const Executor&, CsrView<V, I> a, ThresholdRule rule, real_t<V> shift, LimitedRowsView<V, I> f,
                    PivotReport* report, WorkspaceView workspace)
{
    for_each_row(ThresholdProblem<V, I>{a, rule, shift, f}, report, workspace,
                 [](auto&... arguments) { return factorize_ilut_row(arguments...); });
}

template <class V, class I>
void factorize_ict(const Executor&, CsrView<V, I> a, ThresholdRule rule, real_t<V> shift, LimitedRowsView<V, I> f,
                   PivotReport* report, WorkspaceView workspace)
{
    for_each_row(ThresholdProblem<V, I>{a, rule, shift, f}, report, workspace,
                 [](auto&... arguments) { return factorize_ict_row(arguments...); });
}

template <class V, class I>
void compact(const Executor&, LimitedRowsView<V, I> f, const I* row_ptrs, I* col_idxs, V* values)
{
    for (size_type row = 0; row < f.rows; ++row) {
        std::copy_n(f.cols + row * f.capacity, f.counts[row], col_idxs + row_ptrs[row]);
        std::copy_n(f.values + row * f.capacity, f.counts[row], values + row_ptrs[row]);
    }
}

}  // namespace

void register_ilut()
{
    for_each_value_index([]<class V, class I>() {
        ilut_factorize<V, I>.bind(Backend::reference, factorize_ilut<V, I>);
        ict_factorize<V, I>.bind(Backend::reference, factorize_ict<V, I>);
        ilut_compact<V, I>.bind(Backend::reference, compact<V, I>);
    });
}

}  // namespace linden::reference
