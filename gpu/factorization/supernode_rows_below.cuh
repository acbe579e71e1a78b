#pragma once

#include "gpu/factorization/supernode_updates.cuh"

/// The rows of a supernode below those of its columns, tile by tile.
namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

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

/// Subtracts from tile `number` of supernode s what a part of its sources does.
template <class V, class I>
__device__ void update_tile(const Factorization<V, I>& a, Shared<V, I>& shared, size_type s, int number, int part)
{
    const TileBelow<V, I> below(a, s, number);
    for (int r = thread_id(); r < below.num_rows; r += block_size) {
        shared.rows[r] = below.panel.rows[below.begin + r];
    }
    Tile<V> tile;
    V* const values = below.values(a);
    const V* const right = a.has_half() || below.is_upper ? a.values.lower : a.values.upper;
    subtract_sources(a, shared, a.f.turns.part_ptrs[s] + part, {values, right, below.panel.begin}, below.num_rows,
                     tile);
    await<typename Tile<V>::Lanes>(a.updated(s, number), part);
    tile.for_each(below.num_rows, below.panel.width,
                  [&](int row, int c, V& sum) { values[below.panel.at(below.begin + row, c)] += sum; });
    count_task(a.updated(s, number));
}

/// Tile `number` of supernode s := that times U^-1, or of U^T that times L^-T, of the block on the diagonal.
template <class V, class I>
__device__ void solve_tile(const Factorization<V, I>& a, Shared<V, I>& shared, size_type s, int number)
{
    const TileBelow<V, I> below(a, s, number);
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
        block.vector[c] = a.values.lower[panel.at(c, c)];
    }
    V* const values = below.values(a);
    Tile<V> tile;
    tile.for_each(below.num_rows, width,
                  [&](int row, int c, V& value) { value = values[panel.at(below.begin + row, c)]; });
    block_barrier();
    for (int c = 0; c < width; ++c) {
        V* const solved = block.solved[c & 1];
        if (Tile<V>::has_column(c)) {
            LINDEN_UNROLL
            for (int q = 0; q < Tile<V>::num_rows; ++q) {
                const int row = tile.row(q);
                const V value = below.is_upper ? V{tile.of[q][0]} : tile.of[q][0] / block.vector[c];
                solved[row] = value;
                if (row < below.num_rows) {
                    values[panel.at(below.begin + row, c)] = value;
                }
            }
        }
        block_barrier();
        tile.subtract([&](int row) { return solved[row]; },
                      [&](int column) { return column < Tile<V>::columns ? block.of[c][column] : V{}; });
        tile.drop_columns_before(c + 1);
    }
    count_task(a.progress.solved + s);
}

}  // namespace
}  // namespace linden::LINDEN_GPU_NAMESPACE
