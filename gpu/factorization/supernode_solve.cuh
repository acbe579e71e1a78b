#pragma once

#include "gpu/factorization/supernode_hand_over.cuh"

/// Solves with L and U by supernodes. A block of threads has a tile of the rows below those of a supernode's columns in
/// registers before it waits for what it multiplies; the block of the first tile has the columns, too.
namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

/// What a block begins with: its supernode and tile, and for which columns.
template <class I>
struct SolveTask {
    size_type s, first_column;
    int tile, num_columns;

    /// number: of the block, of which each turn has one for every `most` columns. Of a solve with L, or with U.
    __device__ SolveTask(const SupernodeTurns<I>& turns, size_type number, size_type columns, int most, bool is_lower)
    {
        const size_type groups = (columns + most - 1) / most;
        const size_type turn = is_lower ? number / groups : turns.num_solves - 1 - number / groups;
        s = turns.solves[2 * turn];
        tile = static_cast<int>(turns.solves[2 * turn + 1]);
        first_column = number % groups * most;
        num_columns = static_cast<int>(columns - first_column < most ? columns - first_column : most);
    }
};

/// parts := of each of these vectors, what a tile takes from its rows.
template <class V, class I, int C>
__device__ void multiply(const Tile<V>& tile, int width, int num_columns, SolveShared<V, I, C>& shared)
{
    LINDEN_UNROLL
    for (int c = 0; c < C; ++c) {
        LINDEN_UNROLL
        for (int k = 0; k < Tile<V>::num_rows; ++k) {
            V sum{};
            LINDEN_UNROLL
            for (int b = 0; b < Tile<V>::num_columns; ++b) {
                const bool is_there = c < num_columns && tile.column(b) < width;
                sum += is_there ? tile.of[k][b] * shared.vector[c][tile.column(b)] : V{};
            }
            shared.parts[c][Tile<V>::group()][tile.row(k)] = sum;
        }
    }
}

/// What is solved on side 0 := L^-1 x, C columns for each block.
template <int C, class V, class I>
__global__ void __launch_bounds__(block_size, blocks_on_cuda(sizeof(V) > 8 ? 3 : 4))
    lower_kernel(SupernodeSolve<V, I> a)
{
    using Shared = SolveShared<V, I, C>;
    using Threads = ColumnThreads<C>;
    LINDEN_SHARED(shared, Shared);
    const SolveTask<I> task(a.f.turns, next_in_turn<block_size, block_size>(a.room.tickets), a.x.cols, C, true);
    const bool is_there = Threads::column() < task.num_columns;
    const SolveColumn<V, I> column(a, task.first_column + (is_there ? Threads::column() : 0));
    const Panel<I> panel(a.f, task.s);
    const PanelRows rows = panel.tile(task.tile);
    const bool has_columns = task.tile == 0;
    const int width = panel.width, before = has_columns ? width : 0;
    V* const solved = column.solved(0) + panel.begin;
    V *const vector = shared.vector[Threads::column()], *const below = shared.below[Threads::column()];
    Tile<V> tile;
    load_tile(tile, a.values.lower, panel, rows);
    if (has_columns) {
        load_triangle(
            shared, true, [&](int row, int c) { return a.values.lower[panel.at(row, c)]; }, width);
    }
    collect_from_children(a.f, is_there ? column.sums(0) : nullptr, shared, task.s, panel.height,
                          {rows.begin - before, before + rows.count});
    Threads::for_rows(rows.count, [&](int row) { below[row] = vector[before + row]; });
    block_barrier();
    if (has_columns) {
        Threads::for_rows(width, [&](int row) { vector[row] = column.x(panel.begin + row) - vector[row]; });
        block_barrier();
        solve_triangle(shared, width, true);
        block_barrier();
        Threads::for_rows(is_there ? width : 0, [&](int row) { store_awaited(solved + row, vector[row]); });
    } else {
        Threads::for_rows_of_waves(width, [&](int row) {
            const V value = plus_awaited<1>(V{}, [&](int) { return row < width ? solved + row : nullptr; });
            if (row < width) {
                vector[row] = value;
            }
        });
        block_barrier();
    }
    multiply(tile, width, task.num_columns, shared);
    block_barrier();
    Threads::for_rows(is_there ? rows.count : 0, [&](int row) {
        V sum = below[row];
        LINDEN_UNROLL
        for (int group = 0; group < Tile<V>::groups; ++group) {
            sum += shared.parts[Threads::column()][group][row];
        }
        store_awaited(column.sums(0, task.s, task.tile) + row, sum);
    });
}

/// vector := of each column, the adjoint of a tile of L, or a tile of U, times `below`.
template <class V, class I, int C>
__device__ void multiply_adjoint(const Tile<V>& tile, bool has_half, int num_rows, SolveShared<V, I, C>& shared)
{
    LINDEN_UNROLL
    for (int c = 0; c < C; ++c) {
        LINDEN_UNROLL
        for (int b = 0; b < Tile<V>::num_columns; ++b) {
            V sum{};
            LINDEN_UNROLL
            for (int k = 0; k < Tile<V>::num_rows; ++k) {
                const V entry = has_half ? conj(tile.of[k][b]) : tile.of[k][b];
                sum += tile.row(k) < num_rows ? entry * shared.below[c][tile.row(k)] : V{};
            }
            sum = Tile<V>::Lanes::sum(sum);
            if (Tile<V>::Lanes::lane() == 0) {
                shared.vector[c][tile.column(b)] = sum;
            }
        }
    }
}

/// The upper triangle of the block on the diagonal, its rows divided by their pivots.
template <class V, class I, int C>
__device__ void load_upper_triangle(const SupernodeSolve<V, I>& a, SolveShared<V, I, C>& shared, const Panel<I>& panel)
{
    const auto entry = [&](int row, int c) {
        return a.has_half() ? conj(a.values.lower[panel.at(c, row)])
                            : a.values.upper[panel.at(c, row)] / a.values.lower[panel.at(row, row)];
    };
    load_triangle(shared, false, entry, panel.width);
}

/// x := U^-1 of what is solved on side 0, C columns for each block.
template <int C, class V, class I>
__global__ void __launch_bounds__(block_size, blocks_on_cuda(sizeof(V) > 8 ? 3 : 4))
    upper_kernel(SupernodeSolve<V, I> a)
{
    using Shared = SolveShared<V, I, C>;
    using Threads = ColumnThreads<C>;
    LINDEN_SHARED(shared, Shared);
    const SolveTask<I> task(a.f.turns, next_in_turn<block_size, block_size>(a.room.tickets + 1), a.x.cols, C, false);
    const bool is_there = Threads::column() < task.num_columns;
    const SolveColumn<V, I> column(a, task.first_column + (is_there ? Threads::column() : 0));
    const Panel<I> panel(a.f, task.s);
    const PanelRows rows = panel.tile(task.tile);
    const bool has_columns = task.tile == 0;
    const int width = panel.width;
    V *const vector = shared.vector[Threads::column()], *const below = shared.below[Threads::column()];
    V* const from_lower = shared.upper.from_lower[Threads::column()];
    Tile<V> tile;
    load_tile(tile, a.has_half() ? a.values.lower : a.values.upper, panel, rows);
    if (has_columns) {
        load_upper_triangle(a, shared, panel);
        Threads::for_rows(width, [&](int row) {
            const V entry = a.values.lower[panel.at(row, row)], pivot = a.has_half() ? V{real(entry)} : entry;
            from_lower[row] = column.solved(0)[panel.begin + row] / pivot;
            if (Threads::column() == 0) {
                shared.upper.pivots[row] = pivot;
            }
        });
    }
    Threads::for_rows_of_waves(rows.count, [&](int row) {
        const V value = plus_awaited<1>(
            V{}, [&](int) { return row < rows.count ? column.solved(1) + panel.rows[rows.begin + row] : nullptr; });
        if (row < rows.count) {
            below[row] = value;
        }
    });
    block_barrier();
    multiply_adjoint(tile, a.has_half(), rows.count, shared);
    block_barrier();
    if (!has_columns) {
        Threads::for_rows(is_there ? width : 0,
                          [&](int row) { store_awaited(column.sums(1, task.s, task.tile) + row, vector[row]); });
        return;
    }
    Threads::for_rows_of_waves(width, [&](int row) {
        V sum = row < width ? vector[row] : V{};
        for (int first = 1; first < panel.num_tiles(); first += awaited_at_a_time) {
            sum = plus_awaited<awaited_at_a_time>(sum, [&](int k) {
                return row < width && first + k < panel.num_tiles() ? column.sums(1, task.s, first + k) + row : nullptr;
            });
        }
        if (row < width) {
            vector[row] = from_lower[row] - (a.has_half() ? sum : sum / shared.upper.pivots[row]);
        }
    });
    block_barrier();
    solve_triangle(shared, width, false);
    block_barrier();
    Threads::for_rows(is_there ? width : 0, [&](int row) {
        store_awaited(column.solved(1) + panel.begin + row, vector[row]);
        column.x(panel.begin + row) = vector[row];
    });
}

/// Nothing is handed on yet.
template <class V>
__global__ void __launch_bounds__(block_size) clear_room_kernel(SolveRoom<V> room, size_type count)
{
    const size_type k = global_id();
    if (k < 2) {
        room.tickets[k] = 0;
    }
    if (k < count) {
        store_missing(room.values + k);
    }
}

}  // namespace
}  // namespace linden::LINDEN_GPU_NAMESPACE
