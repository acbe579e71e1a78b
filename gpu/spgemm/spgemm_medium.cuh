#pragma once

#include "gpu/device/bits.cuh"
#include "gpu/spgemm/spgemm_lists.cuh"

/// Medium rows of C: a hash table for each, in the shared memory of a warp.
namespace linden::LINDEN_GPU_NAMESPACE::spgemm {

/// A set of columns in 2^bits slots, which begin as no_column.
template <class I>
struct ColumnSet {
    I* slots;
    int bits;

    /// Whether `col` was not there.
    __device__ bool insert(I col) const
    {
        const auto last = (1u << bits) - 1;
        auto slot = static_cast<std::uint32_t>(col) * 0x9E3779B1u >> (32 - bits);  // [Knuth98, 6.4]
        while (true) {
            const I old = atomic_cas(slots + slot, no_column<I>, col);
            if (old == no_column<I> || old == col) {
                return old == no_column<I>;
            }
            slot = (slot + 1) & last;
        }
    }

    /// The columns to the front of the slots; returns their number. Called by all lanes of a warp.
    __device__ int compact() const
    {
        const std::uint32_t lanes_before = (std::uint32_t{1} << Warp::lane()) - 1;
        int count = 0;
        for (int first = 0; first < 1 << bits; first += 32) {
            const I col = slots[first + Warp::lane()];
            const auto full = static_cast<std::uint32_t>(Warp::ballot(col != no_column<I>));
            if (col != no_column<I>) {
                slots[count + popcount(full & lanes_before)] = col;  // at or before what has been read
            }
            count += popcount(full);
            Warp::sync();
        }
        return count;
    }
};

/// Sorts 32 K values in the registers of a warp by a bitonic network [Batcher68]: number 32 k + lane is mine[k].
template <int K, class I>
__device__ inline void sort_in_registers(I (&mine)[K])
{
    const int lane = Warp::lane();
    LINDEN_UNROLL
    for (int run = 2; run <= 32 * K; run *= 2) {
        LINDEN_UNROLL
        for (int stride = run / 2; stride > 0; stride /= 2) {
            LINDEN_UNROLL
            for (int k = 0; k < K; ++k) {
                const bool ascends = ((32 * k + lane) & run) == 0;
                if (stride < 32) {
                    const I other = Warp::shuffle_xor(mine[k], stride);
                    const bool wants_less = ascends == ((lane & stride) == 0);
                    mine[k] = (other < mine[k]) == wants_less ? other : mine[k];
                } else if ((32 * k & stride) == 0) {
                    const I low = mine[k];
                    const I high = mine[k + stride / 32];
                    const bool is_swapped = (high < low) == ascends;
                    mine[k] = is_swapped ? high : low;
                    mine[k + stride / 32] = is_swapped ? low : high;
                }
            }
        }
    }
}

/// Writes values[0], ..., values[n - 1], n <= 32 K, in order. Called by all lanes of a warp.
template <int K, class I>
__device__ inline void write_sorted(const I* values, int n, I* target)
{
    I mine[K];
    LINDEN_UNROLL
    for (int k = 0; k < K; ++k) {
        const int i = 32 * k + Warp::lane();
        mine[k] = i < n ? values[i] : no_column<I>;
    }
    sort_in_registers(mine);
    LINDEN_UNROLL
    for (int k = 0; k < K; ++k) {
        const int i = 32 * k + Warp::lane();
        if (i < n) {
            target[i] = mine[k];
        }
    }
}

/// Sorts values[0], ..., values[n - 1], n <= the power of two that has room, in the same way. Called by all lanes of a
/// warp.
template <class I>
__device__ inline void sort_in_warp(I* values, int n)
{
    int size = 2;
    while (size < n) {
        size *= 2;
    }
    for (int i = n + Warp::lane(); i < size; i += 32) {
        values[i] = no_column<I>;
    }
    Warp::sync();
    for (int run = 2; run <= size; run *= 2) {
        for (int stride = run / 2; stride > 0; stride /= 2) {
            for (int pair = Warp::lane(); pair < size / 2; pair += 32) {
                const int low = 2 * pair - (pair & (stride - 1));
                const I first = values[low];
                const I second = values[low + stride];
                if ((first > second) == ((low & run) == 0)) {
                    values[low] = second;
                    values[low + stride] = first;
                }
            }
            Warp::sync();
        }
    }
}

/// The slots' first `count` columns in order. Called by all lanes of a warp.
template <class I>
__device__ inline void write_sorted(I* slots, int count, I* target)
{
    if (count <= 32) {
        write_sorted<1>(slots, count, target);
    } else if (count <= 64) {
        write_sorted<2>(slots, count, target);
    } else if (count <= 128) {
        write_sorted<4>(slots, count, target);
    } else {
        sort_in_warp(slots, count);
        for (int i = Warp::lane(); i < count; i += 32) {
            target[i] = slots[i];
        }
    }
}

/// Slots, as a power of two, for a row that has so many products at most, and all slots for more than fit.
__device__ inline int bits_for_products(int products)
{
    int bits = 5;
    while (3 << bits < 4 * products && 1 << bits < medium_slots) {
        ++bits;
    }
    return bits;
}

/// Products of the entries [begin, end) of a row of A. Called by all lanes of a warp.
template <class I>
__device__ inline int count_products(PatternView<I> a, PatternView<I> b, I begin, I end)
{
    int products = 0;
    for (I i = begin + Warp::lane(); i < end; i += 32) {
        products += static_cast<int>(b.row_ptrs[a.col_idxs[i] + 1] - b.row_ptrs[a.col_idxs[i]]);
    }
    return Warp::sum(products);
}

/// Calls use(col) for the columns of all products, no_column for none, 32 at a time; those of the next ones are on
/// their way meanwhile. Called by all lanes of a warp.
template <class I, class Use>
__device__ inline void for_each_column(PatternView<I> a, PatternView<I> b, I begin, I end, Use use)
{
    using Products = ProductsOfEntries<I>;
    using U = typename Products::U;
    constexpr int in_flight = 4;
    for_each_32_entries(a, b, begin, end, Window<I>{0, 0, true}, [&](I, const Products& products) {
        for (U done = 0; done < products.total(); done += 32 * in_flight) {
            I cols[in_flight];
            LINDEN_UNROLL
            for (int i = 0; i < in_flight; ++i) {
                const U first = done + static_cast<U>(32 * i);
                cols[i] = no_column<I>;
                if (first < products.total()) {
                    const U product = first + static_cast<U>(Warp::lane());
                    const auto found = products.find(first);
                    cols[i] = product < products.total() ? b.col_idxs[found.j] : no_column<I>;
                }
            }
            LINDEN_UNROLL
            for (int i = 0; i < in_flight; ++i) {
                if (done + static_cast<U>(32 * i) < products.total()) {
                    use(cols[i]);
                }
            }
        }
    });
}

/// Slots, as a power of two, that suffice for most rows with so many products, of which several fall on each column.
/// Tables are cleared, and looked through for columns.
__device__ inline int usual_bits(int products) { return products <= medium_products / 2 ? 7 : 8; }

/// The columns of a row of C in the front of the slots, in any order; returns their number, -1 if there is no room. A
/// small table is tried first. Called by all lanes of a warp.
template <class I>
__device__ inline int find_columns(PatternView<I> a, PatternView<I> b, I begin, I end, I* slots)
{
    const int products = count_products(a, b, begin, end);
    const int last_bits = bits_for_products(products);
    const int first_bits = usual_bits(products);
    for (int bits = last_bits < first_bits ? last_bits : first_bits;; bits = last_bits) {
        const ColumnSet<I> columns{slots, bits};
        for (int slot = Warp::lane(); slot < 1 << bits; slot += 32) {
            slots[slot] = no_column<I>;
        }
        Warp::sync();
        const int most = 3 << bits < 4 * products ? (1 << bits) - 33 : 1 << bits;  // before another 32
        int count = 0;
        for_each_column(a, b, begin, end, [&](I col) {
            if (count <= most) {
                count += popcount(static_cast<std::uint32_t>(Warp::ballot(col != no_column<I> && columns.insert(col))));
            }
        });
        Warp::sync();
        if (count <= most) {
            return columns.compact();
        }
        if (bits == last_bits) {
            return -1;
        }
    }
}

/// Blocks that must fit beside each other: leaves a thread registers enough.
template <class I>
inline constexpr int medium_blocks = blocks_on_cuda(sizeof(I) > 4 ? 6 : 9);

/// A warp to a row of list `which`: counts columns, and keeps them; a row without room becomes a long one.
template <class I>
__global__ void __launch_bounds__(medium_threads, medium_blocks<I>)
    find_medium_rows(PatternView<I> a, PatternView<I> b, SymbolicLists<I> lists, int which, PatternTarget<I> c)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    LINDEN_SHARED(all_slots, I[medium_threads / 32 * medium_slots]);
    I* const slots = all_slots + thread_id() / 32 * medium_slots;
    KeptRun<I> run(c.kept);
    const RowList<I> list = lists[which];
    const size_type size = *list.size;
    for (size_type item = Warp::index(); item < size; item += grid_threads() / 32) {
        const I row = list[item];
        const int count = find_columns(a, b, a.row_ptrs[row], a.row_ptrs[row + 1], slots);
        if (count < 0) {
            if (Warp::lane() == 0) {
                lists.first(long_list)[atomic_add(lists.counters + long_list, I{1})] = row;
            }
            continue;
        }
        const I place = run.take(count);
        if (place >= 0) {
            write_sorted(slots, count, c.kept.columns + place);
        }
        if (Warp::lane() == 0) {
            c.counts[row] = static_cast<I>(count);
            c.kept.places[row] = place;
        }
        Warp::sync();  // before the next row comes into the slots
    }
}

/// A warp to a row: writes what is kept, or finds it again, unless it is a long row.
template <class I>
__global__ void __launch_bounds__(medium_threads, medium_blocks<I>)
    write_medium_rows(PatternView<I> a, PatternView<I> b, RowList<I> list, PatternTarget<I> c)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    LINDEN_SHARED(all_slots, I[medium_threads / 32 * medium_slots]);
    I* const slots = all_slots + thread_id() / 32 * medium_slots;
    const size_type size = *list.size;
    for (size_type item = Warp::index(); item < size; item += grid_threads() / 32) {
        const I row = list[item];
        const I place = c.kept.places[row];
        I* const target = c.col_idxs + c.row_ptrs[row];
        if (place >= 0) {
            const int count = static_cast<int>(c.row_ptrs[row + 1] - c.row_ptrs[row]);
            for (int i = Warp::lane(); i < count; i += 32) {
                target[i] = c.kept.columns[place + i];
            }
        } else {
            const int count = find_columns(a, b, a.row_ptrs[row], a.row_ptrs[row + 1], slots);
            if (count >= 0) {
                write_sorted(slots, count, target);
            }
            Warp::sync();  // before the next row comes into the slots
        }
    }
}

}  // namespace linden::LINDEN_GPU_NAMESPACE::spgemm
