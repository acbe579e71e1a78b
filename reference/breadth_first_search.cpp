#include "core/kernels/breadth_first_search.hpp"

namespace linden::reference {
namespace {

template <class I>
void search(const Executor& exec, SearchView<I> search, SearchLimits limits, SearchCounts* counts,
            WorkspaceView workspace)
{
    *counts = {};
    if (search.graph.rows == 0) {
        return;
    }
    for (size_type level = 0; search.level_ptrs[level] < search.level_ptrs[level + 1]; ++level) {
        counts->num_found = search.level_ptrs[level + 1];
        if (limits.is_beyond(level, counts->num_found)) {
            counts->was_ended = 1;
            return;
        }
        breadth_first_level<I>(exec, search, level, workspace);
        counts->num_levels = level + 1;
    }
}

}  // namespace

void register_breadth_first_search()
{
    for_each_index([]<class I>() { breadth_first_search<I>.bind(Backend::reference, search<I>); });
}

}  // namespace linden::reference
