#pragma once

#include "gpu/spgemm/spgemm_lists.cuh"

/// Medium rows of C with several products to a column: the rows of B are staged in shared memory, and merged by eight
/// lanes, one column after the other, which come out sorted. A column costs a turn of these lanes, however many
/// products fall on it, and a product's place in a hash table one of its own: a warp that finds few products to a
/// column leaves its other rows to tables.
namespace linden::LINDEN_GPU_NAMESPACE::spgemm {

inline constexpr int merged_threads = 128;
#if defined(LINDEN_HIP_PLATFORM_HOST)
inline constexpr size_type least_merged_rows = 32;
#else
/// For fewer rows the launch costs what the merge saves.
inline constexpr size_type least_merged_rows = size_type{1} << 17;
#endif

/// What the lanes of a row merge.
template <class I>
struct MergedRoom {
    static constexpr int lanes = 8;
    static constexpr int rows_of_warp = 32 / lanes;
    static constexpr int most_runs = 8;  ///< of a lane
    /// Words of shared memory: for columns of C, and for rows of B and what ends each.
    static constexpr int words = 2048 / static_cast<int>(sizeof(I));
    static constexpr int columns = 384 / static_cast<int>(sizeof(I));
    static constexpr int staged = words - columns;
};

/// The rows of B for the entries of a row of A, the runs of a merge: entry number k L + lane is run k of the lane. Each
/// ends with no_column. Members are called by all lanes of a warp.
template <class I>
class StagedRuns {
public:
    using Room = MergedRoom<I>;
    static constexpr int L = Room::lanes;

    /// Of a row of A with at most L most_runs entries.
    __device__ StagedRuns(PatternView<I> a, PatternView<I> b, I a_begin, int entries)
    {
        const int lane = lane_of_row();
        int products = 0;
        LINDEN_UNROLL
        for (int k = 0; k < Room::most_runs; ++k) {
            from_[k] = 0;
            lengths_[k] = -1;
            if (const int entry = k * L + lane; entry < entries) {
                const I row = a.col_idxs[a_begin + entry];
                from_[k] = b.row_ptrs[row];
                lengths_[k] = static_cast<int>(b.row_ptrs[row + 1] - from_[k]);
                products += lengths_[k];
            }
        }
        num_products_ = all_of_row(products, [](int x, int y) { return x + y; });
    }

    __device__ int num_products() const { return num_products_; }

    /// Stages the runs of `entries` entries, none or all, and starts their merge.
    __device__ void stage(const I* cols, int entries, I* room)
    {
        I* place = room;
        LINDEN_UNROLL
        for (int k = 0; k < Room::most_runs; ++k) {
            at_[k] = room;
            for (int owner = 0; Warp::any(k * L + owner < entries) && owner < L; owner += in_flight) {
                place = stage_some(cols, k, owner, entries, place);
            }
        }
        Warp::sync();
        LINDEN_UNROLL
        for (int k = 0; k < Room::most_runs; ++k) {
            next_[k] = k * L + lane_of_row() < entries ? *at_[k] : no_column<I>;
        }
    }

    /// The columns of C to `columns` as far as there is room for them; returns their number, the same in all lanes of
    /// the group. K: runs of a lane.
    template <int K>
    __device__ int merge(I* columns)
    {
        int count = 0;
        while (true) {
            I least = next_[0];
            LINDEN_UNROLL
            for (int k = 1; k < K; ++k) {
                least = next_[k] < least ? next_[k] : least;
            }
            least = all_of_row(least, [](I x, I y) { return y < x ? y : x; });
            if (!Warp::any(least != no_column<I>)) {
                return count;
            }
            if (lane_of_row() == 0 && count < Room::columns) {
                *columns = least;  // no_column behind the last one does no harm
            }
            const bool is_column = least != no_column<I>;
            count += is_column ? 1 : 0;
            columns += is_column ? 1 : 0;
            const I taken = is_column ? least : I{-1};
            LINDEN_UNROLL
            for (int k = 0; k < K; ++k) {
                if (next_[k] == taken) {
                    next_[k] = *++at_[k];
                }
            }
        }
    }

    __device__ static int lane_of_row() { return Warp::lane() % L; }
    /// Of the lanes of a row, by lanes of a warp that stay together.
    template <class T, class Op>
    __device__ static T all_of_row(T value, Op op)
    {
        LINDEN_UNROLL
        for (int distance = L / 2; distance > 0; distance /= 2) {
            value = op(value, Warp::shuffle_xor(value, distance));
        }
        return value;
    }

private:
    static constexpr int in_flight = 4;
    static constexpr int loads = 2;

    /// Copies run k of `in_flight` lanes; returns the place of the next one.
    __device__ I* stage_some(const I* cols, int k, int first_owner, int entries, I* place)
    {
        const int lane = lane_of_row();
        const int base = Warp::lane() - lane;
        I from[in_flight];
        int n[in_flight];
        I loaded[in_flight][loads];
        LINDEN_UNROLL
        for (int i = 0; i < in_flight; ++i) {
            const int source = first_owner + i;
            from[i] = Warp::shuffle(from_[k], base + source);
            n[i] = Warp::shuffle(k * L + lane < entries ? lengths_[k] : -1, base + source);
            LINDEN_UNROLL
            for (int j = 0; j < loads; ++j) {
                const int at = j * L + lane;
                loaded[i][j] = at < n[i] ? cols[from[i] + at] : no_column<I>;
            }
        }
        LINDEN_UNROLL
        for (int i = 0; i < in_flight; ++i) {
            at_[k] = first_owner + i == lane ? place : at_[k];
            LINDEN_UNROLL
            for (int j = 0; j < loads; ++j) {
                if (const int at = j * L + lane; at <= n[i]) {
                    place[at] = loaded[i][j];
                }
            }
            for (int at = loads * L + lane; at <= n[i]; at += L) {
                place[at] = at < n[i] ? cols[from[i] + at] : no_column<I>;
            }
            place += n[i] + 1;
        }
        return place;
    }

    I from_[Room::most_runs], next_[Room::most_runs];
    int lengths_[Room::most_runs];
    const I* at_[Room::most_runs];
    int num_products_;
};

/// Blocks that shared memory has room for beside each other, fewer where places take two registers.
template <class I>
inline constexpr int merged_blocks = blocks_on_cuda(sizeof(I) > 4 ? 5 : 7);

/// Counts columns, and keeps them; rows that are not merged go to their list.
template <class I>
__global__ void __launch_bounds__(merged_threads, merged_blocks<I>)
    find_merged_rows(PatternView<I> a, PatternView<I> b, SymbolicLists<I> lists, PatternTarget<I> c)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    using Room = MergedRoom<I>;
    constexpr int L = Room::lanes;
    LINDEN_SHARED(memory, I[merged_threads / L * Room::words]);
    I* const columns = memory + thread_id() / L * Room::words;
    I* const room = columns + Room::columns;
    const int lane = StagedRuns<I>::lane_of_row();
    KeptRun<I> run(c.kept);
    std::int64_t products_seen = 0, columns_seen = 0;
    const RowList<I> list = lists[medium_list];
    const size_type size = *list.size;
    for (size_type first = Warp::index() * Room::rows_of_warp; first < size; first += grid_threads() / L) {
        const size_type item = first + Warp::lane() / L;
        const bool exists = item < size;
        const I row = list[exists ? item : first];
        const I a_begin = a.row_ptrs[row];
        const I length = a.row_ptrs[row + 1] - a_begin;
        const bool may_pay = exists && 3 * columns_seen <= products_seen && length <= L * Room::most_runs;
        const int entries = may_pay ? static_cast<int>(length) : 0;
        StagedRuns<I> runs(a, b, a_begin, entries);
        const int products = runs.num_products();
        const int merged = products + entries <= Room::staged ? entries : 0;
        runs.stage(b.col_idxs, merged, room);
        int count = 0;
        if (Warp::any(merged > 5 * L)) {
            count = runs.template merge<8>(columns);
        } else if (Warp::any(merged > 4 * L)) {
            count = runs.template merge<5>(columns);
        } else {
            count = runs.template merge<4>(columns);
        }
        Warp::sync();
        const bool is_found = merged > 0 && count <= Room::columns;
        const int num_kept = is_found ? count : 0;
        columns_seen += Warp::sum(lane == 0 && merged > 0 ? count : 0);
        products_seen += Warp::sum(lane == 0 && merged > 0 ? products : 0);
        int before = num_kept;  // and in the groups before
        LINDEN_UNROLL
        for (int distance = L; distance < 32; distance *= 2) {
            const int other = Warp::shuffle_up(before, distance);
            before += Warp::lane() >= distance ? other : 0;
        }
        const I start = run.take(Warp::shuffle(before, 31));
        const I place = start >= 0 ? start + static_cast<I>(before - num_kept) : I{-1};
        for (int i = lane; place >= 0 && i < num_kept; i += L) {
            c.kept.columns[place + i] = columns[i];
        }
        if (lane == 0 && exists) {
            if (is_found) {
                c.counts[row] = static_cast<I>(count);
                c.kept.places[row] = place;
            } else {
                lists.first(table_list)[atomic_add(lists.counters + table_list, I{1})] = row;
            }
        }
        Warp::sync();  // before the next rows come into the room
    }
}

}  // namespace linden::LINDEN_GPU_NAMESPACE::spgemm
