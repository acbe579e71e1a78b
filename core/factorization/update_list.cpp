#include "core/factorization/update_list.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

// instantiate: class detail::UpdateList<I>

namespace linden::detail {
namespace {

template <class I>
I entries_after_diagonal(const PanelFactorView<I>& f, I k)
{
    return f.pattern.row_ptrs[k + 1] - f.diagonal[k] - 1;
}

/// What is written, level by level: where a segment's pivots, quotients and updates begin, or how many there are.
template <class I>
using Parts = std::array<I, 3>;

/// Level by level in each task: a row or column with an entry in a row or column before it comes a level later. So no
/// loop waits for another, and a value's updates come in the same order whatever the tasks are.
template <class I>
class UpdateWriter {
public:
    /// room: as UpdateList::workspace_bytes has it.
    UpdateWriter(const PanelFactorView<I>& f, I* room)
        : f_(f),
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
            ++next_[level_[i]][0];
            for (I e = f_.pattern.row_ptrs[i]; e < f_.diagonal[i]; ++e) {
                const I k = f_.pattern.col_idxs[e];
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
        pivots[next_[level_[i]][0]++] = i;
        for (I e = ptrs[i]; e < f_.diagonal[i]; ++e) {
            const I k = cols[e];
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

    PanelFactorView<I> f_;
    I* place_;        ///< of the row's entry in each column
    I* level_;        ///< of each row
    Parts<I>* next_;  ///< by levels, of a task
    I num_levels_ = 0;
};

}  // namespace

template <class I>
UpdateList<I>::UpdateList(const Executor& exec, const PanelFactorView<I>& f, double most)
    : segment_ptrs_(exec),
      task_ptrs_(exec),
      pivots_(exec),
      quotients_(exec),
      updates_(exec)
{
    const size_type n = f.pattern.rows;
    size_type num_quotients = 0, num_updates = 0;
    for (size_type i = 0; i < n; ++i) {
        num_quotients += f.diagonal[i] - f.pattern.row_ptrs[i];
        for (I e = f.pattern.row_ptrs[i]; e < f.diagonal[i]; ++e) {
            num_updates += entries_after_diagonal(f, f.pattern.col_idxs[e]);
        }
    }
    const auto counted = size_type{std::numeric_limits<I>::max()} / 3;
    if (num_updates > counted || n + num_quotients + 1 > counted ||
        static_cast<double>(num_updates) > most * static_cast<double>(f.pattern.num_nonzeros)) {
        return;
    }
    // Each segment has a pivot or a quotient.
    segment_ptrs_ = Array<I>(exec, 3 * (n + num_quotients + 1));
    task_ptrs_ = Array<I>(exec, f.num_tasks + 1);
    pivots_ = Array<I>(exec, n);
    quotients_ = Array<I>(exec, 2 * num_quotients);
    updates_ = Array<I>(exec, 3 * num_updates);
}

template <class I>
void UpdateList<I>::write(const PanelFactorView<I>& f, WorkspaceView workspace)
{
    if (task_ptrs_.size() > 0 && !is_written_) {
        UpdateWriter<I>(f, reinterpret_cast<I*>(workspace.data))
            .write(segment_ptrs_.data(), task_ptrs_.data(), pivots_.data(), quotients_.data(), updates_.data());
        is_written_ = true;
    }
}

}  // namespace linden::detail
