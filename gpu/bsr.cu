#include "core/kernels/bsr.hpp"

#include "gpu/store_row.cuh"

/// A group of 32 lanes for each block row. The columns of its blocks, s values each, lie one behind the other: the
/// group reads as many at once as fit into its lanes, lane r + s q the rth row of the qth column. Up to four right-hand
/// sides are formed in one pass over the blocks.
namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

inline constexpr int group_lanes = 32;
/// Columns of blocks on their way to a lane at a time.
inline constexpr int in_flight = 4;
inline constexpr int column_tile = 4;

/// sums[t] := this lane's part of (A b)(its row, first_col + t).
template <int T, class V, class I>
__device__ inline void sum_columns(const BsrView<V, I>& a, size_type block_row, int r, int q, int step,
                                   DenseView<const V> b, size_type first_col, V (&sums)[T])
{
    const auto& layout = a.layout;
    const int s = static_cast<int>(layout.block_size);
    const size_type begin = static_cast<size_type>(layout.row_ptrs[block_row]) * s;
    const size_type end = static_cast<size_type>(layout.row_ptrs[block_row + 1]) * s;
    for (size_type column = begin + q; column < end; column += in_flight * step) {
        V values[in_flight];
        size_type cols[in_flight];
        LINDEN_UNROLL
        for (int i = 0; i < in_flight; ++i) {
            const size_type at = column + i * step;
            cols[i] = layout.cols;
            values[i] = V{};
            if (at < end) {
                cols[i] = static_cast<size_type>(layout.col_idxs[at / s]) * s + at % s;
                values[i] = load_streaming(a.values + at * s + r);
            }
        }
        LINDEN_UNROLL
        for (int t = 0; t < T; ++t) {
            LINDEN_UNROLL
            for (int i = 0; i < in_flight; ++i) {
                const bool exists = cols[i] < layout.cols && first_col + t < b.cols;
                sums[t] += exists ? values[i] * b.values[cols[i] * b.stride + first_col + t] : V{};
            }
        }
    }
}

template <int T, class V, class I>
__global__ void __launch_bounds__(column_block_threads)
    spmv_kernel(BsrView<V, I> a, DenseView<const V> b, StoreRow<V> store)
{
    using Group = Subgroup<group_lanes>;
    let_next_kernel_begin();
    wait_for_previous_kernel();
    const int s = static_cast<int>(a.layout.block_size);
    const int step = group_lanes / s;
    const int r = Group::lane() % s;
    const int q = Group::lane() / s;
    const size_type block_row = Group::index();
    const bool works = q < step && block_row < a.layout.block_rows();
    for (size_type first_col = 0; first_col < store.x.cols; first_col += T) {
        V sums[T]{};
        if (works) {
            sum_columns(a, block_row, r, q, step, b, first_col, sums);
        }
        LINDEN_UNROLL
        for (int t = 0; t < T; ++t) {
            for (int distance = group_lanes / 4; distance > 0; distance /= 2) {
                const V other = Group::shuffle_down(sums[t], distance * s);
                sums[t] = q < distance && q + distance < step ? sums[t] + other : sums[t];
            }
            const size_type row = block_row * s + r;
            const size_type col = first_col + t;
            if (works && q == 0 && row < a.layout.rows && col < store.x.cols) {
                store(row, col, sums[t]);
            }
        }
    }
}

template <class V, class I>
void spmv(const Executor& exec, BsrView<V, I> a, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta, DenseView<V> x)
{
    using D = device_type<V>;
    const BsrView<D, I> matrix{a.layout, as_device(a.values)};
    const StoreRow<D> store{as_device(alpha), as_device(beta), as_device(x)};
    const auto blocks = blocks_for(a.layout.block_rows() * group_lanes, column_block_threads);
    const auto kernel = x.cols == 1 ? spmv_kernel<1, D, I> : spmv_kernel<column_tile, D, I>;
    launch_overlapped_on(exec, kernel, blocks, column_block_threads, 0, matrix, as_device(b), store);
}

}  // namespace

void register_bsr()
{
    for_each_value_index([]<class V, class I>() { bsr_spmv<V, I>.bind(this_backend, spmv<V, I>); });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
