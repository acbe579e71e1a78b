#pragma once

#include "gpu/factorization/supernode_updates.cuh"

/// The rows of a supernode below those of its columns, tile by tile.
namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

/// A tile of the rows below those of a supernode's columns, of L or of U^T; or, behind the last tile, the rows of the
/// columns.
template <class V, class I>
struct UpdatedRows {
    Panel<I> panel;
    size_type s;
    int tile;
    bool is_upper, is_of_columns;
    PanelRows rows;

    __device__ UpdatedRows(const Factorization<V, I>& a, size_type supernode, int number)
        : panel(a.f, supernode),
          s(supernode),
          tile(number),
          is_upper(number >= panel.num_tiles() && number < a.num_sides() * panel.num_tiles()),
          is_of_columns(number == a.num_sides() * panel.num_tiles()),
          rows(is_of_columns ? PanelRows{0, panel.width} : panel.tile(number - (is_upper ? panel.num_tiles() : 0)))
    {
    }
    __device__ V* values(const Factorization<V, I>& a) const { return is_upper ? a.values.upper : a.values.lower; }
    /// Adds the tile to them.
    __device__ void add(const Factorization<V, I>& a, Tile<V>& added) const
    {
        V* const to = values(a);
        added.for_each(rows.count, panel.width, [&](int row, int c, V& sum) {
            if (!is_of_columns || row >= c) {
                to[panel.at(rows.begin + row, c)] += sum;
            } else if (!a.has_half()) {
                a.values.upper[panel.at(c, row)] += sum;
            }
        });
    }
};

/// Tile `number` of supernode s := that times U^-1, or of U^T that times L^-T, of the block on the diagonal. The first
/// column that a thread has left is kept up to date, its others once all groups' first ones are solved.
template <class V, class I>
__device__ void solve_tile(const Factorization<V, I>& a, Shared<V, I>& shared, size_type s, int number)
{
    const UpdatedRows<V, I> below(a, s, number);
    const auto& panel = below.panel;
    auto& block = shared.block;
    await<typename Tile<V>::Lanes>(a.progress.factorized + s, 1);
    await<typename Tile<V>::Lanes>(a.updated(s, number), a.num_parts(s));
    const int width = panel.width;
    const V* const triangle = a.has_half() || below.is_upper ? a.values.lower : a.values.upper;
    for (int k = thread_id(); k < width * width; k += block_size) {
        const int c = k % width, m = k / width;
        const V value = m < c ? triangle[panel.at(c, m)] : V{};
        block.of[m][c] = a.has_half() ? real(a.values.lower[panel.at(m, m)]) * conj(value) : value;
    }
    for (int c = thread_id(); c < width; c += block_size) {
        block.vector[c] = V{1} / (below.is_upper ? V{1} : V{a.values.lower[panel.at(c, c)]});
    }
    V* const values = below.values(a);
    Tile<V> tile;
    load_tile(tile, values, panel, below.rows);
    block_barrier();
    for (int first = 0; first < width; first += Tile<V>::groups) {
        const int count = width - first < Tile<V>::groups ? width - first : Tile<V>::groups;
        for (int k = 0; k < count; ++k) {
            V* const solved = block.solved[k];
            if (Tile<V>::group() == k) {
                LINDEN_UNROLL
                for (int q = 0; q < Tile<V>::num_rows; ++q) {
                    const int row = tile.row(q);
                    solved[row] = tile.of[q][0] * block.vector[first + k];
                    if (row < below.rows.count) {
                        values[panel.at(below.rows.begin + row, first + k)] = solved[row];
                    }
                }
            }
            block_barrier();
            tile.template subtract<0, Tile<V>::num_rows, 0, 1>([&](int row) { return solved[row]; },
                                                               [&](int c) { return block.of[first + k][c]; });
        }
        for (int k = 0; k < count; ++k) {
            tile.template subtract<0, Tile<V>::num_rows, 1>(
                [&](int row) { return block.solved[k][row]; },
                [&](int c) { return c < Tile<V>::columns ? block.of[first + k][c] : V{}; });
        }
        block_barrier();
        tile.drop_columns_before(first + Tile<V>::groups);
    }
    count_task(a.progress.solved + s);
}

}  // namespace
}  // namespace linden::LINDEN_GPU_NAMESPACE
