#include "core/portable/aggregation.hpp"

#include "cuda/cooperative.cuh"
#include "gpu/device/memory_order.cuh"
#include "gpu/portable.cuh"

/// The rounds of an independent set in one kernel. Most rows are decided in the first rounds: each warp keeps lists of
/// those of its rows that have something to do, and blocks end together when no row is undecided. A launch for each
/// half of a round would cost more than all blocks' meeting, and looking at all rows more than the rows of late rounds.
namespace linden::cuda {
namespace {

using Warp = Subgroup<32>;
constexpr int search_threads = 512;
/// Of a multiprocessor: more blocks take longer to meet. Leaves a thread registers enough.
template <class I>
constexpr int search_blocks = sizeof(I) > 4 ? 1 : 2;

/// Where all blocks of a cooperative kernel meet: the lower half of a word counts those that have come, the upper half
/// those of them that said yes.
class Meeting {
public:
    /// The word is zero when the kernel begins.
    __device__ explicit Meeting(std::uint64_t* word) : word_(word) {}

    /// Whether any thread of the grid says yes; what they wrote before is seen by all behind it. Called by all threads;
    /// of two meetings in a row, all say no at one.
    __device__ bool any(bool predicate)
    {
        LINDEN_SHARED(is_any, bool);
        constexpr int half = 32;
        const bool says_yes = __syncthreads_or(predicate ? 1 : 0) != 0;
        if (thread_id() == 0) {
            come_ += static_cast<std::uint32_t>(num_blocks());
            const std::uint64_t mine = (std::uint64_t{says_yes ? 1u : 0u} << half) + 1;
            asm volatile("red.release.gpu.global.add.u64 [%0], %1;" ::"l"(word_), "l"(mine) : "memory");
            std::uint64_t seen = load_acquire(word_);
            while (static_cast<std::uint32_t>(seen) < come_) {
                seen = load_acquire(word_);
            }
            // Some may have come to the next meeting before this is read, where all say no if here they did not.
            is_any = seen >> half != said_yes_;
            said_yes_ = seen >> half;
        }
        block_barrier();
        return is_any;
    }
    __device__ void all_come() { (void)any(false); }

private:
    std::uint64_t* word_;
    std::uint32_t come_ = 0;
    std::uint64_t said_yes_ = 0;
};

/// Rows of a warp, L lanes to each. Members are called by all lanes of the warp.
template <int L, class I>
class RowsOfWarp {
public:
    static constexpr int at_once = 32 / L;

    /// Room for the rows of a warp, of which the grid has `warps`.
    __host__ __device__ static size_type capacity(size_type rows, size_type warps)
    {
        const size_type runs = (rows + at_once - 1) / at_once;
        return (runs + warps - 1) / warps * at_once;
    }

    /// Those of the warp's rows that `keep(row)` holds for.
    template <class Keep>
    __device__ RowsOfWarp(size_type rows, I* room, Keep keep)
        : rows_(room + Warp::index() * capacity(rows, grid_threads() / 32))
    {
        for (size_type first = Warp::index() * at_once; first < rows; first += grid_threads() / L) {
            const size_type row = first + Warp::lane() / L;
            put(static_cast<I>(row), row < rows && keep(row));
        }
        num_rows_ = num_kept_;
    }

    __device__ bool is_empty() const { return num_rows_ == 0; }

    /// Calls body(group, row) in all lanes of a row, those of a warp for a row that length(row) tells is long; rows
    /// that keep(row) does not hold for afterwards, in the row's first lane, leave.
    template <class Length, class Body, class Keep>
    __device__ void run(Length length, Body body, Keep keep)
    {
        num_kept_ = 0;
        for (int first = 0; first < num_rows_; first += at_once) {
            const int at = first + Warp::lane() / L;
            const bool exists = at < num_rows_;
            const I row = exists ? rows_[at] : I{0};
            const bool is_long = L < 32 && exists && length(row) > size_type{L} * long_part;
            if (exists && !is_long) {
                body(Subgroup<L>(), row);
            }
            if constexpr (L < 32) {
                auto long_rows = static_cast<std::uint32_t>(Warp::ballot(is_long && Subgroup<L>::lane() == 0));
                for (; long_rows != 0; long_rows &= long_rows - 1) {
                    body(Warp(), Warp::shuffle(row, lowest_bit(long_rows)));
                }
                Warp::sync();
            }
            put(row, exists && keep(row));
        }
        num_rows_ = num_kept_;
    }

private:
    /// Appends the rows that stay. Those that come later have been read by no one yet, but they are behind these.
    __device__ void put(I row, bool stays)
    {
        const auto staying = static_cast<std::uint32_t>(Warp::ballot(stays && Subgroup<L>::lane() == 0));
        if (stays && Subgroup<L>::lane() == 0) {
            rows_[num_kept_ + popcount(staying & ((std::uint32_t{1} << Warp::lane()) - 1))] = row;
        }
        num_kept_ += popcount(staying);
        Warp::sync();
    }

    I* rows_;
    int num_rows_ = 0;
    int num_kept_ = 0;
};

template <class I>
constexpr size_type list_words(size_type rows)
{
    return (aggregation_search_bytes<I>(rows) - search_header_bytes) / static_cast<size_type>(2 * sizeof(I));
}

__device__ inline bool is_undecided(std::uint64_t state)
{
    return state != IndependentState::member && state != IndependentState::excluded;
}

template <int L, class I>
__global__ void __launch_bounds__(search_threads, search_blocks<I>)
    search_kernel(SpreadKeys<I> spread, DecideRows<I> decide, int rounds, std::uint64_t* word, I* room)
{
    Meeting meeting(word);
    const auto& graph = spread.graph;
    const size_type rows = graph.rows;
    const auto length = [&](I row) { return row_length(graph, row); };
    RowsOfWarp<L, I> undecided(rows, room, [&](size_type row) { return is_undecided(decide.states[row]); });
    if (!meeting.any(!undecided.is_empty())) {
        return;
    }
    RowsOfWarp<L, I> spreading(rows, room + list_words<I>(rows),
                               [&](size_type row) { return spread.roots == nullptr || spread.roots[row] < 0; });
    for (int round = 0; round < rounds; ++round) {
        spreading.run(
            length, [&](auto group, I row) { spread(RowLanes<decltype(group)>(), row); },
            [&](I row) { return Subgroup<L>::lane() == 0 && spread.least[row] != IndependentState::excluded; });
        meeting.all_come();
        decide.round = round + 1;
        undecided.run(
            length, [&](auto group, I row) { decide(RowLanes<decltype(group)>(), row); },
            [&](I row) { return Subgroup<L>::lane() == 0 && is_undecided(decide.states[row]); });
        if (!meeting.any(!undecided.is_empty())) {
            return;
        }
    }
}

template <class I>
void search(const Executor& exec, PatternView<I> graph, const I* roots, int rounds, std::uint64_t* least,
            std::uint64_t* states, WorkspaceView workspace)
{
    if (graph.rows == 0) {
        return;
    }
    auto& state = gpu(exec);
    state.fill_zero(workspace.data, search_header_bytes);
    with_lanes_by_length(exec, graph.rows, graph.num_nonzeros, [&]<int L>() {
        const size_type most = static_cast<size_type>(state.num_multiprocessors()) * search_blocks<I>;
        launch_cooperative(exec, search_kernel<L, I>, std::min(blocks_for(graph.rows * L, search_threads), most),
                           search_threads, 0, SpreadKeys<I>{graph, roots, true, states, least},
                           DecideRows<I>{graph, 0, roots, 0, least, states}, rounds,
                           reinterpret_cast<std::uint64_t*>(workspace.data),
                           reinterpret_cast<I*>(workspace.data + search_header_bytes));
    });
}

}  // namespace

void register_aggregation()
{
    for_each_index([]<class I>() { aggregation_search<I>.bind(Backend::cuda, search<I>); });
}

}  // namespace linden::cuda
