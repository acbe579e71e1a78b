#pragma once

#include "core/kernels/supernodes.hpp"
#include "gpu/device/awaited.cuh"
#include "gpu/device/bisection.cuh"
#include "gpu/device/scan.cuh"
#include "gpu/factorization/pivots.cuh"

/// Tiles of supernodes' panels, which blocks of threads have in registers, and what other supernodes subtract from
/// them.
namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

#if defined(LINDEN_HIP_PLATFORM_HOST)
constexpr int block_size = 64;
#else
constexpr int block_size = 128;
#endif

/// A supernode's shape and where its panel is.
template <class I>
struct Panel {
    __device__ Panel(const SupernodeView<I>& f, size_type s)
        : begin(f.first[s]),
          width(static_cast<int>(f.first[s + 1] - begin)),
          rows(f.rows + f.row_ptrs[s]),
          height(f.row_ptrs[s + 1] - f.row_ptrs[s]),
          values(f.value_ptrs[s])
    {
    }
    __device__ size_type at(size_type row, size_type column) const { return values + column * height + row; }
    __device__ int num_tiles() const { return static_cast<int>(supernode_tiles(height - width)); }

    I begin;
    int width;
    const I* rows;
    I height;
    size_type values;
};

/// A tile of up to supernode_tile_rows rows: a thread has some of them in some columns.
template <class V>
struct Tile {
    using Lanes = Subgroup<16>;
    static constexpr int groups = block_size / Lanes::size;
    static constexpr int columns = supernode_tile_columns<V>;
    static constexpr int num_rows = supernode_tile_rows / Lanes::size;
    static constexpr int num_columns = columns / groups;

    V of[num_rows][num_columns] = {};

    __device__ static int group() { return thread_id() / Lanes::size; }
    __device__ static int row(int a) { return Lanes::lane() + Lanes::size * a; }
    __device__ static int column(int b) { return group() + groups * b; }

    /// Calls f(row, column, value) for those of the thread in num_rows rows and `width` columns.
    template <class F>
    __device__ void for_each(int rows_there, int width, const F& f)
    {
        LINDEN_UNROLL
        for (int b = 0; b < num_columns; ++b) {
            LINDEN_UNROLL
            for (int a = 0; a < num_rows; ++a) {
                if (row(a) < rows_there && column(b) < width) {
                    f(row(a), column(b), of[a][b]);
                }
            }
        }
    }
    /// of := of - l r, with l(a) of its rows and r(b) of its columns.
    template <class Left, class Right>
    __device__ void subtract(const Left& left, const Right& right)
    {
        V l[num_rows], r[num_columns];
        LINDEN_UNROLL
        for (int a = 0; a < num_rows; ++a) {
            l[a] = left(row(a));
        }
        LINDEN_UNROLL
        for (int b = 0; b < num_columns; ++b) {
            r[b] = right(column(b));
        }
        LINDEN_UNROLL
        for (int b = 0; b < num_columns; ++b) {
            LINDEN_UNROLL
            for (int a = 0; a < num_rows; ++a) {
                of[a][b] -= l[a] * r[b];
            }
        }
    }
    /// Calls step(c, [b]) for columns 0 to width in turn, c being column(b) of group c % groups.
    template <class Step>
    __device__ static void for_each_column(int width, const Step& step)
    {
        LINDEN_UNROLL
        for (int b = 0; b < num_columns; ++b) {
            for (int g = 0; g < groups && g + groups * b < width; ++g) {
                step(g + groups * b, b);
            }
        }
    }
};

/// The part of a source that updates a tile.
template <class I>
struct Piece {
    size_type values;
    const I* rows;
    I supernode, height;
    I row_begin, column_begin;  ///< of its rows, those in the tile's rows, and those that are the tile's columns
    int num_rows, num_columns;
    int num_solves;  ///< of its own tiles, which have to be done
};

/// What a block shares.
template <class V, class I>
struct Shared {
    static constexpr int depth = 16;  ///< columns of pieces that are multiplied at a time
    static constexpr int columns = Tile<V>::columns;
    struct Slab {
        V left[depth][supernode_tile_rows], right[depth][columns];
    };
    struct Block {
        V of[columns][columns + 1];
        V vector[columns];
        V solved[2][supernode_tile_rows];
    };
    union {
        Slab slab;
        Block block;
    };
    Piece<I> pieces[block_size];
    int ends[block_size];  ///< of their columns, one piece behind the other
    I rows[supernode_tile_rows];
    int suspects[2];
};

/// What tasks tell each other, per supernode: tiles that are updated, whether pivots are done, tiles that are solved.
template <class I>
struct Progress {
    std::uint64_t* tickets;
    std::uint32_t *updated, *factorized, *solved;

    Progress(const Executor& exec, size_type num_supernodes, WorkspaceView workspace)
        : tickets(reinterpret_cast<std::uint64_t*>(workspace.data)),
          updated(reinterpret_cast<std::uint32_t*>(tickets + 1)),
          factorized(updated + num_supernodes),
          solved(factorized + num_supernodes)
    {
        const auto count = static_cast<std::size_t>(num_supernodes);
        exec.state().fill_zero(workspace.data, sizeof *tickets + 3 * count * sizeof *updated);
    }
};

/// Waits until tasks have counted so far. Called by all lanes of `Lanes`, all of which see what the tasks wrote.
template <class Lanes>
__device__ inline void await(const std::uint32_t* counter, int count)
{
    while (!Lanes::all(load_acquire(counter) >= static_cast<std::uint32_t>(count))) {
        rest_unless<Lanes>(false);
    }
}

/// Counts a task whose block has written all that it had to.
__device__ inline void count_task(std::uint32_t* counter)
{
    thread_fence();
    block_barrier();
    if (thread_id() == 0) {
        thread_fence();
        atomic_add(counter, 1);
    }
}

template <class V, class I>
struct Factorization {
    SupernodeView<I> f;
    PivotLimits<device_real<V>> limits;
    SupernodeFactors<V> values;
    PivotReport* report;
    Progress<I> progress;

    __device__ bool has_half() const { return values.upper == nullptr; }
    __device__ int num_sides() const { return has_half() ? 1 : 2; }
};

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

/// A tile of the rows below those of a supernode's columns, of L or of U^T.
template <class V, class I>
struct TileBelow {
    Panel<I> panel;
    bool is_upper;
    int begin, num_rows;  ///< rows of the panel

    __device__ TileBelow(const Factorization<V, I>& a, size_type s, int number)
        : panel(a.f, s),
          is_upper(number >= panel.num_tiles()),
          begin(panel.width + (number - (is_upper ? panel.num_tiles() : 0)) * supernode_tile_rows),
          num_rows(
              static_cast<int>(panel.height - begin < supernode_tile_rows ? panel.height - begin : supernode_tile_rows))
    {
    }
    __device__ V* values(const Factorization<V, I>& a) const { return is_upper ? a.values.upper : a.values.lower; }
};

/// Subtracts from tile `number` of supernode s what its sources do.
template <class V, class I>
__device__ void update_tile(const Factorization<V, I>& a, Shared<V, I>& shared, size_type s, int number)
{
    const TileBelow<V, I> below(a, s, number);
    for (int r = thread_id(); r < below.num_rows; r += block_size) {
        shared.rows[r] = below.panel.rows[below.begin + r];
    }
    Tile<V> tile;
    V* const values = below.values(a);
    const V* const right = a.has_half() || below.is_upper ? a.values.lower : a.values.upper;
    subtract_sources(a, shared, s, {values, right, below.panel.begin}, below.num_rows, tile);
    tile.for_each(below.num_rows, below.panel.width,
                  [&](int row, int c, V& sum) { values[below.panel.at(below.begin + row, c)] += sum; });
    count_task(a.progress.updated + s);
}

/// Tile `number` of supernode s := that times U^-1, or of U^T that times L^-T, of the block on the diagonal.
template <class V, class I>
__device__ void solve_tile(const Factorization<V, I>& a, Shared<V, I>& shared, size_type s, int number)
{
    const TileBelow<V, I> below(a, s, number);
    const auto& panel = below.panel;
    auto& block = shared.block;
    await<typename Tile<V>::Lanes>(a.progress.factorized + s, 1);
    await<typename Tile<V>::Lanes>(a.progress.updated + s, a.num_sides() * panel.num_tiles());
    const int width = panel.width;
    const V* const triangle = a.has_half() || below.is_upper ? a.values.lower : a.values.upper;
    for (int k = thread_id(); k < width * width; k += block_size) {
        const int c = k % width, m = k / width;
        const V value = m < c ? triangle[panel.at(c, m)] : V{};
        block.of[m][c] = a.has_half() ? real(a.values.lower[panel.at(m, m)]) * conj(value) : value;
    }
    for (int c = thread_id(); c < width; c += block_size) {
        block.vector[c] = a.values.lower[panel.at(c, c)];
    }
    V* const values = below.values(a);
    Tile<V> tile;
    tile.for_each(below.num_rows, width,
                  [&](int row, int c, V& value) { value = values[panel.at(below.begin + row, c)]; });
    block_barrier();
    Tile<V>::for_each_column(width, [&](int c, int b) {
        V* const solved = block.solved[c & 1];
        if (Tile<V>::column(b) == c) {
            LINDEN_UNROLL
            for (int q = 0; q < Tile<V>::num_rows; ++q) {
                const V value = below.is_upper ? tile.of[q][b] : tile.of[q][b] / block.vector[c];
                solved[Tile<V>::row(q)] = value;
                if (Tile<V>::row(q) < below.num_rows) {
                    values[panel.at(below.begin + Tile<V>::row(q), c)] = value;
                }
            }
        }
        block_barrier();
        tile.subtract([&](int row) { return solved[row]; }, [&](int column) { return block.of[c][column]; });
    });
    count_task(a.progress.solved + s);
}

}  // namespace
}  // namespace linden::LINDEN_GPU_NAMESPACE
