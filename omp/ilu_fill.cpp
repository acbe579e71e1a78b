#include "core/kernels/ilu_fill.hpp"

#include <algorithm>
#include <atomic>

#include "core/portable/ilu_fill.hpp"
#include "omp/parallel.hpp"

namespace linden::omp {
namespace {

/// Calls body(search, row) for every row. Searches differ in length, later ones have more vertices to pass through:
/// threads take runs of rows as they come free.
template <class I, class Body>
void for_each_row(const Executor& exec, PatternView<I> a, size_type k, WorkspaceView workspace, const Body& body)
{
    constexpr size_type run_length = 64;
    const RowPartition rows{a.rows, 8 * std::min<size_type>(k + 1, 64)};
    const size_type room = workspace.bytes / std::max(FillSearch<I>::bytes(a.rows), size_type{1});
    const int parts = static_cast<int>(std::clamp(room, size_type{1}, size_type{num_parts(exec, rows)}));
    std::atomic<size_type> next{0};
    run_parts(rows, parts, [&](int part, size_type, size_type) {
        FillSearch<I> fill(a, k, workspace.data + part * FillSearch<I>::bytes(a.rows));
        for (size_type first; (first = next.fetch_add(run_length, std::memory_order_relaxed)) < a.rows;) {
            for (size_type row = first; row < std::min(first + run_length, a.rows); ++row) {
                body(fill, row);
            }
        }
    });
}

template <class I>
void count(const Executor& exec, PatternView<I> a, size_type k, I* counts, WorkspaceView workspace)
{
    for_each_row(exec, a, k, workspace, [&](FillSearch<I>& fill, size_type row) {
        I entries = 0;
        fill.search(row, [&](I) { ++entries; });
        counts[row] = entries;
    });
}

template <class I>
void fill_rows(const Executor& exec, PatternView<I> a, size_type k, const I* row_ptrs, I* col_idxs,
               WorkspaceView workspace)
{
    for_each_row(exec, a, k, workspace, [&](FillSearch<I>& fill, size_type row) {
        I* end = col_idxs + row_ptrs[row];
        fill.search(row, [&](I col) { *end++ = col; });
        std::sort(col_idxs + row_ptrs[row], end);
    });
}

}  // namespace

void register_ilu_fill()
{
    for_each_index([]<class I>() {
        ilu_fill_count<I>.bind(Backend::omp, count<I>);
        ilu_fill<I>.bind(Backend::omp, fill_rows<I>);
    });
}

}  // namespace linden::omp
