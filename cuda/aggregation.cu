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

/// Where threads hold entries, which takes twice the registers.
constexpr int held_threads = 512;
/// Entries of a row for each of its lanes, on average, up to which that pays: twice as many as a lane holds.
constexpr size_type most_held = 16;

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

/// Calls body(col, values[col]) for all columns, whose values are asked for at a time.
template <int count, class I, class T, class Body>
__device__ void for_values_of(const I (&cols)[count], const T* values, Body& body)
{
    T found[count];
    LINDEN_UNROLL
    for (int i = 0; i < count; ++i) {
        found[i] = values[cols[i]];
    }
    LINDEN_UNROLL
    for (int i = 0; i < count; ++i) {
        body(cols[i], found[i]);
    }
}

/// The entries of a row of the graph, of each lane's but the first `skipped`.
template <class I>
struct RowInMemory {
    using U = std::make_unsigned_t<I>;  // what lies behind the last entry may be no I
    static constexpr int in_flight = 8;

    PatternView<I> graph;
    I row;
    U skipped = 0;

    /// Calls body(col, values[col]) for them, and perhaps for the diagonal again.
    template <class Group, class T, class Body>
    __device__ void for_each(Group, const T* values, Body body) const
    {
        const auto end = static_cast<U>(graph.row_ptrs[row + 1]);
        for (U first = static_cast<U>(graph.row_ptrs[row]) + skipped * Group::size + Group::lane(); first < end;
             first += in_flight * Group::size) {
            I cols[in_flight];
            LINDEN_UNROLL
            for (int i = 0; i < in_flight; ++i) {
                const U k = first + i * Group::size;
                cols[i] = k < end ? graph.col_idxs[k] : row;
            }
            for_values_of(cols, values, body);
        }
    }
};

/// A row of the graph, of whose entries its L lanes hold the first, so that they wait for values alone.
template <int L, class I>
struct HeldRow {
    static constexpr int held = RowInMemory<I>::in_flight;

    PatternView<I> graph;
    I row, length = 0;
    I cols[held];

    __device__ HeldRow(PatternView<I> of, I number, bool exists) : graph(of), row(number)
    {
        const I begin = exists ? graph.row_ptrs[row] : I{0};
        length = exists ? graph.row_ptrs[row + 1] - begin : I{0};
        LINDEN_UNROLL
        for (int i = 0; i < held; ++i) {
            const int k = Subgroup<L>::lane() + i * L;
            cols[i] = k < length ? graph.col_idxs[begin + k] : row;
        }
    }

    /// As that of RowInMemory.
    template <class Group, class T, class Body>
    __device__ void for_each(Group group, const T* values, Body body) const
    {
        for_values_of(cols, values, body);
        if (length > held * L) {
            RowInMemory<I>{graph, row, held}.for_each(group, values, body);
        }
    }
};

/// The states of rows in a byte each, and the row with the least key among a row and its neighbours in place of that
/// key: keys are made anew, which is less work than to move them, 8 bytes each.
template <class I>
struct CompactStates {
    using Mark = std::uint8_t;  ///< of an undecided row, its class and one
    static constexpr Mark member = 0, excluded = 0xFF;
    static constexpr I none = -1,
                       outside = -2;  ///< no row may be a root near this one; it does not belong to the graph

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

    /// As SpreadKeys; whether a row may be a root near this one, whose entries these are.
    template <class Group, class Entries>
    __device__ bool spread(Group group, const Entries& entries, int round) const
    {
        std::uint64_t found = IndependentState::excluded;
        entries.for_each(group, marks, [&](I col, Mark mark) {
            const std::uint64_t state = mark == member     ? std::uint64_t{IndependentState::member}
                                        : mark == excluded ? std::uint64_t{IndependentState::excluded}
                                                           : key(col, round, mark);
            found = state < found ? state : found;
        });
        found = ~Group::reduce(~found, Max{});
        const bool is_none = found == IndependentState::member || found == IndependentState::excluded;
        if (Group::lane() == 0) {
            constexpr std::uint64_t row_of_key = (std::uint64_t{1} << 40) - 1;
            least[entries.row] = is_none ? none : static_cast<I>(found & row_of_key);
        }
        return !is_none;
    }

    /// As DecideRows, but that keys of undecided rows are not written; whether the row stays undecided.
    template <class Group, class Entries>
    __device__ bool decide(Group group, const Entries& entries) const
    {
        const I row = entries.row;
        bool is_excluded = false, is_beaten = false;
        entries.for_each(group, least, [&](I, I near_it) {
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
        return !is_excluded && is_beaten;
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
    const auto decide = [&](auto group, I row) { rows.decide(group, RowInMemory<I>{rows.graph, row}); };
    const auto is_near = [&](I row) { return Subgroup<L>::lane() == 0 && rows.least[row] != rows.none; };
    const auto is_undecided = [&](I row) { return rows.is_undecided(row); };
    const auto stays = [&](I row) { return Subgroup<L>::lane() == 0 && is_undecided(row); };
    RowsOfWarp<L, I> undecided(n, memory.undecided), spreading(n, memory.spreading);
    for (int round = 0; round < rounds; ++round) {
        const auto spread = [&](auto group, I row) { rows.spread(group, RowInMemory<I>{rows.graph, row}, round); };
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

/// The same for few rows: L threads for each, which hold its entries. Loads in a row of what has not changed since the
/// round before are what a round of few rows takes else, beside the meetings.
template <int L, class I>
__global__ void __launch_bounds__(held_threads, 1)
    search_held_rows(CompactStates<I> rows, const I* roots, int rounds, SearchMemory<I> memory)
{
    using Group = Subgroup<L>;
    Meeting meeting(memory.word);
    const size_type n = rows.graph.rows;
    const size_type row = global_id() / L;
    const bool belongs = row < n && (roots == nullptr || roots[row] < 0);
    const HeldRow<L, I> own(rows.graph, static_cast<I>(row), belongs);
    const bool is_long = L < 32 && own.length > I{L} * long_part;
    bool is_undecided = Group::any(row < n && Group::lane() == 0 && rows.begin(row, belongs));
    if (!meeting.any(is_undecided)) {
        return;
    }
    // body(group, entries) of the lanes' row where it is wanted; long rows are a warp's.
    const auto visit = [&](bool is_wanted, auto body) {
        bool result = is_wanted && !is_long && body(Group(), own);
        if constexpr (L < 32) {
            auto others = static_cast<std::uint32_t>(Warp::ballot(is_wanted && is_long && Group::lane() == 0));
            for (; others != 0; others &= others - 1) {
                const int owner = lowest_bit(others);
                const bool of_row = body(Warp(), RowInMemory<I>{rows.graph, Warp::shuffle(own.row, owner)});
                result = Warp::lane() / L == owner / L ? of_row : result;
            }
        }
        return result;
    };
    bool may_spread = belongs;
    for (int round = 0; round < rounds; ++round) {
        may_spread =
            visit(may_spread, [&](auto group, const auto& entries) { return rows.spread(group, entries, round); });
        meeting.all_come();
        is_undecided =
            visit(is_undecided, [&](auto group, const auto& entries) { return rows.decide(group, entries); });
        if (!meeting.any(is_undecided)) {
            return;
        }
    }
    if (is_undecided && Group::lane() == 0) {
        rows.states[row] = rows.key(static_cast<I>(row), rounds, rows.marks[row]);
    }
}

/// Calls launch.template operator()<L>() with the most lanes that each row can have in search_held_rows, if it can, and
/// if they hold half of its entries or more, on average. Returns whether it did.
template <class Launch>
bool with_held_rows(size_type rows, size_type num_nonzeros, size_type threads, Launch launch)
{
    const auto suffices = [&](int lanes) {
        return rows * lanes <= threads && num_nonzeros <= rows * lanes * most_held;
    };
    if (suffices(8)) {
        launch.template operator()<8>();
    } else if (suffices(4)) {
        launch.template operator()<4>();
    } else if (suffices(1)) {
        launch.template operator()<1>();
    } else {
        return false;
    }
    return true;
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
    const auto multiprocessors = static_cast<size_type>(state.num_multiprocessors());
    const SearchMemory<I> memory(workspace, graph.rows);
    const CompactStates<I> compact{graph, states, memory.marks, reinterpret_cast<I*>(least)};
    const auto run = [&](auto* kernel, size_type blocks, int threads) {
        launch_cooperative(exec, kernel, blocks, threads, 0, compact, roots, rounds, memory);
    };
    const bool is_done = with_held_rows(graph.rows, graph.num_nonzeros, multiprocessors * held_threads, [&]<int L>() {
        run(search_held_rows<L, I>, blocks_for(graph.rows * L, held_threads), held_threads);
    });
    if (!is_done) {
        with_lanes_by_length(exec, graph.rows, graph.num_nonzeros, [&]<int L>() {
            const size_type blocks = blocks_for(graph.rows * L, search_threads);
            run(search_kernel<L, I>, std::min(blocks, multiprocessors * search_blocks<I>), search_threads);
        });
    }
}

}  // namespace

void register_aggregation()
{
    for_each_index([]<class I>() { aggregation_search<I>.bind(Backend::cuda, search<I>); });
}

}  // namespace linden::cuda
