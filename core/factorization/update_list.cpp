#include "core/factorization/update_list.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

// instantiate: class detail::UpdateList<I>
// instantiate: detail::UpdateSizes detail::count_updates<I>(const PanelFactorView<I>&, double)

namespace linden::detail {
namespace {

/// Where not all rows are written out: those with so many entries after the diagonal are.
constexpr int most_in_short_row = 16;
/// Where less of the rows can be written out, none is.
constexpr double worth_a_list = 0.25;

template <class I>
I entries_after_diagonal(const PanelFactorView<I>& f, I k)
{
    return f.pattern.row_ptrs[k + 1] - f.diagonal[k] - 1;
}

/// Pivots in the order of levels: a row with an entry in a row before it comes a level later, so that many updates in a
/// row wait for none of the others. Those of a level are sorted by the length of their runs. That is a matter of the
/// pattern alone, so that a value's updates come in the same order whatever the tasks are. Rows that are left have no
/// level.
template <class I>
class UpdateWriter {
public:
    /// room: as UpdateList::workspace_bytes has it.
    UpdateWriter(const PanelFactorView<I>& f, const char* is_left, I* room)
        : f_(f),
          is_left_(is_left),
          place_(room),
          level_(place_ + f.pattern.rows),
          order_(level_ + f.pattern.rows),
          num_runs_(order_ + f.pattern.rows),
          next_(num_runs_ + f.pattern.rows),
          num_done_(next_ + f.pattern.rows)
    {
        find_levels();
        std::fill_n(num_runs_, f.pattern.rows, I{0});
        std::fill_n(num_done_, f.pattern.rows, I{0});
    }

    void write(I* task_ptrs, I* run_ptrs, I* pivots, I* runs)
    {
        task_ptrs[0] = run_ptrs[0] = 0;
        for (size_type task = 0; task < f_.num_tasks; ++task) {
            count_runs(task);
            const I num_pivots = order_pivots(task);
            I end_of_runs = run_ptrs[task];
            for (I p = 0; p < num_pivots; ++p) {
                end_of_runs = write_pivot(order_[p], end_of_runs, pivots + 4 * (task_ptrs[task] + p));
            }
            for_each_row(f_, task, [&](I i) { write_runs(i, runs); });
            task_ptrs[task + 1] = task_ptrs[task] + num_pivots;
            run_ptrs[task + 1] = end_of_runs;
        }
    }

private:
    void find_levels()
    {
        const I *const ptrs = f_.pattern.row_ptrs, *const cols = f_.pattern.col_idxs;
        const auto n = static_cast<I>(f_.pattern.rows);
        std::fill_n(level_, n, I{0});
        for (I k = 0; k < n; ++k) {
            if (is_left(k)) {
                continue;
            }
            I level = level_[k];
            for (I e = ptrs[k]; e < f_.diagonal[k]; ++e) {
                level = std::max(level, static_cast<I>(level_[cols[e]] + 1));
            }
            level_[k] = level;
            for (I e = f_.diagonal[k] + 1; e < ptrs[k + 1]; ++e) {
                level_[cols[e]] = std::max(level_[cols[e]], static_cast<I>(level + 1));
            }
        }
    }

    /// Calls each(e, k) for the entries e of row i in columns k of short rows before it.
    template <class Each>
    void for_each_pivot_of(I i, const Each& each) const
    {
        for (I e = f_.pattern.row_ptrs[i]; e < f_.diagonal[i]; ++e) {
            if (!is_left(f_.pattern.col_idxs[e])) {
                each(e, f_.pattern.col_idxs[e]);
            }
        }
    }

    void count_runs(size_type task)
    {
        for_each_row(f_, task, [this](I i) { for_each_pivot_of(i, [this](I, I k) { ++num_runs_[k]; }); });
    }

    /// order_ := the task's pivots, and how many they are. The last task has runs for those of all tasks.
    I order_pivots(size_type task)
    {
        const auto n = static_cast<I>(f_.pattern.rows);
        const bool is_last = task == f_.num_tasks - 1;
        if (is_last) {
            std::fill_n(place_, n, others);
        }
        I* end = order_;
        for_each_row(f_, task, [&](I k) {
            place_[k] = own;
            if (!is_left(k)) {
                *end++ = k;
            }
        });
        for (I k = 0; k < n && is_last; ++k) {
            if (place_[k] == others && num_runs_[k] > 0) {
                *end++ = k;
            }
        }
        std::sort(order_, end, [this](I j, I k) {
            const std::array<I, 3> key_j{level_[j], entries_after_diagonal(f_, j), j};
            return key_j < std::array<I, 3>{level_[k], entries_after_diagonal(f_, k), k};
        });
        return static_cast<I>(end - order_);
    }

    /// runs: where those of the pivot begin; where they end is returned.
    I write_pivot(I k, I runs, I* to)
    {
        const I first = f_.diagonal[k] + 1, length = entries_after_diagonal(f_, k);
        const I* const upper = f_.pattern.col_idxs + first;
        const I count = std::exchange(num_runs_[k], I{0});
        to[0] = place_[k] == own ? k : -1 - k;
        to[1] = count;
        to[2] = std::exchange(num_done_[k], num_done_[k] + count);
        to[3] = static_cast<I>(std::find_if(upper, upper + length, [this](I j) { return is_left(j); }) - upper);
        next_[k] = runs;
        return runs + count * (length + 1);
    }

    void write_runs(I i, I* runs)
    {
        const I *const ptrs = f_.pattern.row_ptrs, *const cols = f_.pattern.col_idxs;
        for (I e = ptrs[i]; e < ptrs[i + 1]; ++e) {
            place_[cols[e]] = e;
        }
        for_each_pivot_of(i, [&](I e, I k) {
            I* to = runs + next_[k];
            *to++ = e;
            to = std::transform(cols + f_.diagonal[k] + 1, cols + ptrs[k + 1], to, [this](I j) { return place_[j]; });
            next_[k] = static_cast<I>(to - runs);
        });
    }

    bool is_left(I row) const { return is_left_ != nullptr && is_left_[row] != 0; }

    static constexpr I own = 0, others = 1;

    PanelFactorView<I> f_;
    const char* is_left_;  ///< nullptr: no row is
    I* place_;             ///< of the row's entry in each column; before that, whose a pivot is
    I *level_, *order_;
    I *num_runs_, *next_,
        *num_done_;  ///< of each pivot: runs of the task, where the next one goes, runs of tasks before
};

struct Counts {
    size_type quotients = 0, updates = 0;
    size_type rows_left = 0, panels_left = 0, steps_left = 0;
};

/// Of all rows, or of so many that there are more than `most` updates.
template <class I>
Counts count_all(const PanelFactorView<I>& f, double most)
{
    Counts found;
    for (size_type i = 0; i < f.pattern.rows && static_cast<double>(found.updates) <= most; ++i) {
        found.quotients += f.diagonal[i] - f.pattern.row_ptrs[i];
        for (I e = f.pattern.row_ptrs[i]; e < f.diagonal[i]; ++e) {
            found.updates += entries_after_diagonal(f, f.pattern.col_idxs[e]);
        }
    }
    return found;
}

/// A panel is left with all its rows: like rows follow each other, and the first reaches all that others reach.
template <class I>
Counts leave_long_rows(const PanelFactorView<I>& f, std::vector<char>& is_left)
{
    const I *const ptrs = f.pattern.row_ptrs, *const cols = f.pattern.col_idxs;
    is_left.assign(static_cast<std::size_t>(f.pattern.rows), char{0});
    char* const left = is_left.data();
    Counts found;
    const I num_panels = f.task_ptrs[f.num_tasks];
    for (I p = 0; p < num_panels; ++p) {
        const I begin = f.panel_ptrs[p], end = f.panel_ptrs[p + 1];
        bool leave = entries_after_diagonal(f, begin) > most_in_short_row;
        Counts within;
        for (I i = begin; i < end; ++i) {
            leave |= left[i] != 0;
            for (I e = ptrs[i]; e < f.diagonal[i]; ++e) {
                const bool needs_left = left[cols[e]] != 0;
                Counts& to = cols[e] < begin ? found : within;
                to.quotients += needs_left ? 0 : 1;
                to.updates += needs_left ? 0 : entries_after_diagonal(f, cols[e]);
                leave |= needs_left;
            }
        }
        if (!leave) {
            found.quotients += within.quotients;
            found.updates += within.updates;
            continue;
        }
        std::fill(left + begin, left + end, char{1});
        for (I e = f.diagonal[begin] + 1; e < ptrs[begin + 1]; ++e) {
            left[cols[e]] = 1;
        }
        found.rows_left += end - begin;
        ++found.panels_left;
        found.steps_left += f.step_ptrs[p + 1] - f.step_ptrs[p];
    }
    return found;
}

}  // namespace

template <class I>
UpdateSizes count_updates(const PanelFactorView<I>& f, double most)
{
    const size_type n = f.pattern.rows;
    const auto most_here = most * static_cast<double>(f.pattern.num_nonzeros);
    UpdateSizes sizes;
    auto counts = count_all(f, most_here);
    if (static_cast<double>(counts.updates) > most_here) {
        counts = leave_long_rows(f, sizes.is_left);
        if (static_cast<double>(n - counts.rows_left) < worth_a_list * static_cast<double>(n)) {
            return sizes;
        }
    }
    const size_type pivots = (f.num_tasks > 1 ? 2 : 1) * (n - counts.rows_left);
    constexpr size_type counted = std::numeric_limits<I>::max();
    if (counts.updates + counts.quotients > counted || 4 * pivots > counted ||
        static_cast<double>(counts.updates) > most_here) {
        return sizes;
    }
    sizes.pivots = 4 * pivots;
    sizes.runs = counts.updates + counts.quotients;
    sizes.panels_left = counts.panels_left;
    sizes.steps_left = counts.steps_left;
    sizes.tasks = f.num_tasks;
    sizes.panels = f.task_ptrs[f.num_tasks];
    sizes.is_there = true;
    return sizes;
}

template <class I>
UpdateList<I>::UpdateList(const Executor& exec, const UpdateSizes& sizes)
    : task_ptrs_(exec),
      run_ptrs_(exec),
      pivots_(exec),
      runs_(exec),
      is_left_(exec),
      order_(exec),
      order_task_ptrs_(exec),
      step_ptrs_(exec),
      steps_(exec)
{
    if (!sizes.is_there) {
        return;
    }
    task_ptrs_ = Array<I>(exec, sizes.tasks + 1);
    run_ptrs_ = Array<I>(exec, sizes.tasks + 1);
    pivots_ = Array<I>(exec, sizes.pivots);
    runs_ = Array<I>(exec, sizes.runs);
    is_left_ = Array<char>(exec, sizes.is_left);
    if (sizes.panels_left > 0) {
        order_ = Array<I>(exec, sizes.panels_left);
        order_task_ptrs_ = Array<I>(exec, sizes.tasks + 1);
        step_ptrs_ = Array<I>(exec, sizes.panels + 1);
        steps_ = Array<I>(exec, 2 * sizes.steps_left);
    }
}

template <class I>
void UpdateList<I>::write_panels_left(const PanelFactorView<I>& f)
{
    I* to = order_.data();
    order_task_ptrs_.data()[0] = 0;
    for (size_type task = 0; task < f.num_tasks; ++task) {
        to = std::copy_if(f.order + f.task_ptrs[task], f.order + f.task_ptrs[task + 1], to,
                          [&](I p) { return is_left(f.panel_ptrs[p]); });
        order_task_ptrs_.data()[task + 1] = static_cast<I>(to - order_.data());
    }
    I num_steps = 0;
    step_ptrs_.data()[0] = 0;
    for (I p = 0; p < f.task_ptrs[f.num_tasks]; ++p) {
        for (I s = f.step_ptrs[p]; s < f.step_ptrs[p + 1] && is_left(f.panel_ptrs[p]); ++s) {
            I k = f.steps[2 * s];
            const I k_end = f.steps[2 * s + 1];
            while (k < k_end && !is_left(k)) {
                ++k;
            }
            if (k < k_end) {
                steps_.data()[2 * num_steps] = k;
                steps_.data()[2 * num_steps++ + 1] = k_end;
            }
        }
        step_ptrs_.data()[p + 1] = num_steps;
    }
}

template <class I>
void UpdateList<I>::write(const PanelFactorView<I>& f, WorkspaceView workspace)
{
    if (has_any() && !is_written_) {
        UpdateWriter<I>(f, is_left_.size() > 0 ? is_left_.data() : nullptr, reinterpret_cast<I*>(workspace.data))
            .write(task_ptrs_.data(), run_ptrs_.data(), pivots_.data(), runs_.data());
        if (order_.size() > 0) {
            write_panels_left(f);
        }
        is_written_ = true;
    }
}

}  // namespace linden::detail
