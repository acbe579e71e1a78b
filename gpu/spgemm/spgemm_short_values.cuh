#pragma once

#include "gpu/spgemm/spgemm_values.cuh"

/// Values of short rows of C: eight lanes to a row.
namespace linden::LINDEN_GPU_NAMESPACE::spgemm {

/// The place of `col`, which is there, among sorted columns; no_column fills up to short_entries, or to half of them
/// unless `is_wide`.
template <class I>
__device__ inline int place_among_short(const I* cols, bool is_wide, I col)
{
    int place = is_wide && cols[short_entries / 2] <= col ? short_entries / 2 : 0;
    LINDEN_UNROLL
    for (int step = short_entries / 4; step > 0; step /= 2) {
        place += cols[place + step] <= col ? step : 0;
    }
    return place;
}

/// What a lane holds of an entry of A: where the row of B is.
template <class V, class I>
struct EntryOfA {
    I begin;
    int length;
    V value;
};

/// Eight lanes to a row of C: one entry of A after the other, the lanes along its row of B. Rows of B for the next
/// entries are on their way meanwhile.
template <class V, class I>
class ShortSums {
public:
    static constexpr int stride = short_entries + value_lanes;  // to other banks than the neighbours'
    static constexpr size_type shared_bytes =
        value_threads / value_lanes * stride * static_cast<size_type>(sizeof(V) + sizeof(I));

    __device__ ShortSums()
        : sums_(dynamic_shared<V>() + group() * stride),
          cols_(reinterpret_cast<I*>(dynamic_shared<V>() + value_threads / value_lanes * stride) + group() * stride)
    {
    }

    __device__ void start(const I* cols, int n)
    {
        is_wide_ = Warp::any(n > short_entries / 2);
        const int places = is_wide_ ? short_entries : short_entries / 2;
        for (int i = lane(); i < places; i += value_lanes) {
            cols_[i] = i < n ? cols[i] : no_column<I>;
            sums_[i] = V{};
        }
        Warp::sync();
    }

    /// Adds the products of the entries that the eight lanes hold. Called by all lanes of a warp.
    __device__ void add(const CsrView<V, I>& b, EntryOfA<V, I> mine)
    {
        const int first_lane = Warp::lane() - lane();
        const bool has_long_row = Warp::any(mine.length > value_lanes);
        LINDEN_UNROLL
        for (int first = 0; first < value_lanes; first += in_flight) {
            I cols[in_flight];
            V products[in_flight];
            LINDEN_UNROLL
            for (int i = 0; i < in_flight; ++i) {
                const EntryOfA<V, I> entry = entry_of(mine, first_lane + first + i);
                const bool has = lane() < entry.length;
                cols[i] = has ? b.col_idxs[entry.begin + lane()] : no_column<I>;
                products[i] = has ? entry.value * b.values[entry.begin + lane()] : V{};
            }
            int places[in_flight];
            LINDEN_UNROLL
            for (int i = 0; i < in_flight; ++i) {
                places[i] = cols[i] != no_column<I> ? place_among_short(cols_, is_wide_, cols[i]) : -1;
            }
            LINDEN_UNROLL
            for (int i = 0; i < in_flight; ++i) {
                if (places[i] >= 0) {
                    sums_[places[i]] += products[i];
                }
                if (has_long_row) {
                    add_rest(b, entry_of(mine, first_lane + first + i));
                }
                Warp::sync();
            }
        }
    }

    __device__ void finish(V* values, int n)
    {
        for (int i = lane(); i < n; i += value_lanes) {
            values[i] = sums_[i];
        }
        Warp::sync();
    }

private:
    static constexpr int in_flight = 4;

    __device__ static int lane() { return Warp::lane() % value_lanes; }
    __device__ static int group() { return thread_id() / value_lanes; }
    __device__ static EntryOfA<V, I> entry_of(EntryOfA<V, I> mine, int source)
    {
        return {Warp::shuffle(mine.begin, source), Warp::shuffle(mine.length, source),
                Warp::shuffle(mine.value, source)};
    }

    /// What a row of B has beyond eight entries.
    __device__ void add_rest(const CsrView<V, I>& b, EntryOfA<V, I> entry)
    {
        for (int i = lane() + value_lanes; i < entry.length; i += value_lanes) {
            sums_[place_among_short(cols_, is_wide_, b.col_idxs[entry.begin + i])] +=
                entry.value * b.values[entry.begin + i];
        }
    }

    V* sums_;
    I* cols_;
    bool is_wide_ = false;
};

template <class V, class I>
__global__ void __launch_bounds__(value_threads, (value_blocks<V, I>))
    sum_short_rows(Operands<V, I> op, RowList<I> list)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    constexpr int rows_at_once = 32 / value_lanes;
    const int lane = Warp::lane() % value_lanes;
    ShortSums<V, I> sums;
    const size_type size = *list.size;
    for (size_type first = Warp::index() * rows_at_once; first < size; first += grid_threads() / value_lanes) {
        const size_type item = first + Warp::lane() / value_lanes;
        const I row = list[item < size ? item : first];
        const I begin = op.c.row_ptrs[row];
        const int n = item < size ? static_cast<int>(op.c.row_ptrs[row + 1] - begin) : 0;
        sums.start(op.c.col_idxs + begin, n);
        const I a_begin = op.a.row_ptrs[row];
        const int entries = item < size ? static_cast<int>(op.a.row_ptrs[row + 1] - a_begin) : 0;
        for (int done = 0; Warp::any(done < entries); done += value_lanes) {
            EntryOfA<V, I> mine{0, 0, V{}};
            if (done + lane < entries) {
                const I i = a_begin + done + lane;
                const I k = op.a.col_idxs[i];
                mine.begin = op.b.row_ptrs[k];
                mine.length = static_cast<int>(op.b.row_ptrs[k + 1] - mine.begin);
                mine.value = op.a.values[i];
            }
            sums.add(op.b, mine);
        }
        sums.finish(op.c_values + begin, n);
    }
}

}  // namespace linden::LINDEN_GPU_NAMESPACE::spgemm
