#include "core/kernels/bsr.hpp"

#include "gpu/matrix/csr_staging.cuh"
#include "gpu/vector/store_row.cuh"

/// One right-hand side: block rows are staged in shared memory as rows of compressed rows are (csr_staging.cuh), a
/// thread for each row of the matrix.
///
/// Several: a group of 32 lanes for each block row. The columns of its blocks, s values each, lie one behind the other:
/// the group reads as many at once as fit into its lanes, lane r + s q the rth row of the qth column. Up to four
/// right-hand sides are formed in one pass over the blocks.
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

template <int S, class V, class I>
using BlockMatrix = Matrix<DenseBlock<V, S>, I>;

/// Adds the products of row r of the blocks [first, last) with b, whose length is `cols`.
template <int S, class V, class I>
__device__ inline void add_block_row(const detail::Stage<DenseBlock<V, S>, I>& stage, I first, I last, int r,
                                     const V* b, size_type cols, V& sum)
{
    constexpr int N = S > 4 || sizeof(V) > 8 ? 1 : 8 / S;  // so many blocks are on their way at a time
#pragma unroll 1
    for (I k = first; k < last; k += N) {
        V gathered[N][S];
        int width[N];
        LINDEN_UNROLL
        for (int i = 0; i < N; ++i) {
            const size_type col =
                static_cast<size_type>(stage.cols[(k + i < last ? k + i : last - 1) - stage.begin]) * S;
            width[i] = cols - col < S ? static_cast<int>(cols - col) : S;
            LINDEN_UNROLL
            for (int q = 0; q < S; ++q) {
                gathered[i][q] = b[col + (q < width[i] ? q : 0)];
            }
        }
        LINDEN_UNROLL
        for (int i = 0; i < N; ++i) {
            const V* const values = stage.values[k + i < last ? k + i - stage.begin : 0].values + r;
            LINDEN_UNROLL
            for (int q = 0; q < S; ++q) {
                if (k + i < last && q < width[i]) {
                    sum += values[q * S] * gathered[i][q];
                }
            }
        }
    }
}

template <int S, class V, class I>
__global__ void __launch_bounds__(tile_threads, tile_blocks<V>)
    spmv_staged_kernel(BlockMatrix<S, V, I> a, size_type rows, size_type cols, int tile_rows, const V* b,
                       StoreRow<V> store)
{
    wait_for_previous_kernel();
    const Factors<V> factors = store.prepare(0);
    detail::Stager<DenseBlock<V, S>, I> stager(a, tile_rows);
    const int r = thread_id() % S;
    const int row_in_tile = thread_id() / S;
    const size_type step = static_cast<size_type>(num_blocks()) * tile_rows;
    for (size_type first = static_cast<size_type>(block_id()) * tile_rows; first < a.rows; first += step) {
        const bool exists = row_in_tile < tile_rows && first + row_in_tile < a.rows;
        V sum{};
        for (bool is_last = false; !is_last;) {
            const auto stage = stager.wait();
            is_last = stage.is_last;
            if (exists) {
                const I row_begin = stage.row_ptrs[row_in_tile];
                const I row_end = stage.row_ptrs[row_in_tile + 1];
                add_block_row(stage, row_begin > stage.begin ? row_begin : stage.begin,
                              row_end < stage.end ? row_end : stage.end, r, b, cols, sum);
            }
            stager.release();
        }
        const size_type row = (first + row_in_tile) * S + r;
        if (exists && row < rows) {
            factors.store(sum, store.x(row, 0));
        }
    }
}

/// As many block rows as there are threads for, whose blocks can be staged at once on average.
template <int S, class V, class I>
int rows_of_block_tile(const BlockMatrix<S, V, I>& a)
{
    const size_type staged =
        StageShape<DenseBlock<V, S>, I>::tile_nonzeros * a.rows / std::max<size_type>(a.num_nonzeros, 1);
    const size_type rows = std::clamp<size_type>(staged, tile_granule, tile_threads / S);
    return static_cast<int>(rows / tile_granule * tile_granule);
}

template <int S, class V, class I>
void spmv_staged(const Executor& exec, const BsrView<V, I>& a, DenseView<const V> b, StoreRow<V> store)
{
    const auto& layout = a.layout;
    if (layout.block_size != S) {
        if constexpr (S < max_bsr_block_size) {
            spmv_staged<S + 1>(exec, a, b, store);
        }
        return;
    }
    using Block = DenseBlock<V, S>;
    const BlockMatrix<S, V, I> matrix{layout.block_rows(), layout.num_blocks, layout.row_ptrs, layout.col_idxs,
                                      reinterpret_cast<const Block*>(a.values)};
    const int tile_rows = rows_of_block_tile(matrix);
    const size_type multiprocessors = gpu(exec).num_multiprocessors();
    launch_overlapped_on(exec, spmv_staged_kernel<S, V, I>,
                         std::min(blocks_for(matrix.rows, tile_rows), multiprocessors * tile_blocks<V>), tile_threads,
                         StageShape<Block, I>::shared_bytes, matrix, layout.rows, layout.cols, tile_rows, b.values,
                         store);
}

template <class V, class I>
void spmv(const Executor& exec, BsrView<V, I> a, Scalar<V> alpha, DenseView<const V> b, Scalar<V> beta, DenseView<V> x)
{
    using D = device_type<V>;
    const BsrView<D, I> matrix{a.layout, as_device(a.values)};
    const StoreRow<D> store{as_device(alpha), as_device(beta), as_device(x)};
    if (x.cols == 1 && b.is_contiguous()) {
        spmv_staged<2>(exec, matrix, as_device(b), store);
        return;
    }
    launch_overlapped_on(exec, spmv_kernel<column_tile, D, I>,
                         blocks_for(a.layout.block_rows() * group_lanes, column_block_threads), column_block_threads, 0,
                         matrix, as_device(b), store);
}

}  // namespace

void register_bsr()
{
    for_each_value_index([]<class V, class I>() { bsr_spmv<V, I>.bind(this_backend, spmv<V, I>); });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
