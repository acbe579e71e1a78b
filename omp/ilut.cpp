#include "core/kernels/ilut.hpp"

#include <atomic>
#include <mutex>

#include "core/portable/ilut.hpp"
#include "omp/parallel.hpp"
#include "omp/wait.hpp"

namespace linden::omp {
namespace {

/// Where the diagonals of rows that are done stand; others are waited for.
class FinishedRows {
public:
    FinishedRows(size_type* memory, size_type rows) : diagonals_(memory) { std::fill_n(memory, rows, not_done); }

    void announce(size_type row, size_type diagonal) const
    {
        std::atomic_ref(diagonals_[row]).store(diagonal, std::memory_order_release);
    }
    /// The row is done, or a thread works on it that does not wait for the caller.
    size_type wait_for(size_type row) const
    {
        const std::atomic_ref entry(diagonals_[row]);
        size_type diagonal = not_done;
        wait_until([&] { return (diagonal = entry.load(std::memory_order_acquire)) != not_done; });
        return diagonal;
    }

private:
    static constexpr size_type not_done = -1;

    size_type* diagonals_;
};

/// Deals out rows in increasing order, by runs that end before a row without the entry beside its diagonal. On grids
/// these are lines: each thread goes along one, a few points behind that of the line before, and rarely waits; row by
/// row each would wait for its neighbour's end.
template <class I>
class Runs {
public:
    explicit Runs(PatternView<I> a) : a_(a) {}

    /// The next run; false if there is none.
    bool take(size_type& begin, size_type& end)
    {
        begin = next_.load(std::memory_order_relaxed);
        do {
            if (begin == a_.rows) {
                return false;
            }
            end = end_of_run(begin);
        } while (!next_.compare_exchange_weak(begin, end, std::memory_order_relaxed));
        return true;
    }

private:
    static constexpr size_type max_rows = 1024;

    size_type end_of_run(size_type begin) const
    {
        const size_type most = std::min(begin + max_rows, a_.rows);
        size_type end = begin + 1;
        while (end < most && is_linked(end)) {
            ++end;
        }
        return end;
    }
    bool is_linked(size_type row) const
    {
        const I* const end = a_.col_idxs + a_.row_ptrs[row + 1];
        return std::find(a_.col_idxs + a_.row_ptrs[row], end, static_cast<I>(row - 1)) != end;
    }

    PatternView<I> a_;
    std::atomic<size_type> next_{0};
};

/// All rows; factorize(problem, row, working_row, finish, report) does one. A row waits for earlier rows alone, which
/// are done or taken by a thread that works on them: somebody can always go on.
template <class V, class I, class Factorize>
void for_each_row(const Executor& exec, const ThresholdProblem<V, I>& problem, PivotReport* report,
                  WorkspaceView workspace, const Factorize& factorize)
{
    const size_type n = problem.a.rows;
    const size_type part_bytes = ilut_part_bytes<V, I>(n);
    auto* const diagonals = reinterpret_cast<size_type*>(workspace.data);
    auto* const first_part = reinterpret_cast<std::byte*>(diagonals + (n + 7) / 8 * 8);
    const size_type room = (workspace.data + workspace.bytes - first_part) / part_bytes;
    const auto rows = by_nonzeros(problem.a);
    const int parts = static_cast<int>(std::clamp(room, size_type{1}, size_type{num_parts(exec, rows)}));
    const FinishedRows finished(diagonals, n);
    const auto finish = [&](size_type row) { return finished.wait_for(row); };
    Runs<I> runs(problem.a);
    std::mutex joining;
    *report = {};
    Survivor survivor;
    run_team(parts, [&](int thread, int running) {
        WorkingRow<V, I> working_row(first_part + thread * part_bytes, n);
        TeamMember member(survivor, thread, running);
        PivotReport mine;
        for (size_type begin, end; member.goes_on() && runs.take(begin, end);) {
            for (size_type row = begin; row < end; ++row) {
                finished.announce(row, factorize(problem, row, working_row, finish, mine));
            }
        }
        const std::lock_guard lock(joining);
        report->num_bad += mine.num_bad;
        report->first_row = std::min(report->first_row, mine.first_row);
    });
}

template <class V, class I>
void factorize_ilut(const Executor& exec, CsrView<V, I> a, ThresholdRule rule, real_t<V> shift, LimitedRowsView<V, I> f,
                    PivotReport* report, WorkspaceView workspace)
{
    for_each_row(exec, ThresholdProblem<V, I>{a, rule, shift, f}, report, workspace,
                 [](auto&... arguments) { return factorize_ilut_row(arguments...); });
}

template <class V, class I>
void factorize_ict(const Executor& exec, CsrView<V, I> a, ThresholdRule rule, real_t<V> shift, LimitedRowsView<V, I> f,
                   PivotReport* report, WorkspaceView workspace)
{
    for_each_row(exec, ThresholdProblem<V, I>{a, rule, shift, f}, report, workspace,
                 [](auto&... arguments) { return factorize_ict_row(arguments...); });
}

template <class V, class I>
void compact(const Executor& exec, LimitedRowsView<V, I> f, const I* row_ptrs, I* col_idxs, V* values)
{
    parallel_parts(exec, NonzeroPartition<I>{row_ptrs, f.rows}, [&](size_type begin, size_type end) {
        for (size_type row = begin; row < end; ++row) {
            std::copy_n(f.cols + row * f.capacity, f.counts[row], col_idxs + row_ptrs[row]);
            std::copy_n(f.values + row * f.capacity, f.counts[row], values + row_ptrs[row]);
        }
    });
}

}  // namespace

void register_ilut()
{
    for_each_value_index([]<class V, class I>() {
        ilut_factorize<V, I>.bind(Backend::omp, factorize_ilut<V, I>);
        ict_factorize<V, I>.bind(Backend::omp, factorize_ict<V, I>);
        ilut_compact<V, I>.bind(Backend::omp, compact<V, I>);
    });
}

}  // namespace linden::omp
