#pragma once

#include "core/kernels/nnz_split.hpp"
#include "gpu/vector/columns.cuh"

/// Splits of nonzeros, and which rows these are in. A type `Rows` of this file says for a matrix:
///     I first_row(c)                     that of the first nonzero of split c
///     bool begins_before(row, k)         whether `row` has nonzeros before k
///     bool ends_after(row, k)            whether it has nonzeros from k on
///     size_type last_split(row, c, n)    the last of n splits that holds nonzeros of `row`, which split c does
/// and for multiply_splits
///     void mark(c, begin, count, marks, empty)
///                                        marks[padded(i)] := the row that begins with nonzero begin + i of split c,
///                                        and that of the split's first nonzero; calls empty(row) for rows without
///                                        nonzeros
namespace linden::LINDEN_GPU_NAMESPACE {

#if defined(LINDEN_HIP_PLATFORM_HOST)  // where every work-item takes its time from the others
inline constexpr int split_threads = 64;
#else
inline constexpr int split_threads = 256;
#endif
/// Neighbouring nonzeros of a thread.
inline constexpr int split_items = static_cast<int>(split_nonzeros) / split_threads;
/// Blocks that must fit beside each other: leaves a thread registers enough.
template <class V, class I>
inline constexpr int split_blocks = sizeof(V) > 8 || (sizeof(I) > 4 && !std::is_floating_point_v<V>) ? 2 : 4;

/// A place in shared memory for item i, such that neighbouring threads' items lie in different banks.
__device__ inline int padded(int i) { return i + i / split_items; }
inline constexpr int padded_split = static_cast<int>(split_nonzeros) + split_threads;

template <class I>
struct CooRows {
    size_type num_nonzeros;
    const I* row_idxs;

    __device__ I first_row(size_type split) const { return row_idxs[split * split_nonzeros]; }
    __device__ bool begins_before(I row, size_type k) const { return k > 0 && row_idxs[k - 1] == row; }
    __device__ bool ends_after(I row, size_type k) const { return k < num_nonzeros && row_idxs[k] == row; }
    /// Binary search among the first rows of the splits.
    __device__ size_type last_split(I row, size_type low, size_type num_splits) const
    {
        size_type high = num_splits - 1;
        while (low < high) {
            const size_type middle = high - (high - low) / 2;
            if (first_row(middle) <= row) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }
};

/// The row of nonzero k, which lies in [low, high].
template <class I>
__device__ inline I row_of(const I* row_ptrs, size_type k, I low, I high)
{
    while (low < high) {
        const I middle = high - (high - low) / 2;
        if (row_ptrs[middle] <= k) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

template <class I>
struct CsrRows {
    size_type rows;
    size_type num_nonzeros;
    const I* row_ptrs;
    const I* split_rows;

    __device__ I first_row(size_type split) const { return split_rows[split]; }
    __device__ bool begins_before(I row, size_type k) const { return row_ptrs[row] < k; }
    __device__ bool ends_after(I row, size_type k) const { return row_ptrs[row + 1] > k; }
    __device__ size_type last_split(I row, size_type, size_type) const
    {
        return (row_ptrs[row + 1] - 1) / split_nonzeros;
    }
    /// The rows of a split are those up to the row that the next one begins with, empty ones among them.
    template <class Empty>
    __device__ void mark(size_type split, size_type begin, int count, I* marks, Empty empty) const
    {
        const size_type end = begin + count;
        const size_type first = split == 0 ? 0 : split_rows[split];
        const size_type last = end < num_nonzeros ? split_rows[split + 1] : rows - 1;
        for (size_type row = first + thread_id(); row <= last; row += split_threads) {
            const size_type row_begin = row_ptrs[row];
            if (row_begin == row_ptrs[row + 1]) {
                empty(static_cast<I>(row));
            } else if (row_begin >= begin && row_begin < end) {
                marks[padded(static_cast<int>(row_begin - begin))] = static_cast<I>(row);
            } else if (row_begin < begin) {
                marks[0] = static_cast<I>(row);
            }
        }
    }
};

}  // namespace linden::LINDEN_GPU_NAMESPACE
