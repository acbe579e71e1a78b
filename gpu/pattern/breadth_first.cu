#include "gpu/pattern/breadth_first.cuh"

#include "gpu/vector/row_groups.cuh"

namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

template <class I>
__device__ Places<I> places_of(const SearchView<I>& search, size_type level)
{
    return {search.level_ptrs[level], search.level_ptrs[level + 1]};
}

template <int L, class I>
__global__ void __launch_bounds__(search_threads, 1) claim_kernel(SearchView<I> search, size_type level)
{
    LevelOfBlock<L, I>(search, places_of(search, level).of_block(), true).claim();
}

template <int L, class I>
__global__ void __launch_bounds__(search_threads, 1) count_kernel(SearchView<I> search, size_type level, I* sums)
{
    const I mine = LevelOfBlock<L, I>(search, places_of(search, level).of_block(), true).count();
    I of_block = 0;
    (void)wide_exclusive_scan<search_threads>(mine, of_block);
    if (thread_id() == 0) {
        sums[block_id()] = of_block;
    }
}

template <int L, class I>
__global__ void __launch_bounds__(search_threads, 1) place_kernel(SearchView<I> search, size_type level, const I* sums)
{
    const auto places = places_of(search, level);
    const auto children = sum_blocks(sums);
    if (block_id() == 0 && thread_id() == 0) {
        search.level_ptrs[level + 2] = places.end + children.all;
    }
    LevelOfBlock<L, I>(search, places.of_block(), true).place(places.end + children.before);
}

template <class I>
void level(const Executor& exec, SearchView<I> search, size_type level, WorkspaceView workspace)
{
    const auto& graph = search.graph;
    if (graph.rows == 0) {
        return;
    }
    I* const sums = reinterpret_cast<I*>(workspace.data);
    with_search_lanes(graph.rows, graph.num_nonzeros, [&]<int L>() {
        const size_type blocks = std::min(blocks_for(graph.rows * L, search_threads),
                                          std::min<size_type>(gpu(exec).num_multiprocessors(), most_search_blocks));
        launch_on(exec, claim_kernel<L, I>, blocks, search_threads, 0, search, level);
        launch_on(exec, count_kernel<L, I>, blocks, search_threads, 0, search, level, sums);
        launch_on(exec, place_kernel<L, I>, blocks, search_threads, 0, search, level, sums);
    });
}

}  // namespace

void register_breadth_first()
{
    for_each_index([]<class I>() { breadth_first_level<I>.bind(this_backend, level<I>); });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
