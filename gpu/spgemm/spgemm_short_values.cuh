#pragma once

#include "gpu/spgemm/spgemm_row_sums.cuh"

/// Values of short rows of C: eight lanes to a row.
namespace linden::LINDEN_GPU_NAMESPACE::spgemm {

/// Where a block has what it sums of its rows.
template <class V, class I>
struct ShortRoom {
    static constexpr int stride = short_entries + value_lanes;  // to other banks than the neighbours'
    static constexpr int rows = value_threads / value_lanes;
    static constexpr size_type bytes = rows * stride * static_cast<size_type>(sizeof(V) + sizeof(I));

    static_assert(rows * stride * sizeof(I) % alignof(V) == 0);

    /// Columns come first.
    __device__ static RowSums<V, I, value_lanes> sums()
    {
        const int row = thread_id() / value_lanes;
        V* const sums = reinterpret_cast<V*>(dynamic_shared<I>() + rows * stride);
        return {sums + row * stride, row * stride};
    }
};

template <class V, class I>
__global__ void __launch_bounds__(value_threads, (value_blocks<V, I>))
    sum_short_rows(Operands<V, I> op, RowList<I> list)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    constexpr int rows_at_once = 32 / value_lanes;
    const int lane = Warp::lane() % value_lanes;
    auto sums = ShortRoom<V, I>::sums();
    const size_type size = *list.size;
    for (size_type first = Warp::index() * rows_at_once; first < size; first += grid_threads() / value_lanes) {
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
                mine = entry_of_a(op, static_cast<I>(a_begin + done + lane));
            }
            sums.add(op.b, mine, entries - done);
        }
        sums.finish(op.c_values + begin, n);
    }
}

}  // namespace linden::LINDEN_GPU_NAMESPACE::spgemm
