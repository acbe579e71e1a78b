#include "core/kernels/levels.hpp"

#include "core/kernels/sequential_levels.hpp"

namespace linden::reference {
namespace {

template <class I>
void find(const Executor&, PatternView<I> a, Side side, I* levels, size_type* num_levels)
{
    find_levels(a, side, levels, num_levels);
}

template <class I>
void order_rows(const Executor&, size_type n, size_type num_levels, const I* levels, I* order, I* position,
                I* level_ptrs, WorkspaceView workspace)
{
    std::fill_n(level_ptrs, num_levels + 1, I{0});
    for (size_type row = 0; row < n; ++row) {
        ++level_ptrs[levels[row] + 1];
    }
    for (size_type level = 0; level < num_levels; ++level) {
        level_ptrs[level + 1] += level_ptrs[level];
    }
    I* const next = reinterpret_cast<I*>(workspace.data);
    std::copy_n(level_ptrs, num_levels, next);
    for (size_type row = 0; row < n; ++row) {
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
        levels_order<I>.bind(Backend::reference, order_rows<I>);
    });
}

}  // namespace linden::reference
