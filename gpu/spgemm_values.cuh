#pragma once

#include "gpu/bits.cuh"
#include "gpu/complex.cuh"
#include "gpu/spgemm_rows.cuh"

/// The values of C = A B on its pattern. Sums are kept in shared memory beside C's sorted columns, in which products
/// find their place by bisection. The products of an entry are added in the order of A's entries: those of one entry of
/// A fall on different entries of C, and those of the next wait. Short rows are worked on by eight lanes. Other rows
/// are cut into slices of C's entries, a warp to a slice, so that the longest row keeps many warps busy.
namespace linden::LINDEN_GPU_NAMESPACE::spgemm {

#if defined(LINDEN_HIP_PLATFORM_HOST)  // small, so that modest matrices have rows of each kind
inline constexpr int value_threads = 64;
inline constexpr int slice_threads = 64;
inline constexpr int slice_entries = 128;
#else
inline constexpr int value_threads = 256;
inline constexpr int slice_threads = 128;
inline constexpr int slice_entries = 512;
#endif
inline constexpr int value_lanes = 8;
/// A short row has at most so many entries in C, a power of two, and in A.
inline constexpr int short_entries = 64;

/// The matrices of a product, values of C to be written.
template <class V, class I>
struct Operands {
    CsrView<V, I> a, b;
    PatternView<I> c;
    V* c_values;
};

/// Short rows grow from the front of the room, slices, each two words, from its end.
template <class I>
struct ValueLists : Lists<I> {
    size_type words;

    ValueLists(WorkspaceView workspace, size_type rows, size_type num_nonzeros)
        : Lists<I>(workspace),
          words(room_words(rows, num_nonzeros))
    {
    }
    static size_type room_words(size_type rows, size_type num_nonzeros)
    {
        return 2 * rows + 2 * (num_nonzeros / slice_entries);
    }
    static size_type bytes(size_type rows, size_type num_nonzeros)
    {
        return Lists<I>::header_bytes + room_words(rows, num_nonzeros) * static_cast<size_type>(sizeof(I));
    }
    RowList<I> short_rows() const { return {this->room, 1, this->counters}; }
    /// Item i has its row at [2 i] and the number of the slice at [2 i + 1].
    RowList<I> slices() const { return {this->room + words - 1, -1, this->counters + 1}; }
};

template <class I>
__global__ void __launch_bounds__(column_block_threads)
    sort_value_rows(PatternView<I> a, PatternView<I> c, ValueLists<I> lists)
{
    for (size_type first = static_cast<size_type>(block_id()) * column_block_threads; first < c.rows;
         first += grid_threads()) {
        const size_type row = first + thread_id();
        bool is_short = false;
        int num_slices = 0;
        if (row < c.rows) {
            const I length = c.row_ptrs[row + 1] - c.row_ptrs[row];
            is_short = 0 < length && length <= short_entries && a.row_ptrs[row + 1] - a.row_ptrs[row] <= short_entries;
            num_slices = is_short || length == 0 ? 0 : static_cast<int>((length - 1) / slice_entries) + 1;
        }
        std::int64_t total = 0;
        const std::int64_t mine = (std::int64_t{num_slices} << 16) + is_short;  // a block has less than 2^16 rows
        const std::int64_t before = block_exclusive_scan<column_block_threads>(mine, total);
        LINDEN_SHARED(starts, I[2]);
        if (thread_id() < 2) {
            const auto part = thread_id() == 0 ? total & 0xFFFF : total >> 16;
            starts[thread_id()] = atomic_add(lists.counters + thread_id(), static_cast<I>(part));
        }
        block_barrier();
        if (is_short) {
            lists.room[starts[0] + (before & 0xFFFF)] = static_cast<I>(row);
        }
        I* item = lists.room + lists.words - 1 - 2 * (starts[1] + (before >> 16));
        for (int slice = 0; slice < num_slices; ++slice, item -= 2) {
            item[0] = static_cast<I>(row);
            item[-1] = static_cast<I>(slice);
        }
        block_barrier();
    }
}

// ---- short rows -----------------------------------------------------------------------------------------------------

/// The place of `col`, which is there, among sorted columns; no_column fills up to short_entries.
template <class I>
__device__ inline int place_among_short(const I* cols, I col)
{
    int place = 0;
    LINDEN_UNROLL
    for (int step = short_entries / 2; step > 0; step /= 2) {
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
        for (int i = lane(); i < short_entries; i += value_lanes) {
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
            LINDEN_UNROLL
            for (int i = 0; i < in_flight; ++i) {
                if (cols[i] != no_column<I>) {
                    sums_[place_among_short(cols_, cols[i])] += products[i];
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
            sums_[place_among_short(cols_, b.col_idxs[entry.begin + i])] += entry.value * b.values[entry.begin + i];
        }
    }

    V* sums_;
    I* cols_;
};

template <class V, class I>
__global__ void __launch_bounds__(value_threads) sum_short_rows(Operands<V, I> op, RowList<I> list)
{
    constexpr int rows_of_warp = 32 / value_lanes;
    const int lane = Warp::lane() % value_lanes;
    ShortSums<V, I> sums;
    const size_type size = *list.size;
    for (size_type first = Warp::index() * rows_of_warp; first < size; first += grid_threads() / value_lanes) {
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

// ---- slices of other rows -------------------------------------------------------------------------------------------

template <class V, class I>
inline constexpr size_type slice_bytes = slice_threads / 32 *
                                         slice_entries* static_cast<size_type>(sizeof(V) + sizeof(I));

/// The place of `col`, which is there, among n sorted columns.
template <class I>
__device__ inline int place_among(const I* cols, int n, I col)
{
    int place = 0;
    while (n > 1) {
        const int half = n / 2;
        place += cols[place + half] <= col ? half : 0;
        n -= half;
    }
    return place;
}

/// A warp to a slice. Products are taken 32 at a time, whatever rows of B they are from; those of one entry of A are
/// added at once, then those of the next. Dynamic shared memory: slice_bytes.
template <class V, class I>
__global__ void __launch_bounds__(slice_threads) sum_slices(Operands<V, I> op, RowList<I> list)
{
    constexpr int warps = slice_threads / 32;
    const int lane = Warp::lane();
    const std::uint32_t lanes_to_here = ~std::uint32_t{0} >> (31 - lane);
    V* const sums = dynamic_shared<V>() + thread_id() / 32 * slice_entries;
    I* const cols =
        reinterpret_cast<I*>(dynamic_shared<V>() + warps * slice_entries) + thread_id() / 32 * slice_entries;
    const size_type size = *list.size;
    for (size_type item = Warp::index(); item < size; item += grid_threads() / 32) {
        const I row = list[2 * item];
        const I row_begin = op.c.row_ptrs[row];
        const I row_end = op.c.row_ptrs[row + 1];
        const I begin = row_begin + list[2 * item + 1] * slice_entries;
        const int n = row_end - begin < slice_entries ? static_cast<int>(row_end - begin) : slice_entries;
        for (int i = lane; i < n; i += 32) {
            cols[i] = op.c.col_idxs[begin + i];
            sums[i] = V{};
        }
        Warp::sync();
        const Window<I> window{cols[0], cols[n - 1], row_end - row_begin <= slice_entries};
        for_each_product<I>(op.a, op.b, op.a.row_ptrs[row], op.a.row_ptrs[row + 1], window, 0, 1,
                            [&](bool exists, int owner, I i, I j) {
                                const int place = exists ? place_among(cols, n, op.b.col_idxs[j]) : 0;
                                const V product = exists ? op.a.values[i] * op.b.values[j] : V{};
                                const bool begins = Warp::shuffle_up(owner, 1) != owner || lane == 0;
                                const auto begins_of = static_cast<std::uint32_t>(Warp::ballot(begins));
                                const int turn = popcount(begins_of & lanes_to_here);
                                for (int now = 1; now <= popcount(begins_of); ++now) {
                                    if (exists && turn == now) {
                                        sums[place] += product;
                                    }
                                    Warp::sync();
                                }
                            });
        for (int i = lane; i < n; i += 32) {
            op.c_values[begin + i] = sums[i];
        }
        Warp::sync();  // before the next slice comes into the sums
    }
}

}  // namespace linden::LINDEN_GPU_NAMESPACE::spgemm
