#include "core/portable/aggregation.hpp"

#include "cuda/cooperative.cuh"
#include "cuda/meeting.cuh"
#include "gpu/device/memory_order.cuh"
#include "gpu/portable.cuh"

/// The rounds of an independent set in one kernel. Most rows are decided in the first rounds: each warp keeps lists of
/// those of its rows that have something to do, and blocks end together when no row is undecided. A launch for each
/// half of a round would cost more than all blocks' meeting, and looking at all rows more than the rows of late rounds.
namespace linden::cuda {
namespace {

using Warp = Subgroup<32>;
constexpr int search_threads = 640;
/// Of a multiprocessor: more blocks take longer to meet. Leaves a thread registers enough.
template <class I>
constexpr int search_blocks = sizeof(I) > 4 ? 1 : 2;

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

    __device__ RowsOfWarp(size_type rows, I* room) : rows_(room + Warp::index() * capacity(rows, grid_threads() / 32))
    {
    }

    __device__ bool is_empty() const { return num_rows_ == 0; }

    /// Calls body(group, row) in all lanes of a row, those of a warp for a row that length(row) tells is long, for the
    /// warp's rows among `rows` that belong(row) holds for; those that keep(row) holds for afterwards, in the row's
    /// first lane, are kept.
    template <class Belong, class Length, class Body, class Keep>
    __device__ void start(size_type rows, Belong belong, Length length, Body body, Keep keep)
    {
        num_kept_ = 0;
        for (size_type first = Warp::index() * at_once; first < rows; first += grid_threads() / L) {
            const size_type row = first + Warp::lane() / L;
            visit(static_cast<I>(row), row < rows && belong(static_cast<I>(row)), length, body, keep);
        }
        num_rows_ = num_kept_;
    }
    /// The same for the rows that were kept.
    template <class Length, class Body, class Keep>
    __device__ void run(Length length, Body body, Keep keep)
    {
        num_kept_ = 0;
        for (int first = 0; first < num_rows_; first += at_once) {
            const int at = first + Warp::lane() / L;
            visit(at < num_rows_ ? rows_[at] : I{0}, at < num_rows_, length, body, keep);
        }
        num_rows_ = num_kept_;
    }
    /// Calls body(row) in one lane for each row that was kept.
    template <class Body>
    __device__ void for_each(Body body) const
    {
        for (int at = Warp::lane(); at < num_rows_; at += 32) {
            body(rows_[at]);
        }
    }

private:
    template <class Length, class Body, class Keep>
    __device__ void visit(I row, bool exists, Length length, Body body, Keep keep)
    {
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

/// The states of rows in a byte each, and the row with the least key among a row and its neighbours in place of that
/// key: keys are made anew, which is less work than to move them, 8 bytes each.
template <class I>
struct CompactStates {
    using Mark = std::uint8_t;  ///< of an undecided row, its class and one
    static constexpr Mark member = 0, excluded = 0xFF;
    static constexpr I none = -1,
                       outside = -2;  ///< no row may be a root near this one; it does not belong to the graph
    static constexpr int in_flight = 8;

    PatternView<I> graph;
    std::uint64_t* states;
    Mark* marks;
    I* least;

    /// Whether the row is undecided.
    __device__ bool begin(size_type row, bool belongs) const
    {
        const std::uint64_t state = states[row];
        const bool is_decided = state == IndependentState::member || state == IndependentState::excluded;
        marks[row] = is_decided ? (state == IndependentState::member ? member : excluded)
                                : static_cast<Mark>(IndependentState::class_of(state) + 1);
        if (!belongs) {
            least[row] = outside;
        }
        return !is_decided;
    }
    __device__ std::uint64_t key(I row, int round, Mark mark) const
    {
        return IndependentState::key(row, round, int{mark} - 1);
    }
    __device__ bool is_undecided(I row) const { return marks[row] != member && marks[row] != excluded; }

    /// As SpreadKeys.
    template <class Group>
    __device__ void spread(Group group, I row, int round) const
    {
        std::uint64_t found = IndependentState::excluded;
        for_each_neighbour(group, row, marks, [&](I col, Mark mark) {
            const std::uint64_t state = mark == member     ? std::uint64_t{IndependentState::member}
                                        : mark == excluded ? std::uint64_t{IndependentState::excluded}
                                                           : key(col, round, mark);
            found = state < found ? state : found;
        });
        found = ~Group::reduce(~found, Max{});
        if (Group::lane() == 0) {
            constexpr std::uint64_t row_of_key = (std::uint64_t{1} << 40) - 1;
            const bool is_none = found == IndependentState::member || found == IndependentState::excluded;
            least[row] = is_none ? none : static_cast<I>(found & row_of_key);
        }
    }

    /// As DecideRows, but that keys of undecided rows are not written.
    template <class Group>
    __device__ void decide(Group group, I row) const
    {
        bool is_excluded = false, is_beaten = false;
        for_each_neighbour(group, row, least, [&](I, I near_it) {
            is_excluded = is_excluded || near_it == none;
            is_beaten = is_beaten || (near_it != row && near_it != outside);
        });
        is_excluded = Group::any(is_excluded);
        is_beaten = Group::any(is_beaten);
        if (Group::lane() == 0 && (is_excluded || !is_beaten)) {
            marks[row] = is_excluded ? excluded : member;
            states[row] =
                is_excluded ? std::uint64_t{IndependentState::excluded} : std::uint64_t{IndependentState::member};
        }
    }

private:
    /// Calls body(col, values[col]) for the entries of a row of the graph, and perhaps for its diagonal again.
    template <class Group, class T, class Body>
    __device__ void for_each_neighbour(Group, I row, const T* values, Body body) const
    {
        using U = std::make_unsigned_t<I>;  // what lies behind the last entry may be no I
        const auto end = static_cast<U>(graph.row_ptrs[row + 1]);
        for (U first = static_cast<U>(graph.row_ptrs[row]) + Group::lane(); first < end;
             first += in_flight * Group::size) {
            I cols[in_flight];
            T found[in_flight];
            LINDEN_UNROLL
            for (int i = 0; i < in_flight; ++i) {
                const U k = first + i * Group::size;
                cols[i] = k < end ? graph.col_idxs[k] : row;
            }
            LINDEN_UNROLL
            for (int i = 0; i < in_flight; ++i) {
                found[i] = values[cols[i]];
            }
            LINDEN_UNROLL
            for (int i = 0; i < in_flight; ++i) {
                body(cols[i], found[i]);
            }
        }
    }
};

/// The workspace: what blocks meet at, two lists of rows, marks.
template <class I>
struct SearchMemory {
    std::uint64_t* word;
    I *undecided, *spreading;
    std::uint8_t* marks;

    SearchMemory(WorkspaceView workspace, size_type rows)
        : word(reinterpret_cast<std::uint64_t*>(workspace.data)),
          undecided(reinterpret_cast<I*>(workspace.data + search_header_bytes)),
          spreading(undecided + search_list_rows(rows)),
          marks(reinterpret_cast<std::uint8_t*>(spreading + search_list_rows(rows)))
    {
    }
};

template <int L, class I>
__global__ void __launch_bounds__(search_threads, search_blocks<I>)
    search_kernel(CompactStates<I> rows, const I* roots, int rounds, SearchMemory<I> memory)
{
    Meeting meeting(memory.word);
    const size_type n = rows.graph.rows;
    const auto belongs = [&](size_type row) { return roots == nullptr || roots[row] < 0; };
    bool has_undecided = false;
    for (size_type row = global_id(); row < n; row += grid_threads()) {
        has_undecided = rows.begin(row, belongs(row)) || has_undecided;
    }
    if (!meeting.any(has_undecided)) {
        return;
    }
    const auto length = [&](I row) { return row_length(rows.graph, row); };
    const auto decide = [&](auto group, I row) { rows.decide(group, row); };
    const auto is_near = [&](I row) { return Subgroup<L>::lane() == 0 && rows.least[row] != rows.none; };
    const auto is_undecided = [&](I row) { return rows.is_undecided(row); };
    const auto stays = [&](I row) { return Subgroup<L>::lane() == 0 && is_undecided(row); };
    RowsOfWarp<L, I> undecided(n, memory.undecided), spreading(n, memory.spreading);
    for (int round = 0; round < rounds; ++round) {
        const auto spread = [&](auto group, I row) { rows.spread(group, row, round); };
        if (round == 0) {
            spreading.start(n, belongs, length, spread, is_near);
        } else {
            spreading.run(length, spread, is_near);
        }
        meeting.all_come();
        if (round == 0) {
            undecided.start(n, is_undecided, length, decide, stays);
        } else {
            undecided.run(length, decide, stays);
        }
        if (!meeting.any(!undecided.is_empty())) {
            return;
        }
    }
    undecided.for_each([&](I row) { rows.states[row] = rows.key(row, rounds, rows.marks[row]); });
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
        const SearchMemory<I> memory(workspace, graph.rows);
        launch_cooperative(
            exec, search_kernel<L, I>, std::min(blocks_for(graph.rows * L, search_threads), most), search_threads, 0,
            CompactStates<I>{graph, states, memory.marks, reinterpret_cast<I*>(least)}, roots, rounds, memory);
    });
}

}  // namespace

void register_aggregation()
{
    for_each_index([]<class I>() { aggregation_search<I>.bind(Backend::cuda, search<I>); });
}

}  // namespace linden::cuda
