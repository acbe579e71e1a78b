#pragma once

#include "gpu/device/bits.cuh"
#include "gpu/vector/row_groups.cuh"

/// How many entries a pattern has in each column. Those of successive rows fall on few columns where a matrix is of a
/// grid: a block counts them in shared memory, and adds to a column's number once.
namespace linden::LINDEN_GPU_NAMESPACE {

#if defined(LINDEN_HIP_PLATFORM_HOST)  // small, so that modest matrices have several chunks
inline constexpr int tally_slots = 128;
inline constexpr size_type least_tallied_rows = 32;
#else
inline constexpr int tally_slots = 2048;  // a power of two
inline constexpr size_type least_tallied_rows = size_type{1} << 16;
#endif

/// Rows that a block takes at a time, whose entries mostly are fewer than the slots, 0 where rows are long or few.
template <class I>
size_type tallied_rows(PatternView<I> a)
{
    constexpr size_type least = 64, most = 1024;
    if (a.rows < least_tallied_rows || a.num_nonzeros * least > a.rows * tally_slots) {
        return 0;
    }
    return std::min(most, a.rows * (tally_slots - tally_slots / 8) / std::max<size_type>(a.num_nonzeros, 1));
}

/// The slot of a column in a table that has room for it; slots begin as -1.
template <class I>
__device__ inline std::uint32_t tally_slot(I* cols, I col)
{
    auto slot = static_cast<std::uint32_t>(col) * 0x9E3779B1u >> 16;  // [Knuth98, 6.4]
    while (true) {
        slot %= tally_slots;
        const I old = atomic_cas(cols + slot, I{-1}, col);
        if (old == -1 || old == col) {
            return slot;
        }
        ++slot;
    }
}

/// Called by all threads of a block.
template <class I>
__device__ inline void clear_tally(I* cols, I* numbers)
{
    for (int slot = thread_id(); slot < tally_slots; slot += column_block_threads) {
        cols[slot] = -1;
        numbers[slot] = 0;
    }
}

/// Adds the numbers of the entries [begin, begin + count) in each column to `counts`; count <= tally_slots. Called by
/// all threads of a block.
template <class I>
__device__ inline void tally_columns(const I* col_idxs, I begin, int count, I* counts)
{
    constexpr int in_flight = 8;
    LINDEN_SHARED(cols, I[tally_slots]);
    LINDEN_SHARED(numbers, I[tally_slots]);
    clear_tally(cols, numbers);
    block_barrier();
    for (int first = thread_id(); first < count; first += in_flight * column_block_threads) {
        I mine[in_flight];
        LINDEN_UNROLL
        for (int i = 0; i < in_flight; ++i) {
            const int at = first + i * column_block_threads;
            mine[i] = at < count ? col_idxs[begin + at] : I{-1};
        }
        LINDEN_UNROLL
        for (int i = 0; i < in_flight; ++i) {
            if (mine[i] >= 0) {
                atomic_add(numbers + tally_slot(cols, mine[i]), 1);
            }
        }
    }
    block_barrier();
    for (int slot = thread_id(); slot < tally_slots; slot += column_block_threads) {
        if (numbers[slot] > 0) {
            atomic_add(counts + cols[slot], numbers[slot]);
        }
    }
    block_barrier();  // before the next entries come
}

/// counts += the numbers of entries in the columns.
template <class I>
__global__ void __launch_bounds__(column_block_threads)
    count_tallied_columns(PatternView<I> a, size_type chunk_rows, I* counts)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    for (size_type first = block_id() * chunk_rows; first < a.rows; first += num_blocks() * chunk_rows) {
        const size_type last = first + chunk_rows < a.rows ? first + chunk_rows : a.rows;
        const I begin = a.row_ptrs[first];
        const I end = a.row_ptrs[last];
        if (end - begin <= tally_slots) {
            tally_columns(a.col_idxs, begin, static_cast<int>(end - begin), counts);
        } else {
            for (I k = begin + thread_id(); k < end; k += column_block_threads) {
                atomic_add(counts + a.col_idxs[k], 1);
            }
        }
    }
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
