#pragma once

#include "core/kernels/ilu.hpp"

/// Exact factorizations of hosts, by panels: some rows at once, whose common updates are read once. Devices have the
/// kernels `ilu` and `triangular` for the same factors. [DemmelEtAl99]
namespace linden {

/// Rows of a panel at most, and rows that are subtracted from them in one pass at most.
inline constexpr int panel_rows = 4;

/// A factorization written out, update by update, for rows too short to be worth a search: pivot by pivot, for each one
/// by the rows that have an entry in its column, whose run says where that entry stands, and then those of the columns
/// that the pivot's row has behind the diagonal. Where not all rows are short, those that need none of the others are
/// eliminated so, from all rows; then come the panels of the others.
template <class I>
struct UpdateListView {
    const I* task_ptrs = nullptr;  ///< the pivots of each task
    const I* run_ptrs = nullptr;   ///< where the runs of each task begin
    /// 4 per pivot: its row, negative as -1 - row where it is another task's, which has looked at the pivot; its number
    /// of runs; the first one's entry of U behind the diagonal, if the pattern is symmetric, where runs are in the
    /// order of these entries; how many of these, the first ones, are in columns of short rows.
    const I* pivots = nullptr;
    const I* runs = nullptr;
    const I* order = nullptr;  ///< as of PanelFactorView, of the panels that are left, as are the next three
    const I* order_task_ptrs = nullptr;
    const I* step_ptrs = nullptr;
    const I* steps = nullptr;  ///< without rows that are eliminated by updates
    size_type num_panels_left = 0;
    bool is_there = false;
    bool is_hermitian = false;  ///< the matrix, of a symmetric pattern: row i of L is the conjugate of column i of U
                                ///< over its pivots, and needs no updates but for panels
};

/// What is right of the diagonal blocks of a block triangular form where the factors are those of the blocks alone.
template <class I>
struct OutsideView {
    PatternView<I> pattern;         ///< n x n, rows not sorted; its values stand behind those of the factors
    const I* block_ptrs = nullptr;  ///< block b has the rows block_ptrs[b] to block_ptrs[b + 1]
    size_type num_blocks = 0;       ///< 0: there is one block, and nothing outside of it
};

/// A closed pattern (FactorPatternView::is_closed), and how its rows are found. Rows sorted, with their diagonal entry.
template <class I>
struct PanelFactorView {
    PatternView<I> pattern;         ///< n x n
    const I* diagonal = nullptr;    ///< index of entry (i, i)
    const I* panel_ptrs = nullptr;  ///< panel p has the rows panel_ptrs[p] to panel_ptrs[p + 1]
    const I* step_ptrs = nullptr;   ///< panel p takes the steps step_ptrs[p] to step_ptrs[p + 1]
    const I* steps = nullptr;  ///< 2 per step, k and k_end: rows before the panel, some with them left of the diagonal;
                               ///< alike: row k + 1 has the columns of row k to the right of k
    const I* order = nullptr;  ///< panels by tasks, increasing in each
    const I* task_ptrs = nullptr;  ///< num_tasks + 1; the last task needs panels of all, the others only their own
    size_type num_tasks = 0;
    UpdateListView<I> updates;  ///< where it is there, hosts follow it, and take panels and steps that it leaves
    OutsideView<I> outside;     ///< for solves, which take one block after the other, and no tasks, where there are any
};

/// Calls each(i) for the rows of a task, first to last.
template <class I, class Each>
void for_each_row(const PanelFactorView<I>& f, size_type task, const Each& each)
{
    if (f.num_tasks == 1) {
        const auto n = static_cast<I>(f.pattern.rows);
        for (I i = 0; i < n; ++i) {
            each(i);
        }
        return;
    }
    for (I p = f.task_ptrs[task]; p < f.task_ptrs[task + 1]; ++p) {
        const I panel = f.order[p];
        for (I i = f.panel_ptrs[panel]; i < f.panel_ptrs[panel + 1]; ++i) {
            each(i);
        }
    }
}

/// Room for each thread: a row, and panel_rows rows interleaved.
template <class V>
constexpr size_type panels_workspace_bytes(size_type n, size_type threads)
{
    return threads * n * (panel_rows + 1) * static_cast<size_type>(sizeof(V));
}

/// values := L and U as ilu_factorize leaves them, with its pivots and its report. Deterministic: the same bits with
/// any number of threads; in their last digits not those of panels where f.updates is there. Workspace:
/// panels_workspace_bytes(n, threads of the executor); the reference needs none.
template <class V, class I>
inline constinit kernel<void(PanelFactorView<I> f, PivotLimits<real_t<V>> limits, V* values, PivotReport* report,
                             WorkspaceView workspace)>
    panels_factorize{"panels::factorize", types_of<V, I>};

/// x := U^-1 L^-1 x with the factors that panels_factorize leaves, where f.outside has blocks from the last one to the
/// first, x_b := U_b^-1 L_b^-1 (x_b - A_b,b+1 x_b+1 - ...).  values: of the factors; x: n x k. Deterministic, the same
/// bits with any number of threads. Reads the factors once for each column.
template <class V, class I>
inline constinit kernel<void(PanelFactorView<I> f, const V* values, DenseView<V> x)> panels_solve{"panels::solve",
                                                                                                  types_of<V, I>};

}  // namespace linden
