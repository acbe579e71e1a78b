#pragma once

#include "gpu/factorization/supernode_hand_over.cuh"

/// Solves with L and U by supernodes. A block of threads has a tile of the rows below those of a supernode's columns in
/// registers before it waits for what it multiplies; the block of the first tile has the columns, too.
namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

/// What a block begins with: its supernode and tile.
template <class I>
struct SolveTask {
    size_type s;
    int tile;

    __device__ SolveTask(const SupernodeTurns<I>& turns, size_type turn)
        : s(turns.solves[2 * turn]),
          tile(static_cast<int>(turns.solves[2 * turn + 1]))
    {
    }
};

/// solved[0] := L^-1 x.
template <class V, class I>
__global__ void __launch_bounds__(block_size, blocks_on_cuda(sizeof(V) > 8 ? 3 : 4))
    lower_kernel(SupernodeSolve<V, I> a)
{
    LINDEN_SHARED(shared, SolveShared<V, I>);
    const SolveTask<I> task(a.f.turns, next_in_turn<block_size, block_size>(a.room.tickets));
    const Panel<I> panel(a.f, task.s);
    const PanelRows rows = panel.tile(task.tile);
    const bool has_columns = task.tile == 0;
    const int width = panel.width, before = has_columns ? width : 0;
    V* const solved = a.room.solved[0] + panel.begin;
    Tile<V> tile;
    load_tile(tile, a.values.lower, panel, rows);
    if (has_columns) {
        load_triangle(
            shared, true, [&](int row, int c) { return a.values.lower[panel.at(row, c)]; }, width);
    }
    collect_from_children(a, shared, task.s, panel.height, rows.begin - before, before + rows.count);
    const int row = thread_id();
    const V below = row < rows.count ? shared.vector[before + row] : V{};
    block_barrier();
    static_assert(block_size >= supernode_tile_rows && block_size >= Tile<V>::columns);
    if (has_columns) {
        if (row < width) {
            shared.vector[row] = a.x[(panel.begin + row) * a.stride] - shared.vector[row];
        }
        block_barrier();
        if (row < Wave::size) {
            solve_triangle(shared, width, true);
        }
        block_barrier();
        if (row < width) {
            store_awaited(solved + row, shared.vector[row]);
        }
    } else {
        const V value = plus_awaited<1>(V{}, [&](int) { return row < width ? solved + row : nullptr; });
        if (row < width) {
            shared.vector[row] = value;
        }
        block_barrier();
    }
    LINDEN_UNROLL
    for (int k = 0; k < Tile<V>::num_rows; ++k) {
        V sum{};
        LINDEN_UNROLL
        for (int b = 0; b < Tile<V>::num_columns; ++b) {
            sum += tile.column(b) < width ? tile.of[k][b] * shared.vector[tile.column(b)] : V{};
        }
        shared.parts[Tile<V>::group()][tile.row(k)] = sum;
    }
    block_barrier();
    if (row < rows.count) {
        V sum = below;
        LINDEN_UNROLL
        for (int group = 0; group < Tile<V>::groups; ++group) {
            sum += shared.parts[group][row];
        }
        store_awaited(a.sums(0, task.s, task.tile) + row, sum);
    }
}

/// vector := the adjoint of a tile of L, or a tile of U, times parts[0]. Ends with a barrier.
template <class V, class I>
__device__ void multiply_adjoint(const SupernodeSolve<V, I>& a, SolveShared<V, I>& shared, const Tile<V>& tile,
                                 int num_rows)
{
    LINDEN_UNROLL
    for (int b = 0; b < Tile<V>::num_columns; ++b) {
        V sum{};
        LINDEN_UNROLL
        for (int k = 0; k < Tile<V>::num_rows; ++k) {
            const V entry = a.has_half() ? conj(tile.of[k][b]) : tile.of[k][b];
            sum += tile.row(k) < num_rows ? entry * shared.parts[0][tile.row(k)] : V{};
        }
        sum = Tile<V>::Lanes::sum(sum);
        if (Tile<V>::Lanes::lane() == 0) {
            shared.vector[tile.column(b)] = sum;
        }
    }
    block_barrier();
}

/// The upper triangle of the block on the diagonal, its rows divided by their pivots.
template <class V, class I>
__device__ void load_upper_triangle(const SupernodeSolve<V, I>& a, SolveShared<V, I>& shared, const Panel<I>& panel)
{
    const auto entry = [&](int row, int c) {
        return a.has_half() ? conj(a.values.lower[panel.at(c, row)])
                            : a.values.upper[panel.at(c, row)] / a.values.lower[panel.at(row, row)];
    };
    load_triangle(shared, false, entry, panel.width);
}

/// x := U^-1 solved[0].
template <class V, class I>
__global__ void __launch_bounds__(block_size, blocks_on_cuda(sizeof(V) > 8 ? 3 : 4))
    upper_kernel(SupernodeSolve<V, I> a)
{
    LINDEN_SHARED(shared, SolveShared<V, I>);
    const size_type turn = a.f.turns.num_solves - 1 - next_in_turn<block_size, block_size>(a.room.tickets + 1);
    const SolveTask<I> task(a.f.turns, turn);
    const Panel<I> panel(a.f, task.s);
    const PanelRows rows = panel.tile(task.tile);
    const bool has_columns = task.tile == 0;
    const int width = panel.width, row = thread_id();
    Tile<V> tile;
    load_tile(tile, a.has_half() ? a.values.lower : a.values.upper, panel, rows);
    V pivot{1}, from_lower{};
    if (has_columns) {
        load_upper_triangle(a, shared, panel);
        if (row < width) {
            const V entry = a.values.lower[panel.at(row, row)];
            pivot = a.has_half() ? V{real(entry)} : entry;
            from_lower = a.room.solved[0][panel.begin + row] / pivot;
        }
    }
    const V below = plus_awaited<1>(
        V{}, [&](int) { return row < rows.count ? a.room.solved[1] + panel.rows[rows.begin + row] : nullptr; });
    if (row < rows.count) {
        shared.parts[0][row] = below;
    }
    block_barrier();
    multiply_adjoint(a, shared, tile, rows.count);
    if (!has_columns) {
        if (row < width) {
            store_awaited(a.sums(1, task.s, task.tile) + row, shared.vector[row]);
        }
        return;
    }
    V sum = row < width ? shared.vector[row] : V{};
    for (int first = 1; first < panel.num_tiles(); first += awaited_at_a_time) {
        sum = plus_awaited<awaited_at_a_time>(sum, [&](int k) {
            return row < width && first + k < panel.num_tiles() ? a.sums(1, task.s, first + k) + row : nullptr;
        });
    }
    if (row < width) {
        shared.vector[row] = from_lower - (a.has_half() ? sum : sum / pivot);
    }
    block_barrier();
    if (row < Wave::size) {
        solve_triangle(shared, width, false);
    }
    block_barrier();
    if (row < width) {
        store_awaited(a.room.solved[1] + panel.begin + row, shared.vector[row]);
        a.x[(panel.begin + row) * a.stride] = shared.vector[row];
    }
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
        store_missing(room.solved[0] + k);
    }
}

}  // namespace
}  // namespace linden::LINDEN_GPU_NAMESPACE
