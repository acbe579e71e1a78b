#pragma once

#include "gpu/vector/row_groups.cuh"

/// Sorts the rows of a pattern by (column, source), each row in one of three ways: a subgroup ranks rows that fit into
/// its lanes' registers; a block sorts rows that fit into its shared memory by Batcher's bitonic network; of longer
/// rows it sorts tiles and merges them in memory. Rows that are sorted are only read.
namespace linden::LINDEN_GPU_NAMESPACE {

template <class I>
struct alignas(2 * sizeof(I)) Entry {  // one access
    I col;
    I source;

    friend __device__ bool operator<(Entry a, Entry b)
    {
        if constexpr (sizeof(I) == 4) {  // one comparison for both, none of which is negative
            return a.both() < b.both();
        } else {
            return a.col != b.col ? a.col < b.col : a.source < b.source;
        }
    }
    __device__ std::uint64_t both() const
    {
        return static_cast<std::uint64_t>(col) << 32 | static_cast<std::uint64_t>(source);
    }
};

/// The arrays of columns and sources as one of entries.
template <class I>
struct EntryArrays {
    I* cols;
    I* source;

    __device__ Entry<I> operator[](size_type k) const { return {cols[k], source[k]}; }
    __device__ void set(size_type k, Entry<I> e) const
    {
        cols[k] = e.col;
        source[k] = e.source;
    }
};

/// The parts of the workspace of kernels that fill and sort rows; pattern_workspace_bytes has room for them.
template <class I>
struct RowWorkspace {
    std::int32_t* num_listed;
    I* next;              ///< per row, how many of its entries are there already
    I* listed;            ///< rows that blocks sort
    EntryArrays<I> room;  ///< for merging
    Entry<I>* arrived;    ///< in the place of `room`

    RowWorkspace(size_type rows, size_type num_nonzeros, WorkspaceView workspace)
        : num_listed(reinterpret_cast<std::int32_t*>(workspace.data)),
          next(reinterpret_cast<I*>(workspace.data + 64)),
          listed(next + rows),
          room{listed + rows, listed + rows + num_nonzeros},
          arrived(reinterpret_cast<Entry<I>*>(room.cols))
    {
    }

    /// No row is listed, and no entry is there, of so many rows.
    void clear(const Executor& exec, size_type rows) const
    {
        const auto end = reinterpret_cast<const std::byte*>(next + rows);
        exec.state().fill_zero(num_listed, static_cast<std::size_t>(end - reinterpret_cast<std::byte*>(num_listed)));
    }
};

#if defined(LINDEN_HIP_PLATFORM_HOST)
inline constexpr int sort_tile = 256;
#else
inline constexpr int sort_tile = 2048;
#endif

namespace detail {

/// Lanes of a subgroup hold so many entries each of a row that they rank.
inline constexpr int most_ranked = 8;

/// Ranks each of the `length` <= K * Group::size entries of `from`, from `begin` on, among all by their keys.
template <int K, class Group, class From, class Key, class I>
__device__ inline void rank_entries(Group, From from, Key key, EntryArrays<I> entries, size_type begin, int length)
{
    Entry<I> mine[K];
    int rank[K]{};
    LINDEN_UNROLL
    for (int i = 0; i < K; ++i) {
        const int at = i * Group::size + Group::lane();
        mine[i] = at < length ? from[begin + at] : Entry<I>{};
    }
    LINDEN_UNROLL
    for (int i = 0; i < K; ++i) {
        const int here = length - i * Group::size < Group::size ? length - i * Group::size : Group::size;
        for (int lane = 0; lane < here; ++lane) {
            const auto other = Group::shuffle(key(mine[i]), lane);
            LINDEN_UNROLL
            for (int j = 0; j < K; ++j) {
                rank[j] += other < key(mine[j]) ? 1 : 0;
            }
        }
    }
    LINDEN_UNROLL
    for (int i = 0; i < K; ++i) {
        if (i * Group::size + Group::lane() < length) {
            entries.set(begin + rank[i], mine[i]);
        }
    }
}

/// The same for at most most_ranked * Group::size entries.
template <class Group, class From, class Key, class I>
__device__ inline void rank_row(Group group, From from, Key key, EntryArrays<I> entries, size_type begin, int length)
{
    if (length <= Group::size) {
        rank_entries<1>(group, from, key, entries, begin, length);
    } else if (length <= 3 * Group::size) {
        rank_entries<3>(group, from, key, entries, begin, length);
    } else if (length <= 4 * Group::size) {
        rank_entries<4>(group, from, key, entries, begin, length);
    } else {
        rank_entries<most_ranked>(group, from, key, entries, begin, length);
    }
}

template <class I>
struct SortShortRow {
    const I* row_ptrs;
    EntryArrays<I> entries;
    RowWorkspace<I> work;

    template <class Group>
    __device__ void operator()(Group group, size_type row) const
    {
        const size_type begin = row_ptrs[row];
        const size_type end = row_ptrs[row + 1];
        bool is_sorted = true;
        for (size_type k = begin + 1 + Group::lane(); k < end; k += Group::size) {
            is_sorted = is_sorted && entries[k - 1] < entries[k];
        }
        if (Group::all(is_sorted)) {
            return;
        }
        constexpr int most = most_ranked * Group::size;
        const int length = static_cast<int>(end - begin < most ? end - begin : most + 1);
        if (length > most) {
            if (Group::lane() == 0) {
                work.listed[atomic_add(work.num_listed, 1)] = static_cast<I>(row);
            }
        } else {
            const auto whole = [](Entry<I> entry) { return entry; };
            rank_row(group, entries, whole, entries, begin, length);
        }
    }
};

/// Sorts `length` <= sort_tile entries from `begin` on. Called by all threads of the block.
template <class I>
__device__ inline void sort_tile_at(EntryArrays<I> entries, size_type begin, int length)
{
    LINDEN_SHARED(tile, Entry<I>[sort_tile]);
    constexpr I last = std::numeric_limits<I>::max();
    int width = 2;
    while (width < length) {
        width *= 2;
    }
    for (int i = thread_id(); i < width; i += block_threads()) {
        tile[i] = i < length ? entries[begin + i] : Entry<I>{last, last};
    }
    for (int run = 2; run <= width; run *= 2) {
        for (int distance = run / 2; distance > 0; distance /= 2) {
            block_barrier();
            for (int pair = thread_id(); pair < width / 2; pair += block_threads()) {
                const int low = 2 * pair - (pair & (distance - 1));
                const Entry<I> a = tile[low];
                const Entry<I> b = tile[low + distance];
                const bool is_ascending = (low & run) == 0;
                if (is_ascending ? b < a : a < b) {
                    tile[low] = b;
                    tile[low + distance] = a;
                }
            }
        }
    }
    block_barrier();
    for (int i = thread_id(); i < length; i += block_threads()) {
        entries.set(begin + i, tile[i]);
    }
    block_barrier();
}

/// Merges neighbouring sorted runs of `width` among the entries [begin, end): each entry finds by bisection how many
/// entries of the other run come before it.
template <class I>
__device__ inline void merge_runs(EntryArrays<I> from, EntryArrays<I> to, size_type begin, size_type end,
                                  size_type width)
{
    for (size_type k = begin + thread_id(); k < end; k += block_threads()) {
        const size_type run = (k - begin) / width;
        const size_type other = begin + (run ^ 1) * width;
        const Entry<I> mine = from[k];
        size_type low = other < end ? other : end;
        size_type high = other + width < end ? other + width : end;
        const size_type first = low;
        while (low < high) {
            const size_type middle = (low + high) / 2;
            if (from[middle] < mine) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        const size_type in_pair = k - begin - run * width + (low - first);
        to.set(begin + (run / 2) * 2 * width + in_pair, mine);
    }
    block_barrier();
}

template <class I>
__global__ void __launch_bounds__(column_block_threads)
    sort_listed_rows(const I* row_ptrs, EntryArrays<I> entries, RowWorkspace<I> work)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    const int num_listed = *work.num_listed;
    for (int i = block_id(); i < num_listed; i += num_blocks()) {
        const I row = work.listed[i];
        const size_type begin = row_ptrs[row];
        const size_type end = row_ptrs[row + 1];
        for (size_type first = begin; first < end; first += sort_tile) {
            sort_tile_at(entries, first, static_cast<int>(end - first < sort_tile ? end - first : sort_tile));
        }
        EntryArrays<I> from = entries;
        EntryArrays<I> to = work.room;
        for (size_type width = sort_tile; width < end - begin; width *= 2) {
            merge_runs(from, to, begin, end, width);
            const EntryArrays<I> merged = to;
            to = from;
            from = merged;
        }
        if (from.cols != entries.cols) {
            for (size_type k = begin + thread_id(); k < end; k += block_threads()) {
                entries.set(k, from[k]);
            }
        }
    }
}

}  // namespace detail

/// `by_groups` for each row, and the block sort of the rows that it lists, in a workspace that was cleared.
template <class I, class Body>
void sort_rows_by(const Executor& exec, size_type rows, size_type num_nonzeros, Body by_groups)
{
    if (num_nonzeros == 0) {
        return;
    }
    if (num_nonzeros <= 24 * rows) {
        map_rows_by<8>(exec, rows, by_groups);
    } else {
        map_rows_by<32>(exec, rows, by_groups);
    }
    launch_overlapped_on(exec, detail::sort_listed_rows<I>, busy_blocks(exec, num_nonzeros), column_block_threads, 0,
                         by_groups.row_ptrs, by_groups.entries, by_groups.work);
}

/// Sorts each row by (column, source), in a workspace that was cleared.
template <class I>
void sort_by_column(const Executor& exec, size_type rows, size_type num_nonzeros, const I* row_ptrs,
                    EntryArrays<I> entries, RowWorkspace<I> work)
{
    sort_rows_by<I>(exec, rows, num_nonzeros, detail::SortShortRow<I>{row_ptrs, entries, work});
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
