#pragma once

#include "gpu/spgemm_lists.cuh"

/// Short rows of C: merged by eight lanes.
namespace linden::LINDEN_GPU_NAMESPACE::spgemm {

/// The rows of B for the entries of a row of A, one to a lane of eight, one after the other in shared memory.
template <class I>
struct ShortRow {
    int begin, end;  ///< of this lane's row of B there

    /// `room`: short_products columns for the eight lanes. Called by all lanes of a warp.
    __device__ ShortRow(PatternView<I> a, PatternView<I> b, I row, bool exists, I* room)
    {
        const int lane = Warp::lane() % short_lanes;
        const int first_lane = Warp::lane() - lane;
        I from = 0;
        int length = 0;
        if (exists) {
            const I entry = a.row_ptrs[row] + lane;
            if (entry < a.row_ptrs[row + 1]) {
                const I k = a.col_idxs[entry];
                from = b.row_ptrs[k];
                length = static_cast<int>(b.row_ptrs[k + 1] - from);
            }
        }
        end = length;
        LINDEN_UNROLL
        for (int distance = 1; distance < short_lanes; distance *= 2) {
            const int other = Warp::shuffle_up(end, distance);
            end += lane >= distance ? other : 0;
        }
        begin = end - length;
        I cols[short_lanes];
        int lengths[short_lanes];
        LINDEN_UNROLL
        for (int k = 0; k < short_lanes; ++k) {
            const I start = Warp::shuffle(from, first_lane + k);
            lengths[k] = Warp::shuffle(length, first_lane + k);
            cols[k] = lane < lengths[k] ? b.col_idxs[start + lane] : I{};
        }
        int place = lane;
        LINDEN_UNROLL
        for (int k = 0; k < short_lanes; ++k) {
            if (lane < lengths[k]) {
                room[place] = cols[k];
            }
            place += lengths[k];
        }
        if (Warp::any(length > short_lanes)) {
            for (int k = 0; k < short_lanes; ++k) {
                const I start = Warp::shuffle(from, first_lane + k);
                const int target = Warp::shuffle(begin, first_lane + k);
                for (int i = lane + short_lanes; i < lengths[k]; i += short_lanes) {
                    room[target + i] = b.col_idxs[start + i];
                }
            }
        }
    }
};

/// Eight lanes to a row. The eight least columns not yet written wait in the lanes, so that they go out together.
template <bool Fill, class I>
__global__ void __launch_bounds__(short_threads)
    merge_short_rows(PatternView<I> a, PatternView<I> b, RowList<I> list, PatternTarget<I> c)
{
    constexpr int stride = short_products + short_lanes;  // to other banks than the neighbours'
    LINDEN_SHARED(staged, I[short_threads / short_lanes * stride]);
    I* const room = staged + thread_id() / short_lanes * stride;
    const int lane = Warp::lane() % short_lanes;
    const size_type size = *list.size;
    constexpr int rows_of_warp = 32 / short_lanes;
    for (size_type first = Warp::index() * rows_of_warp; first < size; first += grid_threads() / short_lanes) {
        const size_type item = first + Warp::lane() / short_lanes;
        const I row = list[item < size ? item : first];
        const ShortRow<I> mine(a, b, row, item < size, room);
        Warp::sync();
        int at = mine.begin;
        I next = at < mine.end ? room[at] : no_column<I>;
        I* const target = Fill ? c.col_idxs + c.row_ptrs[row] : nullptr;
        I waiting = 0;
        int count = 0;
        while (true) {
            I least = next;
            LINDEN_UNROLL
            for (int distance = short_lanes / 2; distance > 0; distance /= 2) {
                const I other = Warp::shuffle_xor(least, distance);
                least = other < least ? other : least;
            }
            const bool found = least != no_column<I>;
            if (!Warp::any(found)) {
                break;
            }
            if (found && next == least) {
                ++at;
                next = at < mine.end ? room[at] : no_column<I>;
            }
            waiting = Fill && found && lane == count % short_lanes ? least : waiting;
            count += found;
            if (Fill && found && count % short_lanes == 0) {
                target[count - short_lanes + lane] = waiting;
            }
        }
        if (Fill && lane < count % short_lanes) {
            target[count / short_lanes * short_lanes + lane] = waiting;
        }
        if (!Fill && lane == 0 && item < size) {
            c.counts[row] = static_cast<I>(count);
        }
        Warp::sync();  // before the next rows come into the room
    }
}

}  // namespace linden::LINDEN_GPU_NAMESPACE::spgemm
