#pragma once

#include <algorithm>

#include "gpu/device/bits.cuh"
#include "gpu/spgemm/spgemm_row_sums.cuh"

/// Values of other rows of C: a warp to a slice of a row.
namespace linden::LINDEN_GPU_NAMESPACE::spgemm {

template <class V, class I>
inline constexpr size_type slice_bytes = slice_threads / 32 *
                                         slice_entries* static_cast<size_type>(sizeof(V) + sizeof(I));

/// Where a warp has columns of a slice; behind those of all warps are the sums.
template <class V, class I>
struct SliceRoom {
    int first = thread_id() / 32 * slice_entries;
    I* cols = dynamic_shared<I>() + first;
    V* sums = reinterpret_cast<V*>(dynamic_shared<I>() + slice_threads / 32 * slice_entries) + first;
};

/// A slice of a row of C: entries from `begin` on, n of them.
template <class I>
struct Slice {
    I row, begin;
    int n;
    bool is_whole;  ///< the row has no other

    __device__ Slice(const I* row_ptrs, const RowList<I>& list, size_type item) : row(list[2 * item])
    {
        const I end = row_ptrs[row + 1];
        begin = row_ptrs[row] + list[2 * item + 1] * slice_entries;
        n = end - begin < slice_entries ? static_cast<int>(end - begin) : slice_entries;
        is_whole = end - row_ptrs[row] <= slice_entries;
    }
};

/// Whether the lanes of a warp that take one row of B after the other mostly have something to do.
template <class V, class I>
bool fills_warps(const CsrView<V, I>& b)
{
    constexpr size_type least_on_average = 12;
    return b.num_nonzeros >= least_on_average * b.rows;
}

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

/// Products are taken 32 at a time, whatever rows of B they are from; those of one entry of A are added at once, then
/// those of the next. Called by all lanes of a warp.
template <class V, class I>
__device__ inline void sum_slice(const Operands<V, I>& op, const Slice<I>& slice, V* sums, I* cols)
{
    const int lane = Warp::lane();
    const std::uint32_t lanes_to_here = ~std::uint32_t{0} >> (31 - lane);
    const int n = slice.n;
    for (int i = lane; i < n; i += 32) {
        cols[i] = op.c.col_idxs[slice.begin + i];
        sums[i] = V{};
    }
    Warp::sync();
    const Window<I> window{cols[0], cols[n - 1], slice.is_whole};
    for_each_product<I>(op.a, op.b, op.a.row_ptrs[slice.row], op.a.row_ptrs[slice.row + 1], window, 0, 1,
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
        op.c_values[slice.begin + i] = sums[i];
    }
    Warp::sync();  // before the next slice comes into the sums
}

/// A warp to a slice. Dynamic shared memory: slice_bytes.
template <class V, class I>
__global__ void __launch_bounds__(slice_threads) sum_slices(Operands<V, I> op, RowList<I> list)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    const SliceRoom<V, I> room;
    const size_type size = *list.size;
    for (size_type item = Warp::index(); item < size; item += grid_threads() / 32) {
        sum_slice(op, Slice<I>(op.c.row_ptrs, list, item), room.sums, room.cols);
    }
}

/// The same where rows of B fill a warp: for a slice that is a whole row, its lanes take one row of B after the other.
template <class V, class I>
__global__ void __launch_bounds__(slice_threads, std::min(value_blocks<V, I>, 8))
    sum_slices_by_rows(Operands<V, I> op, RowList<I> list)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    const SliceRoom<V, I> room;
    RowSums<V, I, 32> sums(room.sums, room.first);
    const size_type size = *list.size;
    for (size_type item = Warp::index(); item < size; item += grid_threads() / 32) {
        const Slice<I> slice(op.c.row_ptrs, list, item);
        if (!slice.is_whole) {
            sum_slice(op, slice, room.sums, room.cols);
            continue;
        }
        sums.start(op.c.col_idxs + slice.begin, slice.n);
        const I end = op.a.row_ptrs[slice.row + 1];
        for (I first = op.a.row_ptrs[slice.row]; first < end; first += 32) {
            const int entries = end - first < 32 ? static_cast<int>(end - first) : 32;
            EntryOfA<V, I> mine{0, 0, V{}};
            if (sums.lane() < entries) {
                mine = entry_of_a(op, static_cast<I>(first + sums.lane()));
            }
            sums.add(op.b, mine, entries);
            if (end - first <= 32) {
                break;  // first + 32 may be no I
            }
        }
        sums.finish(op.c_values + slice.begin, slice.n);
    }
}

}  // namespace linden::LINDEN_GPU_NAMESPACE::spgemm
