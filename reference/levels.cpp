#include "core/kernels/levels.hpp"

#include "core/portable/levels.hpp"

namespace linden::reference {
namespace {

template <class I>
void find(const Executor&, PatternView<I> a, Side side, I* levels, size_type* num_levels)
{
    find_levels(a, side, 1, levels, num_levels);
}

template <class I>
void find_runs(const Executor&, PatternView<I> a, Side side, size_type max_run, I* levels, size_type* num_levels)
{
    find_levels(a, side, max_run, levels, num_levels);
}

template <class I>
void order_rows(const Executor&, LevelsView<I> rows, I* order, I* position, I* level_ptrs, WorkspaceView workspace)
{
    const I* const levels = rows.levels;
    const size_type n = rows.num_rows, num_levels = rows.num_levels;
    std::fill_n(level_ptrs, num_levels + 1, I{0});
    for (size_type row = 0; row < n; ++row) {
        ++level_ptrs[levels[row] + 1];
    }
    for (size_type level = 0; level < num_levels; ++level) {
        level_ptrs[level + 1] += level_ptrs[level];
    }
    I* const next = reinterpret_cast<I*>(workspace.data);
    std::copy_n(level_ptrs, num_levels, next);
    for (size_type i = 0; i < n; ++i) {
        const size_type row = rows.side == Side::lower ? i : n - 1 - i;
        const I at = next[levels[row]]++;
        order[at] = static_cast<I>(row);
        position[row] = at;
    }
}

}  // namespace

void register_levels()
{
    for_each_index([]<class I>() {
        levels_find<I>.bind(Backend::reference, find<I>);
        levels_find_runs<I>.bind(Backend::reference, find_runs<I>);
        levels_order<I>.bind(Backend::reference, order_rows<I>);
    });
}

}  // namespace linden::reference
