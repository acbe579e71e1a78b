#pragma once

#include "gpu/device/bits.cuh"
#include "gpu/spgemm/spgemm_lists.cuh"

/// Long rows of C: a bitmap of columns in the shared memory of a block.
namespace linden::LINDEN_GPU_NAMESPACE::spgemm {

inline constexpr size_type window_bytes = window_words * static_cast<size_type>(sizeof(std::uint32_t));

/// The first and the last column of a row of C, in all threads of the block; first > last if the row is empty.
template <class I>
__device__ inline Window<I> range_of_row(PatternView<I> a, PatternView<I> b, I begin, I end)
{
    I bounds[2] = {-std::numeric_limits<I>::max(), -1};  // -first, last
    for (I i = begin + thread_id(); i < end; i += long_threads) {
        const I k = a.col_idxs[i];
        const I b_begin = b.row_ptrs[k];
        const I b_end = b.row_ptrs[k + 1];
        if (b_begin < b_end) {
            const I first = b.col_idxs[b_begin];
            const I last = b.col_idxs[b_end - 1];
            bounds[0] = -first > bounds[0] ? -first : bounds[0];
            bounds[1] = last > bounds[1] ? last : bounds[1];
        }
    }
    block_reduce<long_threads, Max>(bounds);
    return block_broadcast(Window<I>{-bounds[0], bounds[1], true}, 0);
}

/// Sets the bits of the products' columns in the window, which begins at bit 0.
template <class I>
__device__ inline void mark_columns(PatternView<I> a, PatternView<I> b, I begin, I end, Window<I> window,
                                    std::uint32_t* bitmap)
{
    for_each_product(a, b, begin, end, window, thread_id() / 32, long_threads / 32, [&](bool exists, int, I, I j) {
        if (exists) {
            const auto bit = static_cast<std::uint32_t>(b.col_idxs[j] - window.low);
            atomic_or(bitmap + bit / 32, std::uint32_t{1} << (bit % 32));
        }
    });
}

/// Writes the columns of the bits in order; returns their number.
template <class I>
__device__ inline int write_columns(const std::uint32_t* bitmap, int words, I first_col, I* target)
{
    int written = 0;
    for (int first = 0; first < words; first += long_threads) {
        const int word = first + thread_id();
        std::uint32_t bits = word < words ? bitmap[word] : 0;
        int total = 0;
        I* next = target + written + block_exclusive_scan<long_threads>(popcount(bits), total);
        for (; bits != 0; bits &= bits - 1) {
            *next++ = static_cast<I>(first_col + word * 32 + lowest_bit(bits));
        }
        written += total;
    }
    return written;
}

/// Calls use(window, words, has_all) when the bitmap of a window of a row's columns is complete, for one window after
/// the other. Called by all threads of a block.
template <class I, class Use>
__device__ inline void for_each_window(PatternView<I> a, PatternView<I> b, I row, std::uint32_t* bitmap, Use use)
{
    constexpr size_type window_cols = size_type{32} * window_words;
    const I begin = a.row_ptrs[row];
    const I end = a.row_ptrs[row + 1];
    const auto range = range_of_row(a, b, begin, end);
    for (size_type first = range.low; first <= range.high; first += window_cols) {
        const size_type last = first + window_cols - 1 < range.high ? first + window_cols - 1 : range.high;
        const int words = static_cast<int>((last - first) / 32) + 1;
        for (int word = thread_id(); word < words; word += long_threads) {
            bitmap[word] = 0;
        }
        block_barrier();
        const Window<I> window{static_cast<I>(first), static_cast<I>(last), first == range.low && last == range.high};
        mark_columns(a, b, begin, end, window, bitmap);
        block_barrier();
        use(window, words);
        block_barrier();  // before the bitmap is cleared
    }
}

/// A block to a row: counts columns, and keeps those of rows that a window has room for. Dynamic shared memory:
/// window_bytes.
template <class I>
__global__ void __launch_bounds__(long_threads)
    find_long_rows(PatternView<I> a, PatternView<I> b, RowList<I> list, PatternTarget<I> c)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    auto* const bitmap = dynamic_shared<std::uint32_t>();
    bool has_room = true;
    const size_type size = *list.size;
    for (size_type item = block_id(); item < size; item += num_blocks()) {
        const I row = list[item];
        I count = 0;
        I place = -1;
        for_each_window(a, b, row, bitmap, [&](Window<I> window, int words) {
            int of_window[1]{};
            for (int word = thread_id(); word < words; word += long_threads) {
                of_window[0] += popcount(bitmap[word]);
            }
            block_reduce<long_threads>(of_window);
            count += static_cast<I>(block_broadcast(of_window[0], 0));
            if (window.has_all && has_room) {
                place = block_broadcast(thread_id() == 0 ? c.kept.reserve(static_cast<int>(count)) : I{-1}, 0);
                has_room = place >= 0;
                if (has_room) {
                    write_columns(bitmap, words, window.low, c.kept.columns + place);
                }
            }
        });
        if (thread_id() == 0) {
            c.counts[row] = count;
            c.kept.places[row] = place;
        }
    }
}

/// A block to a row: writes what is kept, or finds it again. Dynamic shared memory: window_bytes.
template <class I>
__global__ void __launch_bounds__(long_threads)
    write_long_rows(PatternView<I> a, PatternView<I> b, RowList<I> list, PatternTarget<I> c)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    auto* const bitmap = dynamic_shared<std::uint32_t>();
    const size_type size = *list.size;
    for (size_type item = block_id(); item < size; item += num_blocks()) {
        const I row = list[item];
        const I place = c.kept.places[row];
        I* target = c.col_idxs + c.row_ptrs[row];
        if (place >= 0) {
            const I count = c.row_ptrs[row + 1] - c.row_ptrs[row];
            for (I i = thread_id(); i < count; i += long_threads) {
                target[i] = c.kept.columns[place + i];
            }
            continue;
        }
        for_each_window(a, b, row, bitmap, [&](Window<I> window, int words) {
            target += write_columns(bitmap, words, window.low, target);
        });
    }
}

}  // namespace linden::LINDEN_GPU_NAMESPACE::spgemm
