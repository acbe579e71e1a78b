#pragma once

#include "gpu/spgemm/spgemm_lists.cuh"

/// Short rows of C: merged by four lanes, each with two rows of B. All groups of a warp write their i-th column in the
/// same turn, so that the place of a column is known from the turn.
namespace linden::LINDEN_GPU_NAMESPACE::spgemm {

inline constexpr int short_lanes = 4;
inline constexpr int runs_per_lane = short_row_entries / short_lanes;
inline constexpr int rows_of_warp = 32 / short_lanes;
/// Columns and the ends of the runs; odd, so that groups begin in different banks.
inline constexpr int short_room = short_products + short_row_entries + 1;

/// The rows of B for the entries of a row of A, the runs of a merge, as they lie in shared memory: each ends with
/// no_column. This lane merges runs_per_lane of them.
template <class I>
struct Runs {
    int begins[runs_per_lane];

    /// `room`: short_room columns for the group. Called by all lanes of a warp.
    __device__ Runs(PatternView<I> a, PatternView<I> b, I row, bool exists, I* room)
    {
        const int lane = Warp::lane() % short_lanes;
        I from[runs_per_lane]{};
        int lengths[runs_per_lane]{};
        const I begin = a.row_ptrs[row];
        const I end = exists ? a.row_ptrs[row + 1] : begin;
        LINDEN_UNROLL
        for (int run = 0; run < runs_per_lane; ++run) {
            if (const I entry = begin + run * short_lanes + lane; entry < end) {
                const I k = a.col_idxs[entry];
                from[run] = b.row_ptrs[k];
                lengths[run] = static_cast<int>(b.row_ptrs[k + 1] - from[run]);
            }
        }
        int place = 0;
        LINDEN_UNROLL
        for (int run = 0; run < runs_per_lane; ++run) {
            LINDEN_UNROLL
            for (int owner = 0; owner < short_lanes; ++owner) {
                begins[run] = owner == lane ? place : begins[run];
                place += stage(b.col_idxs, from[run], lengths[run], owner, room + place);
            }
        }
        Warp::sync();
    }

private:
    static constexpr int loads = 2;

    /// Copies the run of lane `owner`; returns the room that it takes.
    __device__ static int stage(const I* cols, I from, int length, int owner, I* target)
    {
        const int lane = Warp::lane() % short_lanes;
        const int source = Warp::lane() - lane + owner;
        const I* const first = cols + Warp::shuffle(from, source);
        const int n = Warp::shuffle(length, source);
        I loaded[loads];
        LINDEN_UNROLL
        for (int i = 0; i < loads; ++i) {
            const int at = i * short_lanes + lane;
            loaded[i] = at < n ? first[at] : no_column<I>;
        }
        LINDEN_UNROLL
        for (int i = 0; i < loads; ++i) {
            const int at = i * short_lanes + lane;
            if (at <= n) {
                target[at] = loaded[i];
            }
        }
        for (int at = loads * short_lanes + lane; at <= n; at += short_lanes) {
            target[at] = at < n ? first[at] : no_column<I>;
        }
        return n + 1;
    }
};

/// The columns of a row in order, one in each turn, no_column after the last.
template <class I>
class Merge {
public:
    __device__ Merge(const Runs<I>& runs, const I* room)
    {
        LINDEN_UNROLL
        for (int run = 0; run < runs_per_lane; ++run) {
            at_[run] = room + runs.begins[run];
            next_[run] = *at_[run];
        }
    }

    /// The same column in all lanes of the group. Called by all lanes of a warp.
    __device__ I turn()
    {
        I least = next_[0];
        LINDEN_UNROLL
        for (int run = 1; run < runs_per_lane; ++run) {
            least = next_[run] < least ? next_[run] : least;
        }
        LINDEN_UNROLL
        for (int distance = short_lanes / 2; distance > 0; distance /= 2) {
            const I other = Warp::shuffle_xor(least, distance);
            least = other < least ? other : least;
        }
        LINDEN_UNROLL
        for (int run = 0; run < runs_per_lane; ++run) {
            if (next_[run] == least && least != no_column<I>) {
                next_[run] = *++at_[run];
            }
        }
        return least;
    }

private:
    const I* at_[runs_per_lane];
    I next_[runs_per_lane];
};

/// Four turns at a time: each lane has one of their columns, no_column if there is none.
template <class I>
__device__ inline I four_turns(Merge<I>& merge, int& count)
{
    const int lane = Warp::lane() % short_lanes;
    I mine = no_column<I>;
    LINDEN_UNROLL
    for (int i = 0; i < short_lanes; ++i) {
        const I col = merge.turn();
        mine = i == lane ? col : mine;
        count += col != no_column<I> ? 1 : 0;
    }
    return mine;
}

/// Whether any group of the warp may have another column. `mine`: of the last turns.
template <class I>
__device__ inline bool has_more(I mine)
{
    return Warp::any(Warp::lane() % short_lanes == short_lanes - 1 && mine != no_column<I>);
}

/// Counts columns, and keeps those of rows that have few.
template <class I>
__global__ void __launch_bounds__(short_threads)
    find_short_rows(PatternView<I> a, PatternView<I> b, RowList<I> list, PatternTarget<I> c)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    constexpr int kept_turns = 4;
    LINDEN_SHARED(staged, I[short_threads / short_lanes * short_room]);
    I* const room = staged + thread_id() / short_lanes * short_room;
    const int lane = Warp::lane() % short_lanes;
    KeptRun<I> run(c.kept);
    const size_type size = *list.size;
    for (size_type first = Warp::index() * rows_of_warp; first < size; first += grid_threads() / short_lanes) {
        const size_type item = first + Warp::lane() / short_lanes;
        const I row = list[item < size ? item : first];
        const Runs<I> runs(a, b, row, item < size, room);
        Merge<I> merge(runs, room);
        int count = 0;
        I mine[kept_turns];
        bool is_more = true;
        LINDEN_UNROLL
        for (int i = 0; i < kept_turns; ++i) {
            mine[i] = is_more ? four_turns(merge, count) : no_column<I>;
            is_more = is_more && has_more(mine[i]);
        }
        while (is_more) {
            is_more = has_more(four_turns(merge, count));
        }
        const int num_kept = count <= kept_turns * short_lanes ? count : 0;
        int before = num_kept;  // and in the groups before
        LINDEN_UNROLL
        for (int distance = short_lanes; distance < 32; distance *= 2) {
            const int other = Warp::shuffle_up(before, distance);
            before += Warp::lane() >= distance ? other : 0;
        }
        const I start = run.take(Warp::shuffle(before, 31));
        const I place = start >= 0 && num_kept > 0 ? start + static_cast<I>(before - num_kept) : I{-1};
        LINDEN_UNROLL
        for (int i = 0; i < kept_turns; ++i) {
            if (place >= 0 && mine[i] != no_column<I>) {
                c.kept.columns[place + i * short_lanes + lane] = mine[i];
            }
        }
        if (lane == 0 && item < size) {
            c.counts[row] = static_cast<I>(count);
            c.kept.places[row] = place;
        }
        Warp::sync();  // before the next rows come into the room
    }
}

/// Writes what is kept, or merges again.
template <class I>
__global__ void __launch_bounds__(short_threads)
    write_short_rows(PatternView<I> a, PatternView<I> b, RowList<I> list, PatternTarget<I> c)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    LINDEN_SHARED(staged, I[short_threads / short_lanes * short_room]);
    I* const room = staged + thread_id() / short_lanes * short_room;
    const int lane = Warp::lane() % short_lanes;
    const size_type size = *list.size;
    for (size_type first = Warp::index() * rows_of_warp; first < size; first += grid_threads() / short_lanes) {
        const size_type item = first + Warp::lane() / short_lanes;
        const I row = list[item < size ? item : first];
        const I place = c.kept.places[row];
        I* target = c.col_idxs + c.row_ptrs[row] + lane;
        const int count = item < size && place >= 0 ? static_cast<int>(c.row_ptrs[row + 1] - c.row_ptrs[row]) : 0;
        for (int i = lane; i < count; i += short_lanes) {
            target[i - lane] = c.kept.columns[place + i];
        }
        if (!Warp::any(item < size && place < 0)) {
            continue;
        }
        const Runs<I> runs(a, b, row, item < size && place < 0, room);
        Merge<I> merge(runs, room);
        I mine = 0;
        do {
            int unused = 0;
            mine = four_turns(merge, unused);
            if (mine != no_column<I>) {
                *target = mine;
            }
            target += short_lanes;
        } while (has_more(mine));
        Warp::sync();  // before the next rows come into the room
    }
}

}  // namespace linden::LINDEN_GPU_NAMESPACE::spgemm
