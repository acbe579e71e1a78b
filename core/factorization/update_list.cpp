#include "core/factorization/update_list.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

// instantiate: class detail::UpdateList<I>

namespace linden::detail {
namespace {

/// Where not all rows are written out: those with so many entries after the diagonal are.
constexpr int most_in_short_row = 12;
/// Where less of the rows can be written out, none is.
constexpr double worth_a_list = 0.25;

template <class I>
I entries_after_diagonal(const PanelFactorView<I>& f, I k)
{
    return f.pattern.row_ptrs[k + 1] - f.diagonal[k] - 1;
}

/// What is written, level by level: where a segment's pivots, quotients and updates begin, or how many there are.
template <class I>
using Parts = std::array<I, 3>;

/// Level by level in each task: a row or column with an entry in a row or column before it comes a level later. So no
/// loop waits for another, and a value's updates come in the same order whatever the tasks are. Rows that are left have
/// no level.
template <class I>
class UpdateWriter {
public:
    /// room: as UpdateList::workspace_bytes has it.
    UpdateWriter(const PanelFactorView<I>& f, const char* is_left, I* room)
        : f_(f),
          is_left_(is_left),
          place_(room),
          level_(room + f.pattern.rows),
          next_(reinterpret_cast<Parts<I>*>(room + 2 * f.pattern.rows))
    {
        find_levels();
    }

    void write(I* segment_ptrs, I* task_ptrs, I* pivots, I* quotients, I* updates)
    {
        I* end = std::fill_n(segment_ptrs, 3, I{0});
        task_ptrs[0] = 0;
        for (size_type task = 0; task < f_.num_tasks; ++task) {
            end = begin_segments(task, end);
            task_ptrs[task + 1] = static_cast<I>((end - segment_ptrs) / 3 - 1);
            for_each_row(f_, task, [&](I i) { write_row(i, pivots, quotients, updates); });
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
            num_levels_ = std::max(num_levels_, static_cast<I>(level + 1));
        }
    }

    /// Segments of the task's levels that have something; next_: where each begins. end: of the pointers so far.
    I* begin_segments(size_type task, I* end)
    {
        std::fill_n(next_, num_levels_, Parts<I>{});
        for_each_row(f_, task, [this](I i) {
            if (!is_left(i)) {
                ++next_[level_[i]][0];
            }
            for (I e = f_.pattern.row_ptrs[i]; e < f_.diagonal[i]; ++e) {
                const I k = f_.pattern.col_idxs[e];
                if (is_left(k)) {
                    continue;
                }
                ++next_[level_[k]][1];
                next_[level_[k]][2] += entries_after_diagonal(f_, k);
            }
        });
        Parts<I> at{};
        std::copy_n(end - 3, 3, at.begin());
        for (I level = 0; level < num_levels_; ++level) {
            const auto counts = std::exchange(next_[level], at);
            if (counts != Parts<I>{}) {
                for (std::size_t part = 0; part < at.size(); ++part) {
                    at[part] += counts[part];
                }
                end = std::copy(at.begin(), at.end(), end);
            }
        }
        return end;
    }

    void write_row(I i, I* pivots, I* quotients, I* updates)
    {
        const I *const ptrs = f_.pattern.row_ptrs, *const cols = f_.pattern.col_idxs;
        for (I e = ptrs[i]; e < ptrs[i + 1]; ++e) {
            place_[cols[e]] = e;
        }
        if (!is_left(i)) {
            pivots[next_[level_[i]][0]++] = i;
        }
        for (I e = ptrs[i]; e < f_.diagonal[i]; ++e) {
            const I k = cols[e];
            if (is_left(k)) {
                continue;
            }
            auto& next = next_[level_[k]];
            I* const quotient = quotients + 2 * next[1]++;
            quotient[0] = e;
            quotient[1] = f_.diagonal[k];
            I* update = updates + 3 * next[2];
            next[2] += entries_after_diagonal(f_, k);
            for (I u = f_.diagonal[k] + 1; u < ptrs[k + 1]; ++u, update += 3) {
                update[0] = place_[cols[u]];
                update[1] = e;
                update[2] = u;
            }
        }
    }

    bool is_left(I row) const { return is_left_ != nullptr && is_left_[row] != 0; }

    PanelFactorView<I> f_;
    const char* is_left_;  ///< nullptr: no row is
    I* place_;             ///< of the row's entry in each column
    I* level_;             ///< of each row
    Parts<I>* next_;       ///< by levels, of a task
    I num_levels_ = 0;
};

}  // namespace

/// Of all rows, or of so many that there are more than `most` updates.
template <class I>
typename UpdateList<I>::Counts UpdateList<I>::count(const PanelFactorView<I>& f, double most) const
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
typename UpdateList<I>::Counts UpdateList<I>::leave_long_rows(const PanelFactorView<I>& f)
{
    const I *const ptrs = f.pattern.row_ptrs, *const cols = f.pattern.col_idxs;
    is_left_ = Array<char>(order_.executor(), f.pattern.rows);
    char* const left = is_left_.data();
    std::fill_n(left, f.pattern.rows, char{0});
    Counts found;
    const I num_panels = f.task_ptrs[f.num_tasks];
    for (I p = 0; p < num_panels; ++p) {
        const I begin = f.panel_ptrs[p], end = f.panel_ptrs[p + 1];
        bool leave = entries_after_diagonal(f, begin) > most_in_short_row;
        Counts within;
        for (I i = begin; i < end; ++i) {
            leave |= left[i] != 0;
            for (I e = ptrs[i]; e < f.diagonal[i]; ++e) {
                const bool is_left = left[cols[e]] != 0;
                Counts& to = cols[e] < begin ? found : within;
                to.quotients += is_left ? 0 : 1;
                to.updates += is_left ? 0 : entries_after_diagonal(f, cols[e]);
                leave |= is_left;
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

template <class I>
UpdateList<I>::UpdateList(const Executor& exec, const PanelFactorView<I>& f, double most)
    : segment_ptrs_(exec),
      task_ptrs_(exec),
      pivots_(exec),
      quotients_(exec),
      updates_(exec),
      is_left_(exec),
      order_(exec),
      order_task_ptrs_(exec),
      step_ptrs_(exec),
      steps_(exec)
{
    const size_type n = f.pattern.rows;
    const auto most_here = most * static_cast<double>(f.pattern.num_nonzeros);
    auto counts = count(f, most_here);
    if (static_cast<double>(counts.updates) > most_here) {
        counts = leave_long_rows(f);
        if (static_cast<double>(n - counts.rows_left) < worth_a_list * static_cast<double>(n)) {
            return;
        }
    }
    const auto counted = size_type{std::numeric_limits<I>::max()} / 3;
    if (counts.updates > counted || n + counts.quotients + 1 > counted ||
        static_cast<double>(counts.updates) > most_here) {
        return;
    }
    // Each segment has a pivot or a quotient.
    segment_ptrs_ = Array<I>(exec, 3 * (n + counts.quotients + 1));
    task_ptrs_ = Array<I>(exec, f.num_tasks + 1);
    pivots_ = Array<I>(exec, n - counts.rows_left);
    quotients_ = Array<I>(exec, 2 * counts.quotients);
    updates_ = Array<I>(exec, 3 * counts.updates);
    if (counts.panels_left > 0) {
        order_ = Array<I>(exec, counts.panels_left);
        order_task_ptrs_ = Array<I>(exec, f.num_tasks + 1);
        step_ptrs_ = Array<I>(exec, size_type{f.task_ptrs[f.num_tasks]} + 1);
        steps_ = Array<I>(exec, 2 * counts.steps_left);
    }
}

/// Of like rows that a step takes, the first may be written out.
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
    if (task_ptrs_.size() > 0 && !is_written_) {
        UpdateWriter<I>(f, is_left_.size() > 0 ? is_left_.data() : nullptr, reinterpret_cast<I*>(workspace.data))
            .write(segment_ptrs_.data(), task_ptrs_.data(), pivots_.data(), quotients_.data(), updates_.data());
        if (order_.size() > 0) {
            write_panels_left(f);
        }
        is_written_ = true;
    }
}

}  // namespace linden::detail
