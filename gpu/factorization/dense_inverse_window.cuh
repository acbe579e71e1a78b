#pragma once

#include "gpu/factorization/dense_inverse_panel.cuh"

/// Pivots of a panel with few rows, by one block of threads. It has the rows in registers, a window of columns at a
/// time, which moves on by a column with each pivot. Rows do not move.
namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

#if defined(LINDEN_HIP_PLATFORM_HOST)
constexpr int panel_threads = 64;
#else
constexpr int panel_threads = 512;
#endif
constexpr int rows_per_thread = 2;
/// Rows of a panel that one block of threads has.
constexpr size_type most_panel_rows = panel_threads * rows_per_thread;
/// Columns that it has in registers at a time.
template <class W>
constexpr int window_columns = sizeof(W) == 8 ? 16 : 8;

/// The rows of a thread in the search by one block, and what the block shares.
template <class W, class R>
struct PanelSearch {
    static constexpr int width = window_columns<W>;
    static constexpr int q = rows_per_thread;
    struct Shared {
        WaveCandidates<panel_threads> candidates[2];
        W pivot_row[width];               ///< its first entry inverted
        W lower[block_rows][block_rows];  ///< L of the pivots' rows
        W upper[block_rows][width];       ///< U of the pivots' rows, in the columns of the window
        std::int32_t pivots[block_rows];
    };

    const Panel<W, R>& panel;
    Shared& shared;
    W window[q][width] = {};  ///< columns not yet eliminated, in front
    int pivot_of[q];          ///< the column whose pivot it is, or -1
    int num_rows;

    __device__ PanelSearch(const Panel<W, R>& of, Shared& in)
        : panel(of),
          shared(in),
          num_rows(static_cast<int>(of.num_rows()))
    {
        LINDEN_UNROLL
        for (int r = 0; r < q; ++r) {
            pivot_of[r] = -1;
        }
        for (int k = thread_id(); k < block_rows * block_rows; k += panel_threads) {
            shared.lower[k / block_rows][k % block_rows] = W{};
        }
        block_barrier();
    }

    __device__ int row(int r) const { return thread_id() * q + r; }
    __device__ bool is_left(int r) const { return row(r) < num_rows && pivot_of[r] < 0; }

    /// U of the pivots so far in the columns first_col, ..., of which the first wave solves for a few at a time.
    __device__ void solve_upper(int first_col)
    {
        block_barrier();  // all of L is there
        for (int k = thread_id(); k < first_col * width; k += panel_threads) {
            const int c = k / width, col = first_col + k % width;
            const bool has_entry = shared.pivots[c] >= 0 && col < panel.columns;
            shared.upper[c][k % width] = has_entry ? panel.at(shared.pivots[c], col) : W{};
        }
        block_barrier();
        if (thread_id() < Wave::size) {
            const int j = Wave::lane() % width;
            for (int c = 0; c < first_col; ++c) {
                const W value = shared.upper[c][j];
                for (int i = c + 1 + Wave::lane() / width; i < first_col; i += Wave::size / width) {
                    shared.upper[i][j] -= shared.lower[i][c] * value;
                }
                Wave::sync();
            }
        }
        block_barrier();
    }

    /// Brings columns first_col, ... of the thread's rows into the window, with the pivots so far eliminated.
    __device__ void load_window(int first_col)
    {
        if (first_col != 0) {
            solve_upper(first_col);
        }
        LINDEN_UNROLL
        for (int r = 0; r < q; ++r) {
            if (!is_left(r)) {
                continue;
            }
            LINDEN_UNROLL
            for (int j = 0; j < width; ++j) {
                window[r][j] = first_col + j < panel.columns ? panel.at(row(r), first_col + j) : W{};
            }
            for (int c = 0; c < first_col; ++c) {
                const W factor = panel.copied(row(r), c);
                LINDEN_UNROLL
                for (int j = 0; j < width; ++j) {
                    window[r][j] -= factor * shared.upper[c][j];
                }
            }
        }
    }

    __device__ Candidate best_of_thread() const
    {
        Candidate mine{-1, 0};
        LINDEN_UNROLL
        for (int r = 0; r < q; ++r) {
            const double size = magnitude_of_candidate(is_left(r), window[r][0]);
            mine = size > mine.magnitude ? Candidate{size, row(r)} : mine;
        }
        return mine;
    }

    /// Finds the pivot of column `col`, the window's first, and eliminates it. Factors go to the panel's copy.
    __device__ void take_column(int col)
    {
        const Candidate best = best_in_block<panel_threads>(best_of_thread(), shared.candidates[col % 2]);
        const bool is_found = panel.is_pivot(best, col);
        if (thread_id() == 0) {
            shared.pivots[col] = is_found ? best.row : -1;
            panel.set_pivot(col, is_found, best.row);
        }
        LINDEN_UNROLL
        for (int r = 0; r < q; ++r) {
            if (is_found && row(r) == best.row) {
                publish(r, col);
            }
        }
        block_barrier();
        LINDEN_UNROLL
        for (int r = 0; r < q; ++r) {
            if (is_left(r)) {
                const W factor = is_found ? window[r][0] * shared.pivot_row[0] : W{};
                panel.copied(row(r), col) = factor;
                LINDEN_UNROLL
                for (int j = 1; j < width; ++j) {
                    window[r][j - 1] = is_found ? window[r][j] - factor * shared.pivot_row[j] : window[r][j];
                }
            }
        }
    }

    /// Row r of the thread becomes the pivot of column `col`.
    __device__ void publish(int r, int col)
    {
        pivot_of[r] = col;
        shared.pivot_row[0] = W{1} / window[r][0];
        LINDEN_UNROLL
        for (int j = 1; j < width; ++j) {
            shared.pivot_row[j] = window[r][j];
        }
    }

    /// Rows that have become pivots since column first_col leave their factors.
    __device__ void store_lower(int first_col)
    {
        for (int r = 0; r < q; ++r) {
            for (int c = 0; pivot_of[r] >= first_col && c < pivot_of[r]; ++c) {
                shared.lower[pivot_of[r]][c] = panel.copied(row(r), c);
            }
        }
    }
};

template <class W, class R>
__global__ void __launch_bounds__(panel_threads) find_pivots_in_block(Panel<W, R> panel)
{
    LINDEN_SHARED(shared, typename PanelSearch<W, R>::Shared);
    PanelSearch<W, R> search(panel, shared);
    for (int first_col = 0; first_col < panel.columns; first_col += search.width) {
        search.load_window(first_col);
        for (int col = first_col; col < panel.columns && col < first_col + search.width; ++col) {
            search.take_column(col);
        }
        search.store_lower(first_col);
    }
    if (thread_id() == 0) {
        fill_pivots(panel.pivots, panel.columns);
    }
}

}  // namespace
}  // namespace linden::LINDEN_GPU_NAMESPACE
