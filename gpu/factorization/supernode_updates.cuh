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

/// Finds out which of the sources from `first` to `last`, one for each thread, have something to subtract from a tile
/// of num_rows rows, those of `shared`. Called by all threads; ends with a barrier.
template <class V, class I>
__device__ PieceCount find_pieces(const Factorization<V, I>& a, Shared<V, I>& shared, size_type first, size_type last,
                                  int num_rows)
{
    auto& sources = shared.sources;
    const size_type source = first + thread_id();
    Piece<I> piece{};
    int width = 0;
    if (thread_id() < Shared<V, I>::most_pieces && source < last) {
        const I* const of_source = a.f.sources + 3 * source;
        const Panel<I> from(a.f, of_source[0]);
        const int num_solves = a.num_sides() * from.num_tiles();
        const bool is_solved = load_acquire(a.progress.solved + of_source[0]) >= static_cast<std::uint32_t>(num_solves);
        const I begin = lower_bound(from.rows, of_source[1], from.height, shared.rows[0]);
        const I most = begin + num_rows < from.height ? begin + num_rows : from.height;
        const I end = lower_bound(from.rows, begin, most, static_cast<I>(shared.rows[num_rows - 1] + 1));
        piece = {from.values,
                 from.rows,
                 of_source[0],
                 from.height,
                 begin,
                 of_source[1],
                 static_cast<int>(end - begin),
                 static_cast<int>(of_source[2] - of_source[1]),
                 num_solves,
                 is_solved};
        width = end > begin ? from.width : 0;
    }
    constexpr int shift = 16;  // columns of all pieces are fewer
    static_assert(Shared<V, I>::most_pieces * Shared<V, I>::columns < 1 << shift);
    static_assert(Shared<V, I>::most_pieces <= block_size);
    int total = 0;
    const int before = block_exclusive_scan<block_size>(width > 0 ? (1 << shift) + width : 0, total);
    if (width > 0) {
        sources.pieces[before >> shift] = piece;
        sources.ends[before >> shift] = (before & ((1 << shift) - 1)) + width;
    }
    block_barrier();
    return {total >> shift, total & ((1 << shift) - 1)};
}

/// Finds the places of the pieces' rows and columns in the tile. Called by all threads; ends with a barrier.
template <class V, class I>
__device__ void place_pieces(Shared<V, I>& shared, int num_pieces, I first_column, int num_rows)
{
    using Lanes = typename Tile<V>::Lanes;
    auto& sources = shared.sources;
    for (int at = Tile<V>::group(); at < num_pieces; at += Tile<V>::groups) {
        const Piece<I>& piece = sources.pieces[at];
        LINDEN_UNROLL
        for (int k = 0; k < supernode_tile_rows; k += Lanes::size) {
            const int q = k + Lanes::lane();
            if (q < piece.num_rows) {
                const int lack = num_rows - piece.num_rows;  // row q is in the places q to q + lack
                const int place = lower_bound(shared.rows, q, q + lack, piece.rows[piece.row_begin + q]);
                sources.row_places[at][q] = static_cast<std::uint8_t>(place);
            }
        }
        LINDEN_UNROLL
        for (int k = 0; k < Tile<V>::columns; k += Lanes::size) {
            const int q = k + Lanes::lane();
            if (q < piece.num_columns) {
                sources.column_places[at][q] =
                    static_cast<std::uint8_t>(piece.rows[piece.column_begin + q] - first_column);
            }
        }
    }
    block_barrier();
}

/// A column of the pieces on its way to the slab, of which a group's lanes have some rows. Memory answers all that they
/// ask for at a time.
template <class V, class I>
class PieceColumn {
    using Lanes = typename Tile<V>::Lanes;
    static constexpr int left_count = supernode_tile_rows / Lanes::size, right_count = Tile<V>::columns / Lanes::size;

public:
    /// Begins to load column `column`, which is behind those before, unless there is none, or its source is not known
    /// to be solved; returns whether it need not be asked for again.
    __device__ bool begin(const Factorization<V, I>& a, const Shared<V, I>& shared, PieceCount count, int column,
                          const PanelsOf<V, I>& of, bool may_wait)
    {
        const auto& sources = shared.sources;
        is_there_ = column < count.columns;
        if (!is_there_) {
            return true;
        }
        while (sources.ends[at_] <= column) {
            ++at_;
        }
        const Piece<I>& piece = sources.pieces[at_];
        if (!piece.is_solved) {
            if (!may_wait) {
                return false;
            }
            await<Lanes>(a.progress.solved + piece.supernode, piece.num_solves);
        }
        const int within = column - (at_ > 0 ? sources.ends[at_ - 1] : 0);
        const size_type values = piece.values + size_type{within} * piece.height;
        LINDEN_UNROLL
        for (int k = 0; k < left_count; ++k) {
            const int q = Lanes::lane() + Lanes::size * k;
            left_[k] = q < piece.num_rows ? of.left[values + piece.row_begin + q] : V{};
        }
        LINDEN_UNROLL
        for (int k = 0; k < right_count; ++k) {
            const int q = Lanes::lane() + Lanes::size * k;
            right_[k] = q < piece.num_columns ? of.right[values + piece.column_begin + q] : V{};
        }
        scale_ = a.has_half() ? real(a.values.lower[values + within]) : device_real<V>{};
        return true;
    }
    /// Column m of the slab := what was loaded, in the places of the tile's rows and columns, zero elsewhere.
    __device__ void end(const Factorization<V, I>& a, Shared<V, I>& shared, int m) const
    {
        auto& slab = shared.sources.slab;
        const Piece<I>& piece = shared.sources.pieces[at_];
        LINDEN_UNROLL
        for (int k = 0; k < left_count; ++k) {
            slab.left[m][Lanes::lane() + Lanes::size * k] = V{};
        }
        LINDEN_UNROLL
        for (int k = 0; k < right_count; ++k) {
            slab.right[m][Lanes::lane() + Lanes::size * k] = V{};
        }
        Lanes::sync();
        if (!is_there_) {
            return;
        }
        LINDEN_UNROLL
        for (int k = 0; k < left_count; ++k) {
            const int q = Lanes::lane() + Lanes::size * k;
            if (q < piece.num_rows) {
                slab.left[m][shared.sources.row_places[at_][q]] = left_[k];
            }
        }
        LINDEN_UNROLL
        for (int k = 0; k < right_count; ++k) {
            const int q = Lanes::lane() + Lanes::size * k;
            if (q < piece.num_columns) {
                slab.right[m][shared.sources.column_places[at_][q]] =
                    a.has_half() ? scale_ * conj(right_[k]) : right_[k];
            }
        }
    }

private:
    V left_[left_count], right_[right_count];
    device_real<V> scale_;
    int at_ = 0;  ///< its piece
    bool is_there_ = false;
};

/// tile := tile - L_RK U_KJ of the sources K in a part, or the same of U^T, for the num_rows rows of `shared`. While a
/// slab is multiplied, the next one is on its way. Called by all threads; begins and ends with a barrier.
template <class V, class I>
__device__ void subtract_sources(const Factorization<V, I>& a, Shared<V, I>& shared, size_type part,
                                 const PanelsOf<V, I>& of, int num_rows, Tile<V>& tile)
{
    constexpr int depth = Shared<V, I>::depth, count_of_group = depth / Tile<V>::groups;
    const auto& slab = shared.sources.slab;
    const size_type last = a.f.turns.parts[part + 1];
    for (size_type first = a.f.turns.parts[part]; first < last; first += Shared<V, I>::most_pieces) {
        block_barrier();
        const auto count = find_pieces(a, shared, first, last, num_rows);
        place_pieces(shared, count.pieces, of.first_column, num_rows);
        PieceColumn<V, I> columns[count_of_group];
        const auto begin = [&](int column, bool may_wait) {
            bool all = true;
            LINDEN_UNROLL
            for (int k = 0; k < count_of_group; ++k) {
                const int m = Tile<V>::group() + Tile<V>::groups * k;
                all = columns[k].begin(a, shared, count, column + m, of, may_wait) && all;
            }
            return all;
        };
        begin(0, true);
        for (int column = 0; column < count.columns; column += depth) {
            LINDEN_UNROLL
            for (int k = 0; k < count_of_group; ++k) {
                columns[k].end(a, shared, Tile<V>::group() + Tile<V>::groups * k);
            }
            block_barrier();
            const bool is_on_its_way = begin(column + depth, false);
            for (int m = 0; m < depth; m += 2) {
                LINDEN_UNROLL
                for (int k = m; k < m + 2; ++k) {
                    tile.subtract([&](int row) { return slab.left[k][row]; }, [&](int c) { return slab.right[k][c]; });
                }
            }
            block_barrier();
            if (!is_on_its_way) {
                begin(column + depth, true);
            }
        }
    }
    block_barrier();
}

}  // namespace
}  // namespace linden::LINDEN_GPU_NAMESPACE
