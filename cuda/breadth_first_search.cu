#include "core/kernels/breadth_first_search.hpp"

#include "cuda/cooperative.cuh"
#include "cuda/meeting.cuh"
#include "gpu/pattern/breadth_first.cuh"

/// A whole search in one kernel: levels of meshes have some thousand vertices, so that launches for each would take
/// longer than their work.
namespace linden::cuda {
namespace {

/// The workspace: what blocks meet at, and sums of blocks.
template <class I>
struct SearchMemory {
    static constexpr size_type header_bytes = 128;

    std::uint64_t* word;
    I* sums;

    explicit SearchMemory(WorkspaceView workspace)
        : word(reinterpret_cast<std::uint64_t*>(workspace.data)),
          sums(reinterpret_cast<I*>(workspace.data + header_bytes))
    {
    }
};

template <int L, class I>
__device__ bool has_long_rows(const PatternView<I>& graph)
{
    bool has_long = false;
    for (size_type row = global_id(); row < graph.rows; row += grid_threads()) {
        has_long = has_long || LevelOfBlock<L, I>::is_long(graph.row_ptrs[row + 1] - graph.row_ptrs[row]);
    }
    return has_long;
}

template <int L, class I>
__global__ void __launch_bounds__(search_threads, 1)
    search_kernel(SearchView<I> search, SearchLimits limits, SearchCounts* counts, SearchMemory<I> memory)
{
    Meeting meeting(memory.word);
    const bool has_long = meeting.any(has_long_rows<L>(search.graph));
    meeting.all_come();
    Places<I> places{0, search.level_ptrs[1]};
    SearchCounts found{0, places.end, 0};
    while (places.begin < places.end) {
        if (limits.is_beyond(found.num_levels, places.end)) {
            found.was_ended = 1;
            break;
        }
        ++found.num_levels;
        const LevelOfBlock<L, I> level(search, places.of_block(), has_long);
        level.claim();
        meeting.all_come();
        I of_block = 0;
        (void)wide_exclusive_scan<search_threads>(level.count(), of_block);
        if (thread_id() == 0) {
            store_relaxed(memory.sums + block_id(), of_block);
        }
        meeting.all_come();
        const auto children = sum_blocks(memory.sums);
        level.place(places.end + children.before);
        places = {places.end, places.end + children.all};
        found.num_found = places.end;
        if (global_id() == 0) {
            search.level_ptrs[found.num_levels + 1] = places.end;
        }
        meeting.all_come();
    }
    if (global_id() == 0) {
        *counts = found;
    }
}

template <class I>
void search(const Executor& exec, SearchView<I> search, SearchLimits limits, SearchCounts* counts,
            WorkspaceView workspace)
{
    auto& state = gpu(exec);
    const auto& graph = search.graph;
    if (graph.rows == 0) {
        state.fill_zero(counts, sizeof *counts);
        return;
    }
    state.fill_zero(workspace.data, SearchMemory<I>::header_bytes);
    with_search_lanes(graph.rows, graph.num_nonzeros, [&]<int L>() {
        const size_type most = std::min<size_type>(state.num_multiprocessors(), most_search_blocks);
        launch_cooperative(exec, search_kernel<L, I>, std::min(blocks_for(graph.rows * L, search_threads), most),
                           search_threads, 0, search, limits, counts, SearchMemory<I>(workspace));
    });
}

}  // namespace

void register_breadth_first_search()
{
    for_each_index([]<class I>() { breadth_first_search<I>.bind(Backend::cuda, search<I>); });
}

}  // namespace linden::cuda
