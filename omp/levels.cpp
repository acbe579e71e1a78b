#include "core/kernels/levels.hpp"

#include "core/portable/levels.hpp"
#include "omp/parallel.hpp"

namespace linden::omp {
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

/// Every part counts its rows per level and knows then where in each level it is to begin. So many parts that their
/// counts are no more than the rows.
template <class I>
void order_rows(const Executor& exec, LevelsView<I> rows, I* order, I* position, I* level_ptrs, WorkspaceView workspace)
{
    const I* const levels = rows.levels;
    const size_type n = rows.num_rows, num_levels = rows.num_levels;
    I* const next = reinterpret_cast<I*>(workspace.data);
    const RowPartition partition(n);
    const auto at_place = [&](size_type place) { return rows.side == Side::lower ? place : n - 1 - place; };
    const size_type room = n / std::max<size_type>(num_levels, 1);
    const int parts = static_cast<int>(std::clamp<size_type>(room, 1, num_parts(exec, partition)));
    run_parts(partition, parts, [&](int part, size_type begin, size_type end) {
        I* const mine = next + part * num_levels;
        std::fill_n(mine, num_levels, I{0});
        for (size_type place = begin; place < end; ++place) {
            ++mine[levels[at_place(place)]];
        }
    });
    I at = 0;
    for (size_type level = 0; level < num_levels; ++level) {
        level_ptrs[level] = at;
        for (int part = 0; part < parts; ++part) {
            const I count = next[part * num_levels + level];
            next[part * num_levels + level] = at;
            at += count;
        }
    }
    level_ptrs[num_levels] = at;
    run_parts(partition, parts, [&](int part, size_type begin, size_type end) {
        I* const mine = next + part * num_levels;
        for (size_type place = begin; place < end; ++place) {
            const size_type row = at_place(place);
            const I here = mine[levels[row]]++;
            order[here] = static_cast<I>(row);
            position[row] = here;
        }
    });
}

}  // namespace

void register_levels()
{
    for_each_index([]<class I>() {
        levels_find<I>.bind(Backend::omp, find<I>);
        levels_find_runs<I>.bind(Backend::omp, find_runs<I>);
        levels_order<I>.bind(Backend::omp, order_rows<I>);
    });
}

}  // namespace linden::omp
