#pragma once

#include "gpu/spgemm/spgemm_values.cuh"

/// Values of tiny rows of C: a thread to a row.
namespace linden::LINDEN_GPU_NAMESPACE::spgemm {

/// Sums and columns of a row of C, in shared memory, those of a block's threads beside each other.
template <class V, class I>
struct TinySums {
    static constexpr size_type shared_bytes =
        tiny_entries * value_threads * static_cast<size_type>(sizeof(V) + sizeof(I));

    V* sums;
    I* cols;

    __device__ TinySums()
        : sums(dynamic_shared<V>() + thread_id()),
          cols(reinterpret_cast<I*>(dynamic_shared<V>() + tiny_entries * value_threads) + thread_id())
    {
    }

    __device__ void start(const I* row_cols, int n)
    {
        LINDEN_UNROLL
        for (int i = 0; i < tiny_entries; ++i) {
            cols[i * value_threads] = i < n ? row_cols[i] : no_column<I>;
            sums[i * value_threads] = V{};
        }
    }
    /// col: one of the row's.
    __device__ void add(I col, V product)
    {
        int place = 0;
        LINDEN_UNROLL
        for (int step = tiny_entries / 2; step > 0; step /= 2) {
            place += cols[(place + step) * value_threads] <= col ? step : 0;
        }
        sums[place * value_threads] += product;
    }
};

template <class V, class I>
__global__ void __launch_bounds__(value_threads) sum_tiny_rows(Operands<V, I> op, RowList<I> list)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    constexpr int in_flight = 4;
    TinySums<V, I> sums;
    const size_type size = *list.size;
    for (size_type item = global_id(); item < size; item += grid_threads()) {
        const I row = list[item];
        const I a_begin = op.a.row_ptrs[row];
        const int entries = static_cast<int>(op.a.row_ptrs[row + 1] - a_begin);
        const I begin = op.c.row_ptrs[row];
        const int n = static_cast<int>(op.c.row_ptrs[row + 1] - begin);
        I from[tiny_entries_of_a], to[tiny_entries_of_a];
        V values[tiny_entries_of_a];
        LINDEN_UNROLL
        for (int e = 0; e < tiny_entries_of_a; ++e) {
            const I k = e < entries ? op.a.col_idxs[a_begin + e] : I{0};
            from[e] = e < entries ? op.b.row_ptrs[k] : I{0};
            to[e] = e < entries ? op.b.row_ptrs[k + 1] : I{0};
            values[e] = e < entries ? op.a.values[a_begin + e] : V{};
        }
        sums.start(op.c.col_idxs + begin, n);
        LINDEN_UNROLL
        for (int e = 0; e < tiny_entries_of_a; ++e) {
            for (I first = from[e]; first < to[e]; first += in_flight) {
                I cols[in_flight];
                V factors[in_flight];
                LINDEN_UNROLL
                for (int i = 0; i < in_flight; ++i) {
                    cols[i] = i < to[e] - first ? op.b.col_idxs[first + i] : no_column<I>;
                    factors[i] = i < to[e] - first ? op.b.values[first + i] : V{};
                }
                LINDEN_UNROLL
                for (int i = 0; i < in_flight; ++i) {
                    if (cols[i] != no_column<I>) {
                        sums.add(cols[i], values[e] * factors[i]);
                    }
                }
            }
        }
        for (int i = 0; i < n; ++i) {
            op.c_values[begin + i] = sums.sums[i * value_threads];
        }
    }
}

}  // namespace linden::LINDEN_GPU_NAMESPACE::spgemm
