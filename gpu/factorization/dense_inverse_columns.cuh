#pragma once

#include "gpu/factorization/dense_inverse_panel.cuh"

/// Pivots of a panel with many rows, by a launch per column. A thread has a row of a copy of the panel, column by
/// column. Rows do not move.
namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

#if defined(LINDEN_HIP_PLATFORM_HOST)
constexpr int column_threads = 64;
#else
constexpr int column_threads = 256;
#endif

/// The best candidate of this block for column `col`, for the launch that eliminates it.
template <class W, class R>
__device__ inline void store_candidate(const Panel<W, R>& panel, int col, bool is_left, size_type row, W value)
{
    LINDEN_SHARED(of_waves, WaveCandidates<column_threads>);
    const Candidate mine{magnitude_of_candidate(is_left, value), static_cast<std::int32_t>(row)};
    const Candidate best = best_in_block<column_threads>(mine, of_waves);
    if (thread_id() == 0) {
        panel.candidates[col % 2 * num_blocks() + block_id()] = best;
    }
}

template <class W, class R>
__global__ void __launch_bounds__(column_threads) copy_panel(Panel<W, R> panel)
{
    const size_type row = global_id();
    const bool has_row = row < panel.num_rows();
    if (has_row) {
        for (int col = 0; col < panel.columns; ++col) {
            panel.copied(row, col) = panel.at(row, col);
        }
        panel.is_taken[row] = 0;
    }
    store_candidate(panel, 0, has_row, row, has_row ? panel.at(row, 0) : W{});
}

/// The pivot of column `col`, of the candidates that the launch before left; in all threads of all blocks.
template <class W, class R>
__device__ inline Candidate best_of_blocks(const Panel<W, R>& panel, int col)
{
    LINDEN_SHARED(of_waves, WaveCandidates<column_threads>);
    const int per_thread = (num_blocks() + column_threads - 1) / column_threads;
    Candidate mine{-1, 0};
    for (int i = thread_id() * per_thread; i < (thread_id() + 1) * per_thread && i < num_blocks(); ++i) {
        const Candidate other = panel.candidates[col % 2 * num_blocks() + i];
        mine = other.magnitude > mine.magnitude ? other : mine;
    }
    return best_in_block<column_threads>(mine, of_waves);
}

template <class W, class R>
__global__ void __launch_bounds__(column_threads) take_column(Panel<W, R> panel, int col)
{
    const Candidate best = best_of_blocks(panel, col);
    const bool is_found = panel.is_pivot(best, col);
    const W inverse = is_found ? W{1} / panel.copied(best.row, col) : W{};
    const size_type row = global_id();
    bool is_left = row < panel.num_rows() && panel.is_taken[row] == 0;
    if (is_left && is_found && row == best.row) {
        panel.is_taken[row] = 1;
        is_left = false;
    }
    W next{};
    if (is_left && col + 1 < panel.columns) {
        next = panel.copied(row, col + 1);
        if (is_found) {
            const W factor = panel.copied(row, col) * inverse;
            next -= factor * panel.copied(best.row, col + 1);
            panel.copied(row, col + 1) = next;
#pragma unroll 8
            for (int j = col + 2; j < panel.columns; ++j) {
                panel.copied(row, j) -= factor * panel.copied(best.row, j);
            }
        }
    }
    store_candidate(panel, col + 1, is_left, row, next);
    if (global_id() == 0) {
        panel.set_pivot(col, is_found, best.row);
        if (col + 1 == panel.columns) {
            fill_pivots(panel.pivots, panel.columns);
        }
    }
}

}  // namespace
}  // namespace linden::LINDEN_GPU_NAMESPACE
