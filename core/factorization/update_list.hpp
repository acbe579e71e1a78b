#pragma once

#include <linden/array.hpp>

#include <limits>
#include <vector>

#include "core/kernels/panels.hpp"

namespace linden::detail {

/// What a list of updates will hold: nothing where is_there is false, but then rows may have been looked at.
struct UpdateSizes {
    size_type pivots = 0, runs = 0;             ///< indices of these
    size_type panels_left = 0, steps_left = 0;  ///< where not all rows are written out
    size_type tasks = 0, panels = 0;            ///< of the factorization
    bool is_there = false;
    std::vector<char> is_left;  ///< of each row, to a panel; empty: none is

    /// Of the list.
    template <class I>
    size_type bytes() const
    {
        const size_type left = panels_left > 0 ? 2 + tasks + panels + panels_left + 2 * steps_left : 0;
        const size_type indices = is_there ? 2 * (tasks + 1) + pivots + runs + left : 0;
        return indices * static_cast<size_type>(sizeof(I)) +
               (is_there ? static_cast<size_type>(is_left.size()) : size_type{0});
    }
};

/// f: in host memory. most: updates per entry of the factors; where there are more, some rows are long enough for loops
/// over them. These and what needs them are left out, and where too little stays the list is empty.
template <class I>
UpdateSizes count_updates(const PanelFactorView<I>& f, double most);

/// The updates of an exact factorization written out, see UpdateListView, in memory that is there from the start: who
/// factorizes but once never writes it.
template <class I>
class UpdateList {
public:
    UpdateList(const Executor& exec, const UpdateSizes& sizes);

    /// Whether the list of n rows of so many entries has all of their updates.
    static bool has_all(size_type n, size_type num_entries, size_type num_updates, double most)
    {
        constexpr size_type counted = std::numeric_limits<I>::max();
        return static_cast<double>(num_updates) <= most * static_cast<double>(num_entries) &&
               num_updates + num_entries <= counted && 8 * n <= counted;
    }

    static constexpr size_type workspace_bytes(size_type n) { return 6 * n * static_cast<size_type>(sizeof(I)); }

    bool has_any() const { return task_ptrs_.size() > 0; }

    /// O(nnz + number of updates), the first time; allocates nothing.
    void write(const PanelFactorView<I>& f, WorkspaceView workspace);

    UpdateListView<I> view() const
    {
        return {.task_ptrs = task_ptrs_.data(),
                .run_ptrs = run_ptrs_.data(),
                .pivots = pivots_.data(),
                .runs = runs_.data(),
                .order = order_.data(),
                .order_task_ptrs = order_task_ptrs_.data(),
                .step_ptrs = step_ptrs_.data(),
                .steps = steps_.data(),
                .num_panels_left = order_.size(),
                .is_there = is_written_};
    }

private:
    void write_panels_left(const PanelFactorView<I>& f);
    bool is_left(I row) const { return is_left_.size() > 0 && is_left_.data()[row] != 0; }

    Array<I> task_ptrs_, run_ptrs_, pivots_, runs_;  ///< empty: rows are long
    Array<char> is_left_;                            ///< of each row, to a panel; empty: none is
    Array<I> order_, order_task_ptrs_, step_ptrs_, steps_;
    bool is_written_ = false;
};

}  // namespace linden::detail
