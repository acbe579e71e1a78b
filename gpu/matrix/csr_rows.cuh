#pragma once

#include "gpu/matrix/csr_staging.cuh"
#include "gpu/vector/columns.cuh"

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
/// tiles of such a size that all blocks get equally many. `most_lanes` of 1: rows are added entry by entry.
template <class V, class I>
TileShape tile_shape(const Executor& exec, const Matrix<V, I>& a, int most_lanes = 32)
{
    const auto multiprocessors = static_cast<size_type>(gpu(exec).num_multiprocessors());
    const size_type max_blocks = std::min(multiprocessors * tile_blocks<V>, max_reduction_partials);
    int lanes = 1;
    const auto overflows = [&] {
        return a.num_nonzeros * (tile_threads / lanes) > a.rows * StageShape<V, I>::tile_nonzeros;
    };
    const auto idles = [&] {
        return a.rows * lanes < multiprocessors * tile_threads && a.num_nonzeros > a.rows * 2 * lanes;
    };
    while (lanes < most_lanes && (overflows() || idles())) {
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
__device__ inline void add_row_part(const detail::Stage<V, I>& stage, I first, I last, int step, const V* b, V& sum)
{
    constexpr int in_flight = sizeof(V) > sizeof(device_real<V>) ? 4 : 8;  // complex ones take twice the registers
    for (I k = first; k < last; k += in_flight * step) {
        V gathered[in_flight];
#pragma unroll
        for (int i = 0; i < in_flight; ++i) {
            const I at = k + i * step;
            gathered[i] = at < last ? b[stage.cols[at - stage.begin]] : V{};
        }
#pragma unroll
        for (int i = 0; i < in_flight; ++i) {
            const I at = k + i * step;
            if (at < last) {
                sum += stage.values[at - stage.begin] * gathered[i];
            }
        }
    }
}

struct NothingBehindTile {
    __device__ void operator()(size_type) const {}
};
struct NothingFirst {
    __device__ void operator()() const {}
};

/// Calls `consume(row, (A b)(row), prefetch(row))` once for every row, spread over the grid; `prefetch` loads what
/// `consume` will want while the nonzeros are on their way. Behind the rows of a tile all threads of its block call
/// `end_tile(first row)`, and `begin()` once, when the first nonzeros are on their way. All threads of the grid call
/// this, in blocks of `tile_threads` with `StageShape::shared_bytes` of dynamic shared memory.
template <class V, class I, class Prefetch, class Consume, class EndTile = NothingBehindTile,
          class Begin = NothingFirst>
__device__ inline void for_each_row_product(const Matrix<V, I>& a, int lanes, int tile_rows, const V* b,
                                            Prefetch prefetch, Consume consume, EndTile end_tile = {}, Begin begin = {})
{
    detail::Stager<V, I> stager(a, tile_rows);
    begin();
    const int lane = thread_id() % lanes;
    const int row_in_tile = thread_id() / lanes;
    const size_type step = static_cast<size_type>(num_blocks()) * tile_rows;
    for (size_type first = static_cast<size_type>(block_id()) * tile_rows; first < a.rows; first += step) {
        const size_type row = first + row_in_tile;
        const bool exists = row_in_tile < tile_rows && row < a.rows;
        const auto early = prefetch(exists ? row : first);
        V sum{};
        for (bool is_last = false; !is_last;) {
            const auto stage = stager.wait();
            is_last = stage.is_last;
            if (exists) {
                const I row_begin = stage.row_ptrs[row_in_tile];
                const I row_end = stage.row_ptrs[row_in_tile + 1];
                const I from = row_begin > stage.begin ? row_begin : stage.begin;
                const I to = row_end < stage.end ? row_end : stage.end;
                add_row_part(stage, from + lane, to, lanes, b, sum);
            }
            stager.release();
        }
        for (int distance = lanes / 2; distance > 0; distance /= 2) {
            sum += Subgroup<32>::shuffle_xor(sum, distance);
        }
        if (exists && lane == 0) {
            consume(row, sum, early);
        }
        end_tile(first);
    }
}

/// How a product with several columns runs: P packs of W columns to a thread, the gathers of so many nonzeros on their
/// way at a time, and so many blocks beside each other: as registers allow, fewer where these also hold coefficients.
template <int W, int P, bool has_coefficients, class V, class I>
struct ColumnsShape {
    static constexpr int width = W;
    static constexpr int packs = P;
    static constexpr int in_flight = 4;
    static constexpr bool is_complex = sizeof(V) > sizeof(device_real<V>);
    static constexpr int most_blocks = P > 1                            ? columns_blocks_per_multiprocessor - 1
                                       : has_coefficients || is_complex ? columns_blocks_per_multiprocessor
                                                                        : narrow_columns_blocks;
    static constexpr int blocks = columns_blocks<V, I> < columns_blocks_per_multiprocessor
                                      ? columns_blocks<V, I>
                                      : std::max(1, most_blocks - (has_coefficients && is_complex ? 1 : 0));
    static_assert(blocks > 0);
    static constexpr size_type stage_room = columns_blocks_per_multiprocessor * columns_stage_bytes;
    using Stages =
        StageShape<V, I,
                   blocks * columns_stage_bytes <= stage_room ? columns_stage_bytes : stage_room / blocks / 128 * 128>;
    /// Bytes from row to row of b: one multiplication gives an address.
    using Stride = std::conditional_t<(W > 1), std::uint32_t, std::uint64_t>;
};

/// How many rows go to a tile of a product with several columns: as many passes of the block as let the nonzeros of an
/// average tile be staged at once, but no more than let `max_blocks` blocks get equally many tiles.
template <class Shape, class V, class I>
int rows_of_columns_tile(const Matrix<V, I>& a, int rows_at_once, size_type max_blocks)
{
    int rows = std::max(rows_at_once, tile_granule);
    while (2 * rows <= columns_tile_rows && a.num_nonzeros * 2 * rows <= a.rows * Shape::Stages::tile_nonzeros) {
        rows *= 2;
    }
    const size_type rounds = std::max<size_type>(1, blocks_for(a.rows, rows, static_cast<int>(max_blocks)));
    const size_type even = blocks_for(a.rows, static_cast<int>(rounds * max_blocks));
    return static_cast<int>(
        std::min<size_type>(rows, blocks_for(std::max<size_type>(even, 1), tile_granule) * tile_granule));
}

/// Adds nonzeros k, k + 1, ... k + N - 1 times packs of columns of b, those from `last` on left out unless it is known
/// that there are `all`. These are gathered too, from where the last one is: N loads under way, for which no predicates
/// must be kept.
template <class Shape, int N, bool all, class V, class I>
__device__ inline void add_products(const V* values, const I* cols, I k, I last, const V* b,
                                    typename Shape::Stride stride, int pack_step,
                                    Pack<V, Shape::width> (&sums)[Shape::packs])
{
    constexpr int W = Shape::width;
    Vec<V, W> gathered[N][Shape::packs];
    LINDEN_UNROLL
    for (int i = 0; i < N; ++i) {
        const I at = all || k + i < last ? k + i : last - 1;
        const auto col = static_cast<std::uint64_t>(static_cast<std::make_unsigned_t<I>>(cols[at]));
        const V* const row = reinterpret_cast<const V*>(reinterpret_cast<const std::byte*>(b) + col * stride);
        LINDEN_UNROLL
        for (int p = 0; p < Shape::packs; ++p) {
            gathered[i][p] = load_vec<W>(row + p * pack_step);
        }
    }
    LINDEN_UNROLL
    for (int i = 0; i < N; ++i) {
        if (all || k + i < last) {
            const V value = values[k + i];
            LINDEN_UNROLL
            for (int p = 0; p < Shape::packs; ++p) {
                sums[p] = sums[p] + value * bits_to<Pack<V, W>>(gathered[i][p]);
            }
        }
    }
}

/// Adds nonzeros [first, last) times packs of columns of b, which begin `pack_step` values apart, by one thread.
template <class Shape, class V, class I>
__device__ inline void add_row_products(const V* values, const I* cols, I first, I last, const V* b,
                                        typename Shape::Stride stride, int pack_step,
                                        Pack<V, Shape::width> (&sums)[Shape::packs])
{
    constexpr int N = Shape::in_flight;
    constexpr int few = (N + 1) / 2;
    I k = first;
#pragma unroll 1
    for (; last - k >= N; k += N) {
        add_products<Shape, N, true>(values, cols, k, last, b, stride, pack_step, sums);
    }
#pragma unroll 1
    for (; k < last; k += few) {
        add_products<Shape, few, false>(values, cols, k, last, b, stride, pack_step, sums);
    }
}

/// Where pack p of this thread begins, with `lanes` threads to a row: neighbouring threads have neighbouring packs.
template <class Shape>
__device__ inline int column_of_pack(int p, int lanes)
{
    return (thread_id() % lanes + p * lanes) * Shape::width;
}

/// The same for packs of columns of b to a thread and `lanes` neighbouring threads to a row, so that a row's nonzeros
/// are read once for all of them: calls `consume(row, p, pack of products)` for pack p of this thread, which begins at
/// column column_of_pack(p, lanes). The columns of b, a multiple of the width of a pack, may be fewer. Rows of b begin
/// at a multiple of that. In blocks of `columns_threads` with `Shape::Stages::shared_bytes` of dynamic shared memory.
template <class Shape, class V, class I, class Consume>
__device__ inline void for_each_row_products(const Matrix<V, I>& a, int lanes, int tile_rows, DenseView<const V> b,
                                             Consume consume)
{
    detail::Stager<V, I, typename Shape::Stages> stager(a, tile_rows);
    const int rows_at_once = columns_threads / lanes;
    const size_type step = static_cast<size_type>(num_blocks()) * tile_rows;
    const int col = column_of_pack<Shape>(0, lanes);
    // A pack that is beyond the columns is computed from the first, and not stored.
    const int pack_step = column_of_pack<Shape>(Shape::packs - 1, lanes) < b.cols ? lanes * Shape::width : 0;
    const auto stride = static_cast<typename Shape::Stride>(b.stride * sizeof(V));
    for (size_type first = static_cast<size_type>(block_id()) * tile_rows; first < a.rows; first += step) {
        auto stage = stager.wait();
        const int num_rows =
            col < b.cols ? static_cast<int>(a.rows - first < tile_rows ? a.rows - first : tile_rows) : 0;
        const auto multiply = [&](const V* values, const I* cols) {
            for (int row = thread_id() / lanes; row < num_rows; row += rows_at_once) {
                Pack<V, Shape::width> sums[Shape::packs]{};
                add_row_products<Shape>(values, cols, stage.row_ptrs[row], stage.row_ptrs[row + 1], b.values + col,
                                        stride, pack_step, sums);
                LINDEN_UNROLL
                for (int p = 0; p < Shape::packs; ++p) {
                    if (p == 0 || pack_step != 0) {
                        consume(first + row, p, sums[p]);
                    }
                }
            }
        };
        if (stage.is_last) {
            multiply(stage.values - stage.begin, stage.cols - stage.begin);
        } else {
            // The nonzeros of long rows come in several stages: these are read where they are, the stages passed over.
            multiply(a.values, a.col_idxs);
        }
        while (!stage.is_last) {
            stager.release();
            stage = stager.wait();
        }
        stager.release();
    }
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
