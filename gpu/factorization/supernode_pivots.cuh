#pragma once

#include "gpu/device/reduce.cuh"
#include "gpu/factorization/supernode_updates.cuh"

/// The rows of a supernode's columns: a dense matrix that is factorized in registers, L and U of whose finished rows
/// and columns are in shared memory.
namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

/// g_k := l_ck - sum of g_m l_mk over k < m < c, by which u_ci := u_ci - sum of g_k u_ki takes rows k < c of a matrix
/// that is not eliminated yet. By 32 lanes.
template <class V, class I>
__device__ void find_factors_of_row(Shared<V, I>& shared, int c)
{
    using Wave = Subgroup<32>;
    constexpr int count = Shared<V, I>::columns / Wave::size;
    auto& block = shared.block;
    V g[count];
    LINDEN_UNROLL
    for (int q = 0; q < count; ++q) {
        const int k = Wave::lane() + Wave::size * q;
        g[q] = k < c ? block.of[c][k] : V{};
    }
    LINDEN_UNROLL
    for (int q = count - 1; q >= 0; --q) {
        for (int lane = Wave::size - 1; lane >= 0; --lane) {
            const int m = lane + Wave::size * q;
            if (m >= c) {
                continue;
            }
            const V factor = Wave::shuffle(g[q], lane);
            LINDEN_UNROLL
            for (int other = 0; other < count; ++other) {
                const int k = Wave::lane() + Wave::size * other;
                g[other] -= k < m ? factor * block.of[m][k] : V{};
            }
        }
    }
    LINDEN_UNROLL
    for (int q = 0; q < count; ++q) {
        block.vector[Wave::lane() + Wave::size * q] = g[q];
    }
}

/// The largest magnitude of row c of U right of its diagonal, in thread 0. Rows of the panel below those of its columns
/// are not eliminated yet.
template <class V, class I>
__device__ device_real<V> largest_right_of(const Factorization<V, I>& a, Shared<V, I>& shared, const Panel<I>& panel,
                                           int c)
{
    using R = device_real<V>;
    if (thread_id() < 32) {
        find_factors_of_row(shared, c);
    }
    block_barrier();
    const auto& block = shared.block;
    const V* const u = a.has_half() ? a.values.lower : a.values.upper;
    R most[1] = {};
    for (int k = c + 1 + thread_id(); k < panel.width; k += block_size) {
        most[0] = Max{}(most[0], abs(block.of[c][k]));
    }
    for (I i = panel.width + static_cast<I>(thread_id()); i < panel.height; i += block_size) {
        V value = u[panel.at(i, c)];
        for (int k = 0; k < c; ++k) {
            value -= (a.has_half() ? conj(block.vector[k]) : block.vector[k]) * u[panel.at(i, k)];
        }
        most[0] = Max{}(most[0], abs(value));
    }
    block_reduce<block_size>(most, Max{});
    return most[0];
}

/// Pivot c, which is small, is looked at, and column c of L formed by it or by what stands in for it. Called by all
/// threads; ends with a barrier.
template <class V, class I>
__device__ void judge_pivot(const Factorization<V, I>& a, Shared<V, I>& shared, const Panel<I>& panel, int c)
{
    auto& block = shared.block;
    const auto largest = a.limits.small > 0 ? largest_right_of(a, shared, panel, c) : device_real<V>{};
    if (thread_id() == 0) {
        const V pivot = block.of[c][c];
        const auto size = pivot_size(pivot, a.limits);
        block.of[c][c] =
            checked_pivot(pivot, size, a.limits, panel.begin + c, size > a.limits.small * largest, a.report);
    }
    block_barrier();
    for (int i = c + 1 + thread_id(); i < panel.width; i += block_size) {
        block.of[i][c] /= block.of[c][c];
    }
    block_barrier();
}

/// Column c of L and row c of U go from registers to shared memory. Column c is not divided by a pivot that has to be
/// looked at.
template <class V, class I>
__device__ void take_column(const Factorization<V, I>& a, Shared<V, I>& shared, const Tile<V>& tile, int c)
{
    using T = Tile<V>;
    auto& block = shared.block;
    if (T::has_column(c)) {
        V pivot = T::Lanes::shuffle(tile.of[0][0], c % T::Lanes::size);
        pivot = a.has_half() ? V{real(pivot)} : pivot;
        const auto size = pivot_size(pivot, a.limits);
        const auto least = a.limits.least > a.limits.small ? a.limits.least : a.limits.small;
        const bool is_fine = size > least * block.norms[c] && is_finite(size);
        if (T::Lanes::lane() == 0) {
            block.of[c][c] = pivot;
            shared.suspects[c & 1] = is_fine ? -1 : c;
        }
        const V factor = V{1} / (is_fine ? pivot : V{1});
        LINDEN_UNROLL
        for (int q = 0; q < T::num_rows; ++q) {
            const int row = tile.row(q);
            if (row > c && row < T::columns) {
                block.of[row][c] = tile.of[q][0] * factor;
            }
        }
    }
    if (T::has_row(c)) {
        LINDEN_UNROLL
        for (int q = 0; q < T::num_columns; ++q) {
            const int column = tile.column(q);
            if (column > c && column < T::columns) {
                block.of[c][column] = tile.of[0][q];
            }
        }
    }
}

/// Waits until all tiles below a supernode's columns are updated. Called by all threads; ends with a barrier.
template <class V, class I>
__device__ void await_tiles(const Factorization<V, I>& a, size_type s, int num_tiles)
{
    using Lanes = typename Tile<V>::Lanes;
    for (int t = Tile<V>::group(); t < num_tiles; t += Tile<V>::groups) {
        await<Lanes>(a.updated(s, t), a.num_parts(s));
    }
    block_barrier();
}

/// The rows of supernode s's columns, less what the tile holds, are factorized and written back. The first row and
/// column that a thread has left are kept up to date, its others once all groups' first columns are done with.
template <class V, class I>
__device__ void factorize_block(const Factorization<V, I>& a, Shared<V, I>& shared, size_type s, Tile<V>& tile)
{
    const Panel<I> panel(a.f, s);
    const int width = panel.width;
    V *const lower = a.values.lower, *const upper = a.values.upper;
    tile.for_each(width, width, [&](int row, int c, V& value) {
        const size_type entry = row >= c ? panel.at(row, c) : panel.at(c, row);
        value += row >= c || upper == nullptr ? (row >= c ? lower[entry] : conj(lower[entry])) : upper[entry];
    });
    if (a.limits.small > 0) {  // then pivots may be compared with what is right of them
        await_tiles(a, s, a.num_sides() * panel.num_tiles());
    }
    auto& block = shared.block;
    for (int c = thread_id(); c < width; c += block_size) {
        block.norms[c] = a.limits.norms[panel.begin + c];
    }
    block_barrier();
    for (int first = 0; first < width; first += Tile<V>::groups) {
        const int end = width - first < Tile<V>::groups ? width : first + Tile<V>::groups;
        for (int c = first; c < end; ++c) {
            take_column(a, shared, tile, c);
            block_barrier();
            if (shared.suspects[c & 1] == c) {
                judge_pivot(a, shared, panel, c);
            }
            const auto left = [&](int row) { return row < Tile<V>::columns ? block.of[row][c] : V{}; };
            const auto right = [&](int column) { return column < Tile<V>::columns ? block.of[c][column] : V{}; };
            tile.template subtract<0, Tile<V>::num_rows, 0, 1>(left, right);
            tile.template subtract<0, 1, 1>(left, right);
        }
        for (int c = first; c < end; ++c) {
            tile.template subtract<1, Tile<V>::num_rows, 1>(
                [&](int row) { return row < Tile<V>::columns ? block.of[row][c] : V{}; },
                [&](int column) { return column < Tile<V>::columns ? block.of[c][column] : V{}; });
        }
        tile.drop_columns_before(end);
        tile.drop_rows_before(end);
    }
    block_barrier();
    for (int k = thread_id(); k < width * width; k += block_size) {
        const int row = k % width, c = k / width;
        if (row >= c) {
            lower[panel.at(row, c)] = block.of[row][c];
        }
        if (row > c && upper != nullptr) {
            upper[panel.at(row, c)] = block.of[c][row];
        }
    }
    count_task(a.progress.factorized + s);
}

}  // namespace
}  // namespace linden::LINDEN_GPU_NAMESPACE
