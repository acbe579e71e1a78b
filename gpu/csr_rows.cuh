#pragma once

#include "gpu/columns.cuh"
#include "gpu/csr_staging.cuh"

/// Products of matrix rows with a vector, at the speed of memory for rows of any usual length.
///
/// A block takes a tile of consecutive rows at a time, L lanes to a row. The tile's nonzeros, which lie together in
/// memory, are staged in shared memory as they are; then each row's lanes gather from the vector. Neighbouring rows
/// have neighbouring columns in most matrices, so that gathering row by row touches few cache lines at a time.
///
/// csr_staging.cuh says how the nonzeros get there; benchmark/results has what was measured.
namespace linden::LINDEN_GPU_NAMESPACE {

/// How the rows are dealt to lanes and blocks.
struct TileShape {
    int lanes;      ///< per row, a power of two up to 32
    int tile_rows;  ///< at most tile_threads / lanes
    Grid grid;
};

/// As few lanes to a row as let the nonzeros of an average tile be staged at once, but enough to keep the device busy;
/// tiles of such a size that all blocks get equally many.
template <class V, class I>
TileShape tile_shape(const Executor& exec, const Matrix<V, I>& a)
{
    const auto multiprocessors = static_cast<size_type>(gpu(exec).num_multiprocessors());
    const size_type max_blocks = std::min(multiprocessors * tile_blocks<V>, max_reduction_partials);
    int lanes = 1;
    const auto overflows = [&] {
        return a.num_nonzeros * (tile_threads / lanes) > a.rows * Matrix<V, I>::tile_nonzeros;
    };
    const auto idles = [&] {
        return a.rows * lanes < multiprocessors * tile_threads && a.num_nonzeros > a.rows * 2 * lanes;
    };
    while (lanes < 32 && (overflows() || idles())) {
        lanes *= 2;
    }
    const size_type most_rows = tile_threads / lanes;
    const size_type rounds = std::max<size_type>(1, blocks_for(a.rows, 1, static_cast<int>(max_blocks * most_rows)));
    const size_type tiles = std::min(rounds * max_blocks, blocks_for(a.rows, tile_granule));
    const size_type rows = blocks_for(std::max<size_type>(a.rows, 1), static_cast<int>(std::max<size_type>(tiles, 1)));
    const int tile_rows =
        static_cast<int>(std::min(most_rows, (rows + tile_granule - 1) / tile_granule * tile_granule));
    return {lanes, tile_rows, std::max<size_type>(1, std::min(blocks_for(a.rows, tile_rows), max_blocks))};
}

/// Adds the products of nonzeros first, first + step, ... below `last`. So many gathers are on their way at a time: a
/// thread that waited for each would do little else.
template <class V, class I>
__device__ inline void add_row_part(const detail::Chunk<V, I>& chunk, I first, I last, int step, const V* b, V& sum)
{
    constexpr int in_flight = sizeof(V) > sizeof(device_real<V>) ? 4 : 8;  // complex ones take twice the registers
    for (I k = first; k < last; k += in_flight * step) {
        V gathered[in_flight];
#pragma unroll
        for (int i = 0; i < in_flight; ++i) {
            const I at = k + i * step;
            gathered[i] = at < last ? b[chunk.cols[at - chunk.begin]] : V{};
        }
#pragma unroll
        for (int i = 0; i < in_flight; ++i) {
            const I at = k + i * step;
            if (at < last) {
                sum += chunk.values[at - chunk.begin] * gathered[i];
            }
        }
    }
}

/// Calls `consume(row, (A b)(row), prefetch(row))` once for every row, spread over the grid; `prefetch` loads what
/// `consume` will want while the nonzeros are on their way. All threads of the grid call it, in blocks of
/// `tile_threads` with `Matrix::shared_bytes` of dynamic shared memory.
template <class V, class I, class Prefetch, class Consume>
__device__ inline void for_each_row_product(const Matrix<V, I>& a, int lanes, int tile_rows, const V* b,
                                            Prefetch prefetch, Consume consume)
{
    const auto order = interleaved_tiles(a.rows, tile_rows);
    detail::Stager<V, I> stager(a, tile_rows, order);
    const int lane = thread_id() % lanes;
    const int row_in_tile = thread_id() / lanes;
    for (size_type first = order.first; first < order.end; first += order.step) {
        const size_type row = first + row_in_tile;
        const bool exists = row_in_tile < tile_rows && row < order.end;
        const auto early = prefetch(exists ? row : first);
        V sum{};
        for (bool is_last = false; !is_last;) {
            const auto chunk = stager.wait();
            is_last = chunk.is_last;
            if (exists) {
                const I row_begin = chunk.row_ptrs[row_in_tile];
                const I row_end = chunk.row_ptrs[row_in_tile + 1];
                const I from = row_begin > chunk.begin ? row_begin : chunk.begin;
                const I to = row_end < chunk.end ? row_end : chunk.end;
                add_row_part(chunk, from + lane, to, lanes, b, sum);
            }
            stager.release();
        }
        for (int distance = lanes / 2; distance > 0; distance /= 2) {
            sum += Subgroup<32>::shuffle_xor(sum, distance);
        }
        if (exists && lane == 0) {
            consume(row, sum, early);
        }
    }
}

/// The same for W columns of b to a thread and `lanes` neighbouring threads to a row, so that a row's nonzeros are read
/// once for W * lanes columns: calls `consume(row, first column, W products)`. `cols`, a multiple of W, may be less.
/// For W > 1 rows of b begin at a multiple of W values.
template <int W, class V, class I, class Consume>
__device__ inline void for_each_row_products(const Matrix<V, I>& a, int lanes, int tile_rows, DenseView<const V> b,
                                             Consume consume)
{
    constexpr int in_flight = sizeof(V) * W > 8 ? 4 : 8;
    const auto order = neighbouring_tiles(a.rows, tile_rows);
    detail::Stager<V, I> stager(a, tile_rows, order);
    const size_type col = thread_id() % lanes * W;
    const int row_in_tile = thread_id() / lanes;
    const V* const b_col = b.values + col;
    for (size_type first = order.first; first < order.end; first += order.step) {
        const size_type row = first + row_in_tile;
        const bool exists = row_in_tile < tile_rows && row < order.end && col < b.cols;
        Pack<V, W> sum{};
        for (bool is_last = false; !is_last;) {
            const auto chunk = stager.wait();
            is_last = chunk.is_last;
            if (exists) {
                const I row_begin = chunk.row_ptrs[row_in_tile];
                const I row_end = chunk.row_ptrs[row_in_tile + 1];
                const I from = row_begin > chunk.begin ? row_begin : chunk.begin;
                const I to = row_end < chunk.end ? row_end : chunk.end;
                for (I k = from; k < to; k += in_flight) {
                    Vec<V, W> gathered[in_flight];
                    LINDEN_UNROLL
                    for (int i = 0; i < in_flight; ++i) {
                        gathered[i] =
                            k + i < to ? load_vec<W>(b_col + chunk.cols[k + i - chunk.begin] * b.stride) : Vec<V, W>{};
                    }
                    LINDEN_UNROLL
                    for (int i = 0; i < in_flight; ++i) {
                        if (k + i < to) {
                            sum = sum + chunk.values[k + i - chunk.begin] * bits_to<Pack<V, W>>(gathered[i]);
                        }
                    }
                }
            }
            stager.release();
        }
        if (exists) {
            consume(row, col, sum);
        }
    }
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
