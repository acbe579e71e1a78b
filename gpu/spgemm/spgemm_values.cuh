#pragma once

#include "gpu/device/complex.cuh"
#include "gpu/spgemm/spgemm_rows.cuh"

/// The values of C = A B on its pattern. Sums are kept in shared memory beside C's sorted columns, in which products
/// find their place by bisection. The products of an entry are added in the order of A's entries: those of one entry of
/// A fall on different entries of C, and those of the next wait. Tiny rows have a thread each, short rows eight lanes.
/// Other rows are cut into slices of C's entries, a warp to a slice, so that the longest row keeps many warps busy.
namespace linden::LINDEN_GPU_NAMESPACE::spgemm {

#if defined(LINDEN_HIP_PLATFORM_HOST)  // small, so that modest matrices have rows of each kind
inline constexpr int value_threads = 64;
inline constexpr int slice_threads = 64;
inline constexpr int slice_entries = 128;
#else
inline constexpr int value_threads = 128;
inline constexpr int slice_threads = 128;
inline constexpr int slice_entries = 512;
#endif
inline constexpr int value_lanes = 8;
/// Blocks that must fit beside each other: leaves a thread registers enough.
template <class V, class I>
inline constexpr int value_blocks = blocks_on_cuda(sizeof(V) > 8 || sizeof(I) > 4 ? 6
                                                   : sizeof(V) < 8                ? 8
                                                                                  : 9);
/// A short row has at most so many entries in C, a power of two, and in A.
inline constexpr int short_entries = 64;
/// The same for rows that a thread has.
inline constexpr int tiny_entries = 16;
inline constexpr int tiny_entries_of_a = 8;

/// Whether most rows may be tiny: few of them are faster among the others.
template <class I>
bool has_tiny_rows(PatternView<I> c)
{
    constexpr size_type most_on_average = 10;
    return c.num_nonzeros <= most_on_average * c.rows;
}

/// The matrices of a product, values of C to be written.
template <class V, class I>
struct Operands {
    CsrView<V, I> a, b;
    PatternView<I> c;
    V* c_values;
};

/// Short rows grow from the front of the room, tiny ones behind it, slices, each two words, from its end.
template <class I>
struct ValueLists : Lists<I> {
    size_type rows, words;

    ValueLists(WorkspaceView workspace, size_type num_rows, size_type num_nonzeros)
        : Lists<I>(workspace),
          rows(num_rows),
          words(room_words(num_rows, num_nonzeros))
    {
    }
    /// Without a workspace of its own: so many words of room.
    ValueLists(I* at_counters, I* at_room, size_type num_rows, size_type num_words)
        : Lists<I>(at_counters, at_room),
          rows(num_rows),
          words(num_words)
    {
    }
    static size_type room_words(size_type rows, size_type num_nonzeros)
    {
        return 3 * rows + 2 * (num_nonzeros / slice_entries);
    }
    static size_type bytes(size_type rows, size_type num_nonzeros)
    {
        return Lists<I>::header_bytes + room_words(rows, num_nonzeros) * static_cast<size_type>(sizeof(I));
    }
    RowList<I> short_rows() const { return {this->room, 1, this->counters}; }
    RowList<I> tiny_rows() const { return {this->room + rows, 1, this->counters + 2}; }
    /// Item i has its row at [2 i] and the number of the slice at [2 i + 1].
    RowList<I> slices() const { return {this->room + words - 1, -1, this->counters + 1}; }
};

/// Which list a row goes to, if to any.
struct Listed {
    bool is_tiny = false, is_short = false;
    int num_slices = 0;

    /// Of a row with so many entries in C and in A, of which a thread has those with up to `most_tiny`.
    template <class I>
    __device__ Listed(I length, I length_of_a, int most_tiny)
        : is_tiny(0 < length && length <= most_tiny && length_of_a <= tiny_entries_of_a),
          is_short(0 < length && !is_tiny && length <= short_entries && length_of_a <= short_entries),
          num_slices(is_tiny || is_short || length == 0 ? 0 : static_cast<int>((length - 1) / slice_entries) + 1)
    {
    }
    __device__ Listed() {}
};

/// Puts the row of each thread of a block into its list. Called by all threads of a block of B.
template <int B, class I>
__device__ inline void put(const ValueLists<I>& lists, I row, Listed listed)
{
    std::int64_t total = 0;
    // a block has less than 2^16 rows
    const std::int64_t mine =
        (std::int64_t{listed.num_slices} << 32) + (listed.is_tiny ? 1 << 16 : 0) + (listed.is_short ? 1 : 0);
    const std::int64_t before = block_exclusive_scan<B>(mine, total);
    LINDEN_SHARED(starts, I[3]);
    if (thread_id() < 3) {
        const auto part = thread_id() == 1 ? total >> 32 : (thread_id() == 0 ? total : total >> 16) & 0xFFFF;
        starts[thread_id()] = atomic_add(lists.counters + thread_id(), static_cast<I>(part));
    }
    block_barrier();
    if (listed.is_short) {
        lists.room[starts[0] + (before & 0xFFFF)] = row;
    }
    if (listed.is_tiny) {
        lists.room[lists.rows + starts[2] + (before >> 16 & 0xFFFF)] = row;
    }
    I* item = lists.room + lists.words - 1 - 2 * (starts[1] + (before >> 32));
    for (int slice = 0; slice < listed.num_slices; ++slice, item -= 2) {
        item[0] = row;
        item[-1] = static_cast<I>(slice);
    }
    block_barrier();
}

template <class I>
__global__ void __launch_bounds__(column_block_threads)
    sort_value_rows(PatternView<I> a, PatternView<I> c, int most_tiny, ValueLists<I> lists)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    for (size_type first = static_cast<size_type>(block_id()) * column_block_threads; first < c.rows;
         first += grid_threads()) {
        const size_type row = first + thread_id();
        Listed listed;
        if (row < c.rows) {
            listed = Listed(c.row_ptrs[row + 1] - c.row_ptrs[row], a.row_ptrs[row + 1] - a.row_ptrs[row], most_tiny);
        }
        put<column_block_threads>(lists, static_cast<I>(row), listed);
    }
}

}  // namespace linden::LINDEN_GPU_NAMESPACE::spgemm
