#pragma once

#include "gpu/pattern/count_columns.cuh"
#include "gpu/pattern/row_sort.cuh"

/// Entries of a pattern on their way to the rows of its transpose, in which they arrive in any order. They wait
/// together for their order, since each goes to a place of its own: a store for both parts.
namespace linden::LINDEN_GPU_NAMESPACE {

/// Takes a place for each entry.
template <class I>
struct TransposeRow {
    PatternView<I> a;
    const I* row_ptrs;
    RowWorkspace<I> work;

    template <class Group>
    __device__ void operator()(Group, size_type row) const
    {
        const size_type end = a.row_ptrs[row + 1];
        for (size_type k = a.row_ptrs[row] + Group::lane(); k < end; k += Group::size) {
            const I key = a.col_idxs[k];
            work.arrived[row_ptrs[key] + atomic_add(work.next + key, 1)] = {static_cast<I>(row), static_cast<I>(k)};
        }
    }
    __device__ size_type length(size_type row) const { return a.row_ptrs[row + 1] - a.row_ptrs[row]; }
};

/// Takes the places of successive rows, which have at most tally_slots entries from `begin` on, together: one time for
/// each column. Members are called by all threads of a block.
template <class I>
class TallyOfRows {
public:
    __device__ TallyOfRows(size_type first_row, I begin, int count)
        : first_row_(first_row),
          begin_(begin),
          count_(count)
    {
        LINDEN_SHARED(cols, I[tally_slots]);
        LINDEN_SHARED(numbers, I[tally_slots]);
        LINDEN_SHARED(rows, std::uint16_t[tally_slots]);
        cols_ = cols;
        numbers_ = numbers;
        rows_ = rows;
        clear_tally(cols_, numbers_);
    }

    /// row_ptrs: those of the rows.
    __device__ void find_rows(const I* row_ptrs, int num_rows)
    {
        for (int row = thread_id(); row < num_rows; row += column_block_threads) {
            const int end = static_cast<int>(row_ptrs[row + 1] - begin_);
            for (int at = static_cast<int>(row_ptrs[row] - begin_); at < end; ++at) {
                rows_[at] = static_cast<std::uint16_t>(row);
            }
        }
        block_barrier();
    }

    __device__ void count(const I* col_idxs)
    {
        I mine[per_thread];
        LINDEN_UNROLL
        for (int i = 0; i < per_thread; ++i) {
            mine[i] = at(i) < count_ ? col_idxs[begin_ + at(i)] : I{-1};
        }
        LINDEN_UNROLL
        for (int i = 0; i < per_thread; ++i) {
            if (mine[i] >= 0) {
                const std::uint32_t slot = tally_slot(cols_, mine[i]);
                found_[i] = slot | static_cast<std::uint32_t>(atomic_add(numbers_ + slot, 1)) << slot_bits;
            }
        }
        block_barrier();
    }

    /// Numbers of entries become the places of the first.
    __device__ void take_places(const I* row_ptrs, I* next)
    {
        I places[per_thread];
        LINDEN_UNROLL
        for (int i = 0; i < per_thread; ++i) {
            const I number = numbers_[at(i)];
            const I col = cols_[at(i)];
            places[i] = number > 0 ? row_ptrs[col] + atomic_add(next + col, number) : I{0};
        }
        LINDEN_UNROLL
        for (int i = 0; i < per_thread; ++i) {
            numbers_[at(i)] = places[i];
        }
        block_barrier();
    }

    __device__ void put(Entry<I>* arrived) const
    {
        LINDEN_UNROLL
        for (int i = 0; i < per_thread; ++i) {
            if (at(i) < count_) {
                constexpr std::uint32_t slot_mask = (std::uint32_t{1} << slot_bits) - 1;
                const I place = numbers_[found_[i] & slot_mask] + static_cast<I>(found_[i] >> slot_bits);
                arrived[place] = {static_cast<I>(first_row_ + rows_[at(i)]), static_cast<I>(begin_ + at(i))};
            }
        }
        block_barrier();  // before the next rows come
    }

private:
    static constexpr int per_thread = tally_slots / column_block_threads;
    static_assert(per_thread * column_block_threads == tally_slots);
    static constexpr int slot_bits = 16;

    __device__ static int at(int i) { return i * column_block_threads + thread_id(); }

    size_type first_row_;
    I begin_;
    int count_;
    I *cols_, *numbers_;
    std::uint16_t* rows_;
    std::uint32_t found_[per_thread]{};  ///< of the thread's entries: the slot, and how many came into it before
};

/// Blocks that must fit beside each other: leaves a thread registers enough.
template <class I>
inline constexpr int tally_blocks = blocks_on_cuda(sizeof(I) > 4 ? 4 : 6);

/// As TransposeRow, for chunks of rows.
template <class I>
__global__ void __launch_bounds__(column_block_threads, tally_blocks<I>)
    transpose_tallied_rows(PatternView<I> a, size_type chunk_rows, const I* row_ptrs, RowWorkspace<I> work)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    const TransposeRow<I> transpose_row{a, row_ptrs, work};
    for (size_type first = block_id() * chunk_rows; first < a.rows; first += num_blocks() * chunk_rows) {
        const size_type last = first + chunk_rows < a.rows ? first + chunk_rows : a.rows;
        const I begin = a.row_ptrs[first];
        const I end = a.row_ptrs[last];
        if (end - begin > tally_slots) {
            for (size_type row = first + thread_id(); row < last; row += column_block_threads) {
                transpose_row(Subgroup<1>(), row);
            }
            continue;
        }
        TallyOfRows<I> tally(first, begin, static_cast<int>(end - begin));
        tally.find_rows(a.row_ptrs + first, static_cast<int>(last - first));
        tally.count(a.col_idxs);
        tally.take_places(row_ptrs, work.next);
        tally.put(work.arrived);
    }
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
