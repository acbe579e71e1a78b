#pragma once

#include <linden/views.hpp>

#include <numeric>

#include "gpu/device/complex.cuh"

/// A matrix as device code sees it, and how its rows are cut into tiles and stages.
///
/// A block works on a tile of consecutive rows at a time. The tile's nonzeros come in stages: one, unless rows are
/// long.
namespace linden::LINDEN_GPU_NAMESPACE {

#if defined(LINDEN_HIP_PLATFORM_HOST)  // where every work-item takes its time from the others
inline constexpr int tile_threads = 128;
inline constexpr int tile_blocks_per_multiprocessor = 2;
inline constexpr int num_stages = 1;
inline constexpr size_type stage_bytes = 8 * 1024;
#elif defined(LINDEN_GPU_HIP)
inline constexpr int tile_threads = 256;
inline constexpr int tile_blocks_per_multiprocessor = 4;  // with 8, registers spill on gfx90a and gfx942
inline constexpr int num_stages = 1;
inline constexpr size_type stage_bytes = 21 * 1024;
#else
inline constexpr int tile_threads = 512;
inline constexpr int tile_blocks_per_multiprocessor = 2;
inline constexpr int num_stages = 2;
inline constexpr size_type stage_bytes = 42 * 1024;
#endif
// Products with several columns run in blocks of half the size, of which twice as many fit beside each other.
inline constexpr int columns_threads = tile_threads / 2;
#if defined(LINDEN_GPU_HIP)
inline constexpr int columns_blocks_per_multiprocessor = tile_blocks_per_multiprocessor;  // registers, as above
inline constexpr int narrow_columns_blocks = columns_blocks_per_multiprocessor;
#else
inline constexpr int columns_blocks_per_multiprocessor = 2 * tile_blocks_per_multiprocessor;
/// The same for real numbers and one pack of columns to a thread, with smaller stages.
inline constexpr int narrow_columns_blocks = columns_blocks_per_multiprocessor + 1;
#endif
inline constexpr size_type columns_stage_bytes = stage_bytes / 2;
/// The most rows of a tile of theirs: b's rows of a tile should stay in the first cache.
inline constexpr int columns_tile_rows = columns_threads / 2;
/// Blocks of a multiprocessor for values of type V: complex128 needs more registers than two blocks leave.
template <class V>
inline constexpr int tile_blocks = sizeof(V) > 8 && num_stages > 1 ? 1 : tile_blocks_per_multiprocessor;
template <class V, class I>
inline constexpr int columns_blocks = sizeof(V) > 8 || sizeof(I) > 4 ? columns_blocks_per_multiprocessor / 2
                                                                     : columns_blocks_per_multiprocessor;
/// Tiles have a multiple of so many rows, so that copies of their row pointers are aligned.
inline constexpr int tile_granule = 4;

template <class V, class I>
struct Matrix {
    size_type rows;
    size_type num_nonzeros;
    const I* row_ptrs;
    const I* col_idxs;
    const V* values;
};

/// A "nonzero" of a block-compressed matrix: S x S values, column by column.
template <class V, int S>
struct DenseBlock {
    V values[S * S];
};

/// What the staging of a block has room for: stages of `bytes` bytes of nonzeros.
template <class V, class I, size_type bytes = stage_bytes>
struct StageShape {
    /// Nonzeros of a tile that fit into a stage in any case, and with what alignment adds to them.
    static constexpr int tile_nonzeros = static_cast<int>(bytes / (sizeof(V) + sizeof(I))) / 16 * 16;
    static constexpr int capacity = tile_nonzeros + 16;
    static constexpr int max_tile_ptrs = tile_threads + tile_granule;
    static constexpr size_type stage_size =
        capacity * static_cast<size_type>(sizeof(V) + sizeof(I)) + max_tile_ptrs * static_cast<size_type>(sizeof(I));
    static constexpr size_type shared_bytes = num_stages * stage_size;
};

template <class V, class I>
Matrix<device_type<V>, I> device_matrix(CsrView<V, I> a)
{
    return {a.rows, a.num_nonzeros, a.row_ptrs, a.col_idxs, as_device(a.values)};
}

namespace detail {

/// Nonzeros [begin, end) of a tile's rows, where values[0] is nonzero `begin`; row_ptrs[0] is that of the tile's first
/// row. `is_last`: the tile has no further stage.
template <class V, class I>
struct Stage {
    I begin, end;
    bool is_last;
    const V* values;
    const I* cols;
    const I* row_ptrs;
};

/// Where a block is: the first row of a tile, where its stage begins, and where its nonzeros end.
template <class I>
struct StagePlace {
    size_type first_row;
    I begin, tile_end;
};

/// The stages of a block in order: which nonzeros come next. Pointers of the tile after the next are on their way.
/// `Place` is a StagePlace, or where one thread alone asks a reference to one in shared memory, so that the others have
/// no registers of it.
template <class V, class I, class Shape, class Place = StagePlace<I>>
class StageCursor {
public:
    __device__ StageCursor(const Matrix<V, I>& a, int tile_rows, Place place)
        : a_(a),
          tile_rows_(tile_rows),
          place_(place)
    {
    }

    /// To the block's first stage.
    __device__ void start()
    {
        const size_type first = static_cast<size_type>(block_id()) * tile_rows_;
        load(first);
        enter(first);
    }

    __device__ bool is_at_end() const { return place_.first_row >= a_.rows; }
    __device__ size_type first_row() const { return place_.first_row; }
    __device__ size_type num_rows() const
    {
        return a_.rows - first_row() < tile_rows_ ? a_.rows - first_row() : tile_rows_;
    }
    __device__ I tile_end() const { return place_.tile_end; }
    __device__ I begin() const { return place_.begin; }
    __device__ I end() const { return is_last() ? tile_end() : begin() + Shape::capacity; }
    __device__ bool is_last() const { return tile_end() - begin() <= Shape::capacity; }

    /// To the next stage, which starts at a multiple of `granule`.
    __device__ void advance()
    {
        if (is_last()) {
            enter(first_row() + static_cast<size_type>(num_blocks()) * tile_rows_);
        } else {
            place_.begin += Shape::capacity;
        }
    }

    /// Stages start at a multiple of so many nonzeros: copies then start at a multiple of 16 bytes.
    static constexpr I granule = std::max<I>(16 / sizeof(I), 16 / std::gcd(sizeof(V), std::size_t{16}));

private:
    __device__ void load(size_type first)
    {
        if (first < a_.rows) {
            next_begin_ = a_.row_ptrs[first];
            next_end_ = a_.row_ptrs[first + tile_rows_ < a_.rows ? first + tile_rows_ : a_.rows];
        }
    }
    /// To the tile that begins with row `first`, whose pointers have been loaded.
    __device__ void enter(size_type first)
    {
        place_ = {first, next_begin_ / granule * granule, next_end_};
        load(first + static_cast<size_type>(num_blocks()) * tile_rows_);
    }

    const Matrix<V, I>& a_;
    int tile_rows_;
    Place place_;
    I next_begin_{}, next_end_{};
};

}  // namespace detail

}  // namespace linden::LINDEN_GPU_NAMESPACE
