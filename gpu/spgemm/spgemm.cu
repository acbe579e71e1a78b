#include "core/kernels/spgemm.hpp"

#include "gpu/spgemm/spgemm_long.cuh"
#include "gpu/spgemm/spgemm_medium.cuh"
#include "gpu/spgemm/spgemm_merged.cuh"
#include "gpu/spgemm/spgemm_short.cuh"
#include "gpu/spgemm/spgemm_short_values.cuh"
#include "gpu/spgemm/spgemm_slices.cuh"
#include "gpu/spgemm/spgemm_tiny_values.cuh"

namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

template <class I>
void workspace_size(const Executor&, PatternView<I> a, PatternView<I>, size_type num_nonzeros, size_type* bytes)
{
    *bytes =
        num_nonzeros == 0 ? spgemm::SymbolicLists<I>::bytes(a) : spgemm::ValueLists<I>::bytes(a.rows, num_nonzeros);
}

template <class I>
void count(const Executor& exec, PatternView<I> a, PatternView<I> b, I* counts, WorkspaceView workspace)
{
    using namespace spgemm;
    if (a.rows == 0) {
        return;
    }
    const bool merges = a.rows >= least_merged_rows;
    const SymbolicLists<I> lists(workspace, a);
    const PatternTarget<I> c{counts, nullptr, nullptr, lists.kept()};
    gpu(exec).fill_zero(workspace.data, Lists<I>::header_bytes);
    launch_overlapped_on(exec, count_short_rows<I>, list_grid(exec, a.rows, short_threads, 16), short_threads, 0, a, b,
                         lists, counts);
    if (merges) {
        launch_overlapped_on(exec, find_merged_rows<I>,
                             list_grid(exec, a.rows, merged_threads / MergedRoom<I>::lanes, 16), merged_threads, 0, a,
                             b, lists, c);
    }
    launch_overlapped_on(exec, find_medium_rows<I>, list_grid(exec, a.rows, medium_threads / 32, 16), medium_threads, 0,
                         a, b, lists, merges ? table_list : medium_list, c);
    launch_overlapped_on(exec, find_long_rows<I>, list_grid(exec, a.rows, 1, 8), long_threads, window_bytes, a, b,
                         lists[long_list], c);
}

/// Columns of rows that are not short.
template <class I>
void write_listed_rows(const Executor& exec, PatternView<I> a, PatternView<I> b, const spgemm::SymbolicLists<I>& lists,
                       const spgemm::PatternTarget<I>& c)
{
    using namespace spgemm;
    launch_overlapped_on(exec, write_medium_rows<I>, list_grid(exec, a.rows, medium_threads / 32, 16), medium_threads,
                         0, a, b, lists[medium_list], c);
    launch_overlapped_on(exec, write_long_rows<I>, list_grid(exec, a.rows, 1, 8), long_threads, window_bytes, a, b,
                         lists[long_list], c);
}

/// Values of rows in the lists of short rows and of slices, of which there are `most_slices`.
template <class D, class I>
void sum_rows(const Executor& exec, const spgemm::Operands<D, I>& operands, const spgemm::ValueLists<I>& lists,
              size_type most_slices)
{
    using namespace spgemm;
    launch_overlapped_on(exec, sum_short_rows<D, I>, list_grid(exec, operands.c.rows, value_threads / value_lanes, 32),
                         value_threads, ShortRoom<D, I>::bytes, operands, lists.short_rows());
    launch_overlapped_on(exec, fills_warps(operands.b) ? sum_slices_by_rows<D, I> : sum_slices<D, I>,
                         list_grid(exec, most_slices, slice_threads / 32, 32), slice_threads, slice_bytes<D, I>,
                         operands, lists.slices());
}

template <class I>
void fill(const Executor& exec, PatternView<I> a, PatternView<I> b, const I* row_ptrs, I* col_idxs,
          WorkspaceView workspace)
{
    using namespace spgemm;
    if (a.rows == 0) {
        return;
    }
    const SymbolicLists<I> lists(workspace, a);
    const PatternTarget<I> c{nullptr, row_ptrs, col_idxs, lists.kept()};
    launch_overlapped_on(exec, write_short_rows<I>, list_grid(exec, a.rows, short_threads, 16), short_threads, 0, a, b,
                         row_ptrs, col_idxs);
    write_listed_rows(exec, a, b, lists, c);
}

template <class V, class I>
void form_workspace_size(const Executor&, PatternView<I> a, PatternView<I> b, size_type* bytes)
{
    *bytes = spgemm::SymbolicLists<I>::bytes_with_values(a, b);
}

template <class V, class I>
void form(const Executor& exec, CsrView<V, I> a, CsrView<V, I> b, I* counts, WorkspaceView workspace)
{
    count<I>(exec, a, b, counts, workspace);
}

/// Short rows come last: they fill the lists of the others, in the room of columns that have been kept till then.
template <class V, class I>
void take(const Executor& exec, CsrView<V, I> a, CsrView<V, I> b, const I* row_ptrs, I* col_idxs, V* values,
          WorkspaceView workspace)
{
    using namespace spgemm;
    using D = device_type<V>;
    if (a.rows == 0) {
        return;
    }
    const SymbolicLists<I> lists(workspace, a);
    write_listed_rows<I>(exec, a, b, lists, {nullptr, row_ptrs, col_idxs, lists.kept()});
    const Operands<D, I> operands{as_device(a), as_device(b), PatternView<I>(a.rows, b.cols, 0, row_ptrs, col_idxs),
                                  as_device(values)};
    const auto rest = lists.of_values(workspace);
    launch_overlapped_on(exec, form_short_rows<D, I>, list_grid(exec, a.rows, value_threads, 16), value_threads, 0,
                         operands, col_idxs, rest);
    sum_rows(exec, operands, rest, a.rows + lists.most_entries(a, b) / slice_entries);
}

template <class V, class I>
void multiply(const Executor& exec, CsrView<V, I> a, CsrView<V, I> b, PatternView<I> c, V* values,
              WorkspaceView workspace)
{
    using namespace spgemm;
    using D = device_type<V>;
    if (c.num_nonzeros == 0) {
        return;
    }
    const Operands<D, I> operands{as_device(a), as_device(b), c, as_device(values)};
    const ValueLists<I> lists(workspace, c.rows, c.num_nonzeros);
    gpu(exec).fill_zero(workspace.data, Lists<I>::header_bytes);
    const bool has_tiny = has_tiny_rows(c);
    launch_overlapped_on(exec, sort_value_rows<I>, list_grid(exec, c.rows, column_block_threads, 16),
                         column_block_threads, 0, PatternView<I>(a), c, has_tiny ? tiny_entries : 0, lists);
    if (has_tiny) {
        launch_overlapped_on(exec, sum_tiny_rows<D, I>, list_grid(exec, c.rows, value_threads, 16), value_threads,
                             TinySums<D, I>::shared_bytes, operands, lists.tiny_rows());
    }
    sum_rows(exec, operands, lists, c.rows + c.num_nonzeros / slice_entries);
}

}  // namespace

void register_spgemm()
{
    for_each_index([]<class I>() {
        spgemm_workspace<I>.bind(this_backend, workspace_size<I>);
        spgemm_count<I>.bind(this_backend, count<I>);
        spgemm_fill<I>.bind(this_backend, fill<I>);
    });
    for_each_value_index([]<class V, class I>() {
        spgemm_multiply<V, I>.bind(this_backend, multiply<V, I>);
        if constexpr (sizeof(I) == 4) {  // else nothing bounds the room that lists take
            spgemm_form_workspace<V, I>.bind(this_backend, form_workspace_size<V, I>);
            spgemm_form<V, I>.bind(this_backend, form<V, I>);
            spgemm_take<V, I>.bind(this_backend, take<V, I>);
        }
    });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
