#pragma once

#include <linden/array.hpp>

#include <vector>

#include "core/factorization/elimination_tree.hpp"
#include "core/factorization/update_list.hpp"
#include "core/kernels/panels.hpp"

namespace linden::detail {

/// How hosts find the rows of exact factors, see PanelFactorView: a matter of the pattern alone.
template <class I>
struct RowPanels {
    std::vector<I> diagonal, panel_ptrs{0}, step_ptrs{0}, steps, order, task_ptrs{0};

    PanelFactorView<I> view(PatternView<I> f) const
    {
        return {f,
                diagonal.data(),
                panel_ptrs.data(),
                step_ptrs.data(),
                steps.data(),
                order.data(),
                task_ptrs.data(),
                static_cast<size_type>(task_ptrs.size()) - 1,
                {},
                {}};
    }
    /// What the arrays take, in bytes.
    size_type bytes() const
    {
        return static_cast<size_type>(
            (diagonal.size() + panel_ptrs.size() + step_ptrs.size() + steps.size() + order.size() + task_ptrs.size()) *
            sizeof(I));
    }
};

/// Panels of like rows where the steps that they share save more than they add, and tasks: subtrees of the forest in
/// which a panel is above those that it needs, and those that need it in the upper triangle. f: a closed pattern; tree:
/// the elimination tree of a symmetric pattern that holds f, empty: there is one task. Almost O(nnz).
/// has_steps: false where all updates are written out: panels are rows, whose steps nobody takes.
template <class I>
RowPanels<I> make_row_panels(const HostPattern<I>& f, const std::vector<I>& tree, bool has_steps = true);

/// Updates per entry up to which all are written out.
inline constexpr double most_updates_per_entry = 6;

/// The same where kernels need it.
template <class I>
class PanelSchedule {
public:
    /// updates: of these panels.
    PanelSchedule(const Executor& exec, PatternView<I> f, const RowPanels<I>& panels, const UpdateSizes& updates)
        : pattern_(f),
          diagonal_(exec, panels.diagonal),
          panel_ptrs_(exec, panels.panel_ptrs),
          step_ptrs_(exec, panels.step_ptrs),
          steps_(exec, panels.steps),
          order_(exec, panels.order),
          task_ptrs_(exec, panels.task_ptrs),
          updates_(exec, updates)
    {
    }
    /// For factorizations to come, whose values may differ in their last digits. workspace: as UpdateList wants it.
    void write_updates(WorkspaceView workspace) { updates_.write(panels_view(), workspace); }

    bool has_updates() const { return updates_.has_any(); }

    PanelFactorView<I> view() const
    {
        auto view = panels_view();
        view.updates = updates_.view();
        return view;
    }
    const Array<I>& diagonal() const { return diagonal_; }

private:
    PanelFactorView<I> panels_view() const
    {
        return {pattern_,
                diagonal_.data(),
                panel_ptrs_.data(),
                step_ptrs_.data(),
                steps_.data(),
                order_.data(),
                task_ptrs_.data(),
                task_ptrs_.size() - 1,
                {},
                {}};
    }

    PatternView<I> pattern_;
    Array<I> diagonal_, panel_ptrs_, step_ptrs_, steps_, order_, task_ptrs_;
    UpdateList<I> updates_;
};

}  // namespace linden::detail
