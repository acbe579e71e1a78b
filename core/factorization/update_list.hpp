#pragma once

#include <linden/array.hpp>

#include "core/kernels/panels.hpp"

namespace linden::detail {

/// The updates of an exact factorization written out, see UpdateListView, in memory that is there from the start: who
/// factorizes but once never writes it.
template <class I>
class UpdateList {
public:
    /// f: in host memory. most: updates per entry of the factors; where there are more, rows are long enough for loops
    /// over them, and the list stays empty.
    UpdateList(const Executor& exec, const PanelFactorView<I>& f, double most);

    static constexpr size_type workspace_bytes(size_type n) { return 5 * n * static_cast<size_type>(sizeof(I)); }

    /// O(nnz + number of updates), the first time; allocates nothing.
    void write(const PanelFactorView<I>& f, WorkspaceView workspace);

    UpdateListView<I> view() const
    {
        return {segment_ptrs_.data(), task_ptrs_.data(), pivots_.data(),
                quotients_.data(),    updates_.data(),   is_written_};
    }

private:
    Array<I> segment_ptrs_, task_ptrs_, pivots_, quotients_, updates_;  ///< empty: rows are long
    bool is_written_ = false;
};

}  // namespace linden::detail
