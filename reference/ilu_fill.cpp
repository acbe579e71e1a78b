#include "core/kernels/ilu_fill.hpp"

#include <algorithm>

#include "core/portable/ilu_fill.hpp"

namespace linden::reference {
namespace {

template <class I>
void count(const Executor&, PatternView<I> a, size_type k, I* counts, WorkspaceView workspace)
{
    FillSearch<I> fill(a, k, workspace.data);
    for (size_type row = 0; row < a.rows; ++row) {
        counts[row] = 0;
        fill.search(row, [&](I) { ++counts[row]; });
    }
}

template <class I>
void fill_rows(const Executor&, PatternView<I> a, size_type k, const I* row_ptrs, I* col_idxs, WorkspaceView workspace)
{
    FillSearch<I> fill(a, k, workspace.data);
    for (size_type row = 0; row < a.rows; ++row) {
        I* end = col_idxs + row_ptrs[row];
        fill.search(row, [&](I col) { *end++ = col; });
        std::sort(col_idxs + row_ptrs[row], end);
    }
}

}  // namespace

void register_ilu_fill()
{
    for_each_index([]<class I>() {
        ilu_fill_count<I>.bind(Backend::reference, count<I>);
        ilu_fill<I>.bind(Backend::reference, fill_rows<I>);
    });
}

}  // namespace linden::reference
