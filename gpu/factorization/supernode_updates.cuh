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
                 is_solved ? 0 : num_solves};
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
                const int place =
                    lack == 0 ? q : lower_bound(shared.rows, q, q + lack, piece.rows[piece.row_begin + q]);
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

/// The piece of a column, which is not before piece `at`.
template <class V, class I>
__device__ int piece_of(const Shared<V, I>& shared, int at, int column)
{
    while (shared.sources.ends[at] <= column) {
        ++at;
    }
    return at;
}

/// *p as a value of its own: AMD's compiler keeps arrays that are copied to as a whole in memory.
template <class V>
__device__ V load(const V* p)
{
    return *p;
}

/// A column of the pieces on its way to the slab, of which a group's lanes have some rows. Memory answers all that they
/// ask for at a time.
template <class V>
struct PieceColumn {
    using Lanes = typename Tile<V>::Lanes;
    static constexpr int left_count = supernode_tile_rows / Lanes::size, right_count = Tile<V>::columns / Lanes::size;

    V left[left_count], right[right_count];
    device_real<V> scale;

    /// Begins to load column `within` of a piece.
    template <class I>
    __device__ void begin(const Factorization<V, I>& a, const Piece<I>& piece, int within, const PanelsOf<V, I>& of)
    {
        const size_type values = piece.values + size_type{within} * piece.height;
        LINDEN_UNROLL
        for (int k = 0; k < left_count; ++k) {
            const int q = Lanes::lane() + Lanes::size * k;
            left[k] = q < piece.num_rows ? load(of.left + values + piece.row_begin + q) : V{};
        }
        LINDEN_UNROLL
        for (int k = 0; k < right_count; ++k) {
            const int q = Lanes::lane() + Lanes::size * k;
            right[k] = q < piece.num_columns ? load(of.right + values + piece.column_begin + q) : V{};
        }
        scale = a.has_half() ? real(a.values.lower[values + within]) : device_real<V>{};
    }
    /// Column m of the slab := what was loaded, of piece `at`, in the places of the tile's rows and columns. The others
    /// are zero before.
    template <class I>
    __device__ void end(const Factorization<V, I>& a, Shared<V, I>& shared, int at, int m) const
    {
        auto& sources = shared.sources;
        const Piece<I>& piece = sources.pieces[at];
        LINDEN_UNROLL
        for (int k = 0; k < left_count; ++k) {
            const int q = Lanes::lane() + Lanes::size * k;
            if (q < piece.num_rows) {
                sources.slab.left[m][sources.row_places[at][q]] = left[k];
            }
        }
        LINDEN_UNROLL
        for (int k = 0; k < right_count; ++k) {
            const int q = Lanes::lane() + Lanes::size * k;
            if (q < piece.num_columns) {
                V value = right[k];
                if (a.has_half()) {
                    value = scale * conj(value);
                }
                sources.slab.right[m][sources.column_places[at][q]] = value;
            }
        }
    }
};

/// The columns of pieces that a group of lanes loads for a slab.
template <class V, class I>
struct SlabColumns {
    using T = Tile<V>;
    static constexpr int count = Shared<V, I>::depth / T::groups;

    PieceColumn<V> of[count];

    __device__ static int place(int k) { return T::group() + T::groups * k; }

    /// Begins to load the columns from `first` on, of pieces from `at` on, but none whose source is not known to be
    /// solved unless it may wait; returns whether none was left out.
    __device__ bool begin(const Factorization<V, I>& a, const Shared<V, I>& shared, PieceCount pieces, int at,
                          int first, const PanelsOf<V, I>& panels, bool may_wait)
    {
        bool all = true;
        LINDEN_UNROLL
        for (int k = 0; k < count; ++k) {
            const int column = first + place(k);
            if (column < pieces.columns) {
                at = piece_of(shared, at, column);
                const Piece<I>& piece = shared.sources.pieces[at];
                const bool is_solved = piece.num_solves == 0;
                if (may_wait && !is_solved) {
                    await<typename T::Lanes>(a.progress.solved + piece.supernode, piece.num_solves);
                }
                if (may_wait || is_solved) {
                    of[k].begin(a, piece, column - (at > 0 ? shared.sources.ends[at - 1] : 0), panels);
                } else {
                    all = false;
                }
            }
        }
        return all;
    }
    /// The slab := these columns, and zeros where there are none.
    __device__ void end(const Factorization<V, I>& a, Shared<V, I>& shared, PieceCount pieces, int at, int first) const
    {
        using Lanes = typename T::Lanes;
        auto& slab = shared.sources.slab;
        LINDEN_UNROLL
        for (int k = 0; k < count; ++k) {
            LINDEN_UNROLL
            for (int q = 0; q < supernode_tile_rows; q += Lanes::size) {
                slab.left[place(k)][q + Lanes::lane()] = V{};
            }
            LINDEN_UNROLL
            for (int q = 0; q < T::columns; q += Lanes::size) {
                slab.right[place(k)][q + Lanes::lane()] = V{};
            }
        }
        Lanes::sync();
        LINDEN_UNROLL
        for (int k = 0; k < count; ++k) {
            const int column = first + place(k);
            if (column < pieces.columns) {
                at = piece_of(shared, at, column);
                of[k].end(a, shared, at, place(k));
            }
        }
    }
};

/// tile := tile - L_RK U_KJ of the sources K in a part, or the same of U^T, for the num_rows rows of `shared`. While a
/// slab is multiplied, the next one is on its way. Called by all threads; begins and ends with a barrier.
template <class V, class I>
__device__ void subtract_sources(const Factorization<V, I>& a, Shared<V, I>& shared, size_type part,
                                 const PanelsOf<V, I>& of, int num_rows, Tile<V>& tile)
{
    constexpr int depth = Shared<V, I>::depth;
    const auto& slab = shared.sources.slab;
    const size_type last = a.f.turns.parts[part + 1];
    for (size_type first = a.f.turns.parts[part]; first < last; first += Shared<V, I>::most_pieces) {
        block_barrier();
        const auto pieces = find_pieces(a, shared, first, last, num_rows);
        place_pieces(shared, pieces.pieces, of.first_column, num_rows);
        SlabColumns<V, I> columns;
        int at = 0;
        columns.begin(a, shared, pieces, at, 0, of, true);
        for (int column = 0; column < pieces.columns; column += depth) {
            at = piece_of(shared, at, column);
            columns.end(a, shared, pieces, at, column);
            block_barrier();
            const bool is_on_its_way = columns.begin(a, shared, pieces, at, column + depth, of, false);
            for (int m = 0; m < depth; m += 2) {
                LINDEN_UNROLL
                for (int k = m; k < m + 2; ++k) {
                    tile.subtract([&](int row) { return slab.left[k][row]; }, [&](int c) { return slab.right[k][c]; });
                }
            }
            block_barrier();
            if (!is_on_its_way) {
                columns.begin(a, shared, pieces, at, column + depth, of, true);
            }
        }
    }
    block_barrier();
}

}  // namespace
}  // namespace linden::LINDEN_GPU_NAMESPACE
