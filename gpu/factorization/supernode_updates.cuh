#pragma once

#include "gpu/device/bisection.cuh"
#include "gpu/device/scan.cuh"
#include "gpu/factorization/supernode_tiles.cuh"

/// What supernodes subtract from a tile of another one: their columns, one behind the other, in slabs in shared memory.
namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

/// Which panels update a tile: those of L and U^T, or for U^T those of U^T and L.
template <class V, class I>
struct PanelsOf {
    const V *left, *right;
    I first_column;  ///< of the tile
};

/// How many pieces there are, and columns of all of them.
struct PieceCount {
    int pieces, columns;
};

/// Finds out which of the sources from `first` on, one for each thread, have something to subtract from a tile of
/// num_rows rows, those of `shared`. Called by all threads.
template <class V, class I>
__device__ PieceCount find_pieces(const Factorization<V, I>& a, Shared<V, I>& shared, size_type s, size_type first,
                                  int num_rows)
{
    const size_type source = first + thread_id();
    Piece<I> piece{};
    int width = 0;
    if (source < a.f.source_ptrs[s + 1]) {
        const I* const of_source = a.f.sources + 3 * source;
        const Panel<I> from(a.f, of_source[0]);
        const I begin = lower_bound(from.rows, of_source[1], from.height, shared.rows[0]);
        const I end = lower_bound(from.rows, begin, from.height, static_cast<I>(shared.rows[num_rows - 1] + 1));
        piece = {from.values,
                 from.rows,
                 of_source[0],
                 from.height,
                 begin,
                 of_source[1],
                 static_cast<int>(end - begin),
                 static_cast<int>(of_source[2] - of_source[1]),
                 a.num_sides() * from.num_tiles()};
        width = end > begin ? from.width : 0;
    }
    constexpr int shift = 16;  // columns of all pieces are fewer
    static_assert(block_size * Shared<V, I>::columns < 1 << shift);
    int total = 0;
    const int before = block_exclusive_scan<block_size>(width > 0 ? (1 << shift) + width : 0, total);
    if (width > 0) {
        shared.pieces[before >> shift] = piece;
        shared.ends[before >> shift] = (before & ((1 << shift) - 1)) + width;
    }
    block_barrier();
    return {total >> shift, total & ((1 << shift) - 1)};
}

/// Column m of the slab := column `column` of the pieces, in the places of the tile's rows and columns. Called by the
/// lanes that have it.
template <class V, class I>
__device__ void load_column(const Factorization<V, I>& a, Shared<V, I>& shared, int num_pieces, int m, int column,
                            const PanelsOf<V, I>& of, int num_rows)
{
    using Lanes = typename Tile<V>::Lanes;
    const int at = lower_bound(shared.ends, 0, num_pieces, column + 1);
    const Piece<I>& piece = shared.pieces[at];
    const int within = column - (at > 0 ? shared.ends[at - 1] : 0);
    await<Lanes>(a.progress.solved + piece.supernode, piece.num_solves);
    const size_type values = piece.values + size_type{within} * piece.height;
    for (int q = Lanes::lane(); q < piece.num_rows; q += Lanes::size) {
        const I row = piece.rows[piece.row_begin + q];
        const int place = piece.num_rows == num_rows ? q : lower_bound(shared.rows, 0, num_rows, row);
        shared.slab.left[m][place] = of.left[values + piece.row_begin + q];
    }
    const auto scale = a.has_half() ? real(a.values.lower[values + within]) : device_real<V>{};
    for (int q = Lanes::lane(); q < piece.num_columns; q += Lanes::size) {
        const int place = static_cast<int>(piece.rows[piece.column_begin + q] - of.first_column);
        const V value = of.right[values + piece.column_begin + q];
        shared.slab.right[m][place] = a.has_half() ? scale * conj(value) : value;
    }
}

/// tile := tile - L_RK U_KJ of all sources K, or the same of U^T, for the num_rows rows of `shared`. Called by all
/// threads; begins and ends with a barrier.
template <class V, class I>
__device__ void subtract_sources(const Factorization<V, I>& a, Shared<V, I>& shared, size_type s,
                                 const PanelsOf<V, I>& of, int num_rows, Tile<V>& tile)
{
    using Lanes = typename Tile<V>::Lanes;
    constexpr int depth = Shared<V, I>::depth;
    auto& slab = shared.slab;
    for (size_type first = a.f.source_ptrs[s]; first < a.f.source_ptrs[s + 1]; first += block_size) {
        block_barrier();
        const auto count = find_pieces(a, shared, s, first, num_rows);
        for (int column = 0; column < count.columns; column += depth) {
            for (int m = Tile<V>::group(); m < depth; m += Tile<V>::groups) {
                for (int k = Lanes::lane(); k < supernode_tile_rows; k += Lanes::size) {
                    slab.left[m][k] = V{};
                }
                for (int k = Lanes::lane(); k < Shared<V, I>::columns; k += Lanes::size) {
                    slab.right[m][k] = V{};
                }
                Lanes::sync();
                if (column + m < count.columns) {
                    load_column(a, shared, count.pieces, m, column + m, of, num_rows);
                }
            }
            block_barrier();
            for (int m = 0; m < depth; ++m) {
                tile.subtract([&](int row) { return slab.left[m][row]; }, [&](int c) { return slab.right[m][c]; });
            }
            block_barrier();
        }
    }
    block_barrier();
}

}  // namespace
}  // namespace linden::LINDEN_GPU_NAMESPACE
