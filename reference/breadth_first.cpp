#include "core/kernels/breadth_first.hpp"

namespace linden::reference {
namespace {

template <class I>
void level(const Executor&, SearchView<I> search, size_type level, WorkspaceView)
{
    I next = search.level_ptrs[level + 1];
    for (I place = search.level_ptrs[level]; place < search.level_ptrs[level + 1]; ++place) {
        const I vertex = search.order[place];
        for (I k = search.graph.row_ptrs[vertex]; k < search.graph.row_ptrs[vertex + 1]; ++k) {
            const I neighbour = search.graph.col_idxs[k];
            if (search.parents[neighbour] == search_not_found<I>) {
                search.parents[neighbour] = place;
                search.order[next++] = neighbour;
            }
        }
    }
    search.level_ptrs[level + 2] = next;
}

}  // namespace

void register_breadth_first()
{
    for_each_index([]<class I>() { breadth_first_level<I>.bind(Backend::reference, level<I>); });
}

}  // namespace linden::reference
