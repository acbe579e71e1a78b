#pragma once

#include "gpu/device/bits.cuh"
#include "gpu/spgemm/spgemm_values.cuh"

/// Values of other rows of C: a warp to a slice of a row.
namespace linden::LINDEN_GPU_NAMESPACE::spgemm {

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
    let_next_kernel_begin();
    wait_for_previous_kernel();
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
