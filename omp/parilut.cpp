#include "core/portable/parilut_rows.hpp"

#include <mutex>

#include "omp/parallel.hpp"

namespace linden::omp {
namespace {

/// Blocks of rows in parts of equally many.
struct BlockPartition {
    size_type rows;  ///< number of blocks
    size_type num_entries;

    size_type work() const { return num_entries; }
    size_type first(int part, int parts) const { return rows * part / parts; }
};

template <class Body, class... Args>
void run_body(const Executor& exec, Args... args)
{
    const Body body{args...};
    const auto run = [&](size_type begin, size_type end) {
        for (size_type i = begin; i < end; ++i) {
            do_item(body, i);
        }
    };
    if constexpr (requires { body.block_rows; }) {
        parallel_parts(exec, BlockPartition{body.size(), body.num_entries()}, run);
    } else {
        parallel_parts(exec, RowPartition(body.size(), body.num_entries() / std::max<size_type>(body.size(), 1) + 1),
                       run);
    }
}

template <class V, class I>
void check(const Executor& exec, size_type n, const I* diagonal, const real_t<V>* norms, bool is_hermitian, V* values,
           PivotInverses<V> pivots)
{
    PivotReport& report = *pivots.report;
    report = {};
    std::mutex joining;
    parallel_rows(exec, n, [&](size_type begin, size_type end) {
        const auto mine = check_pivots<V, I>(begin, end, diagonal, norms, is_hermitian, values, pivots);
        const std::lock_guard lock(joining);
        report.num_bad += mine.num_bad;
        report.first_row = std::min(report.first_row, mine.first_row);
    });
}

/// Calls body(begin, end, working_row) for the parts of the selected rows.
template <class V, class I, class Body>
void for_parts(const Executor& exec, const FixedPointProblem<V, I>& problem, WorkspaceView workspace, const Body& body)
{
    const size_type n = problem.a.rows;
    const size_type bytes = parilut_workspace_bytes<V, I>(n, 1);
    const RowPartition rows(problem.selection.count, problem.f.s.num_nonzeros / std::max<size_type>(n, 1) + 1);
    const size_type parts = std::min<size_type>(workspace.bytes / bytes, num_parts(exec, rows));
    run_parts(rows, static_cast<int>(parts), [&](int part, size_type begin, size_type end) {
        WorkingRow<V, I> row(workspace.data + part * bytes, n);
        body(begin, end, row);
    });
}

template <class V, class I>
void count(const Executor& exec, CsrView<V, I> a, FixedPointView<V, I> f, RowSelection<I> selection,
           const real_t<V>* threshold, I* counts, WorkspaceView workspace)
{
    const FixedPointProblem<V, I> problem{a, f, selection, threshold};
    for_parts(exec, problem, workspace,
              [&](size_type begin, size_type end, WorkingRow<V, I>& row) { problem.count(begin, end, row, counts); });
}

template <class V, class I>
void form(const Executor& exec, CsrView<V, I> a, FixedPointView<V, I> f, RowSelection<I> selection,
          const real_t<V>* threshold, FormedRows<V, I> formed, WorkspaceView workspace)
{
    const FixedPointProblem<V, I> problem{a, f, selection, threshold};
    for_parts(exec, problem, workspace,
              [&](size_type begin, size_type end, WorkingRow<V, I>& row) { problem.form(begin, end, row, formed); });
}

}  // namespace

void register_parilut()
{
    for_each_portable_parilut(
        []<class Kernel, class Body>(Kernel& kernel, BodyOf<Body>) { kernel.bind(Backend::omp, run_body<Body>); });
    for_each_value_index([]<class V, class I>() {
        parilut_check_pivots<V, I>.bind(Backend::omp, check<V, I>);
        parilut_count<V, I>.bind(Backend::omp, count<V, I>);
        parilut_form<V, I>.bind(Backend::omp, form<V, I>);
        parilut_sweep<V, I>.bind(Backend::omp, run_body<SweepRows<V, I>, FixedPointView<V, I>, const V*, V*>);
    });
}

}  // namespace linden::omp
