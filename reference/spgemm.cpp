#include "core/kernels/spgemm.hpp"

#include <algorithm>

namespace linden::reference {
namespace {

template <class I>
void workspace_size(const Executor&, PatternView<I>, PatternView<I> b, size_type, size_type* bytes)
{
    *bytes = b.cols * static_cast<size_type>(sizeof(I));
}

/// Calls use(row, col) for each entry of C once, row by row. Workspace: the last row that had an entry in each column.
template <class I, class Use>
void for_each_entry(PatternView<I> a, PatternView<I> b, WorkspaceView workspace, const Use& use)
{
    I* const last_row = reinterpret_cast<I*>(workspace.data);
    std::fill_n(last_row, b.cols, I{-1});
    for (size_type row = 0; row < a.rows; ++row) {
        for (I i = a.row_ptrs[row]; i < a.row_ptrs[row + 1]; ++i) {
            const I k = a.col_idxs[i];
            for (I j = b.row_ptrs[k]; j < b.row_ptrs[k + 1]; ++j) {
                const I col = b.col_idxs[j];
                if (last_row[col] != row) {
                    last_row[col] = static_cast<I>(row);
                    use(row, col);
                }
            }
        }
    }
}

template <class I>
void count(const Executor&, PatternView<I> a, PatternView<I> b, I* counts, WorkspaceView workspace)
{
    std::fill_n(counts, a.rows, I{});
    for_each_entry(a, b, workspace, [&](size_type row, I) { ++counts[row]; });
}

template <class I>
void fill(const Executor&, PatternView<I> a, PatternView<I> b, const I* row_ptrs, I* col_idxs, WorkspaceView workspace)
{
    I* next = col_idxs;
    for_each_entry(a, b, workspace, [&](size_type, I col) { *next++ = col; });
    for (size_type row = 0; row < a.rows; ++row) {
        std::sort(col_idxs + row_ptrs[row], col_idxs + row_ptrs[row + 1]);
    }
}

template <class V, class I>
void multiply(const Executor&, CsrView<V, I> a, CsrView<V, I> b, PatternView<I> c, V* values, WorkspaceView)
{
    std::fill_n(values, c.num_nonzeros, V{});
    for (size_type row = 0; row < a.rows; ++row) {
        const I* const first = c.col_idxs + c.row_ptrs[row];
        const I* const last = c.col_idxs + c.row_ptrs[row + 1];
        for (I i = a.row_ptrs[row]; i < a.row_ptrs[row + 1]; ++i) {
            const I k = a.col_idxs[i];
            for (I j = b.row_ptrs[k]; j < b.row_ptrs[k + 1]; ++j) {
                values[std::lower_bound(first, last, b.col_idxs[j]) - c.col_idxs] += a.values[i] * b.values[j];
            }
        }
    }
}

template <class V, class I>
void form_workspace_size(const Executor& exec, PatternView<I> a, PatternView<I> b, size_type* bytes)
{
    workspace_size(exec, a, b, 0, bytes);
}

template <class V, class I>
void form(const Executor& exec, CsrView<V, I> a, CsrView<V, I> b, I* counts, WorkspaceView workspace)
{
    count<I>(exec, a, b, counts, workspace);
}

template <class V, class I>
void take(const Executor& exec, CsrView<V, I> a, CsrView<V, I> b, const I* row_ptrs, I* col_idxs, V* values,
          WorkspaceView workspace)
{
    fill<I>(exec, a, b, row_ptrs, col_idxs, workspace);
    multiply<V, I>(exec, a, b, {a.rows, b.cols, row_ptrs[a.rows], row_ptrs, col_idxs}, values, workspace);
}

}  // namespace

void register_spgemm()
{
    for_each_index([]<class I>() {
        spgemm_workspace<I>.bind(Backend::reference, workspace_size<I>);
        spgemm_count<I>.bind(Backend::reference, count<I>);
        spgemm_fill<I>.bind(Backend::reference, fill<I>);
    });
    for_each_value_index([]<class V, class I>() {
        spgemm_multiply<V, I>.bind(Backend::reference, multiply<V, I>);
        spgemm_form_workspace<V, I>.bind(Backend::reference, form_workspace_size<V, I>);
        spgemm_form<V, I>.bind(Backend::reference, form<V, I>);
        spgemm_take<V, I>.bind(Backend::reference, take<V, I>);
    });
}

}  // namespace linden::reference
