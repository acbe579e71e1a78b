#pragma once

#include "core/kernels/supernodes.hpp"
#include "gpu/device/awaited.cuh"
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

/// Successive rows of a panel.
struct PanelRows {
    int begin, count;
};

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
    /// Tile t of the rows below those of the columns; none if it is behind the last one.
    __device__ PanelRows tile(int t) const
    {
        const int first = width + t * supernode_tile_rows;
        return {first, static_cast<int>(height - first < supernode_tile_rows ? height - first : supernode_tile_rows)};
    }

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
    int first_row = 0, first_column = 0;  ///< that are left

    __device__ static int group() { return thread_id() / Lanes::size; }
    __device__ int row(int a) const { return first_row + Lanes::lane() + Lanes::size * a; }
    __device__ int column(int b) const { return first_column + group() + groups * b; }

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
    /// of := of - l r, with l(row) and r(column), for those of a thread's rows and columns.
    template <int row_begin = 0, int row_end = num_rows, int column_begin = 0, int column_end = num_columns, class Left,
              class Right>
    __device__ void subtract(const Left& left, const Right& right)
    {
        V l[num_rows], r[num_columns];
        LINDEN_UNROLL
        for (int a = row_begin; a < row_end; ++a) {
            l[a] = left(row(a));
        }
        LINDEN_UNROLL
        for (int b = column_begin; b < column_end; ++b) {
            r[b] = right(column(b));
        }
        LINDEN_UNROLL
        for (int b = column_begin; b < column_end; ++b) {
            LINDEN_UNROLL
            for (int a = row_begin; a < row_end; ++a) {
                of[a][b] -= l[a] * r[b];
            }
        }
    }
    /// Whether the thread has this column, or row, if it is one of the first ones left: then it is of[...][0], or
    /// of[0].
    __device__ static bool has_column(int c) { return group() == c % groups; }
    __device__ static bool has_row(int r) { return Lanes::lane() == r % Lanes::size; }
    /// Drops the first column, and row, of each thread once all of these before `end` are done with: places in
    /// registers have to be known to the compiler.
    __device__ void drop_columns_before(int end)
    {
        if (end % groups == 0) {
            LINDEN_UNROLL
            for (int b = 0; b + 1 < num_columns; ++b) {
                LINDEN_UNROLL
                for (int a = 0; a < num_rows; ++a) {
                    of[a][b] = of[a][b + 1];
                }
            }
            first_column += groups;
        }
    }
    __device__ void drop_rows_before(int end)
    {
        if (end % Lanes::size == 0) {
            LINDEN_UNROLL
            for (int a = 0; a + 1 < num_rows; ++a) {
                LINDEN_UNROLL
                for (int b = 0; b < num_columns; ++b) {
                    of[a][b] = of[a + 1][b];
                }
            }
            first_row += Lanes::size;
        }
    }
};

/// The thread's entries of these rows of a panel, zero where it has none.
template <class V, class I>
__device__ void load_tile(Tile<V>& tile, const V* values, const Panel<I>& panel, PanelRows rows)
{
    tile.for_each(rows.count, panel.width,
                  [&](int row, int c, V& entry) { entry = values[panel.at(rows.begin + row, c)]; });
}

/// The part of a source that updates a tile.
template <class I>
struct Piece {
    size_type values;
    const I* rows;
    I supernode, height;
    I row_begin, column_begin;  ///< of its rows, those in the tile's rows, and those that are the tile's columns
    int num_rows, num_columns;
    int num_solves;  ///< of its own tiles, which have to be done; 0: they were when the piece was found
};

/// What a block shares.
template <class V, class I>
struct Shared {
    static constexpr int depth = 16;        ///< columns of pieces that are multiplied at a time
    static constexpr int most_pieces = 64;  ///< at a time
    static constexpr int columns = Tile<V>::columns;
    struct Slab {
        V left[depth][supernode_tile_rows], right[depth][columns];
    };
    struct Sources {
        Slab slab;
        Piece<I> pieces[most_pieces];
        int ends[most_pieces];  ///< of their columns, one piece behind the other
        std::uint8_t row_places[most_pieces][supernode_tile_rows],
            column_places[most_pieces][columns];  ///< in the tile
    };
    struct Block {
        V of[columns][columns + 1];
        V vector[columns];
        union {
            device_real<V> norms[columns];                   ///< while it is factorized
            V solved[Tile<V>::groups][supernode_tile_rows];  ///< while tiles are solved with it
        };
    };
    union {
        Sources sources;
        Block block;
    };
    I rows[supernode_tile_rows];
    int suspects[2];
};

/// What tasks tell each other: of each supernode whether its pivots are done and how many tiles are solved, and of its
/// tiles and of the rows of its columns by how many parts of sources they are updated.
struct Progress {
    std::uint64_t* tickets;
    std::uint32_t *factorized, *solved, *updated;

    Progress(const Executor& exec, size_type num_supernodes, WorkspaceView workspace)
        : tickets(reinterpret_cast<std::uint64_t*>(workspace.data)),
          factorized(reinterpret_cast<std::uint32_t*>(tickets + 1)),
          solved(factorized + num_supernodes),
          updated(solved + num_supernodes)
    {
        exec.state().fill_zero(workspace.data, static_cast<std::size_t>(workspace.bytes));
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
    Progress progress;

    __device__ bool has_half() const { return values.upper == nullptr; }
    __device__ int num_sides() const { return has_half() ? 1 : 2; }
    __device__ int num_parts(size_type s) const
    {
        return static_cast<int>(f.turns.part_ptrs[s + 1] - f.turns.part_ptrs[s]);
    }
    /// Of tile `number` of a supernode, or, behind the last one, of the rows of its columns.
    __device__ std::uint32_t* updated(size_type s, int number) const
    {
        return progress.updated + s + num_sides() * size_type{f.turns.tile_ptrs[s]} + number;
    }
};

}  // namespace
}  // namespace linden::LINDEN_GPU_NAMESPACE
