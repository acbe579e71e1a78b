#pragma once

#include "gpu/factorization/supernode_tiles.cuh"

/// Solves with L and U by supernodes: a block of threads has one, and waits for those that it needs.
namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

/// What blocks of a solve tell each other: who takes the next supernode, and which are done, for L and for U.
struct SolveProgress {
    std::uint64_t* tickets;
    std::uint32_t* done[2];

    SolveProgress(const Executor& exec, size_type num_supernodes, WorkspaceView workspace)
        : tickets(reinterpret_cast<std::uint64_t*>(workspace.data)),
          done{reinterpret_cast<std::uint32_t*>(tickets + 2),
               reinterpret_cast<std::uint32_t*>(tickets + 2) + num_supernodes}
    {
        const auto count = static_cast<std::size_t>(num_supernodes);
        exec.state().fill_zero(workspace.data, 2 * (sizeof *tickets + count * sizeof *done[0]));
    }
};

template <class V, class I>
struct SupernodeSolve {
    SupernodeView<I> f;
    SupernodeFactors<const V> values;
    DenseView<V> x;
    SolveProgress progress;

    __device__ V& at(size_type row, size_type j) const { return x.values[row * x.stride + j]; }
};

/// A wave's lanes have the rows lane, lane + 32, ... of a supernode's columns.
using Wave = Subgroup<32>;
constexpr int waves = block_size / Wave::size;

template <class V>
struct SolveShared {
    static constexpr int columns = supernode_tile_columns<V>;
    V triangle[columns][columns + 1];
    V sums[waves][columns];
    V vector[columns];
};

/// sums := sums + L_JK x_K of one source K of supernode J, by a wave. Lanes have rows, and where these are few, several
/// columns, too.
template <class V, class I>
__device__ void add_source(const SupernodeSolve<V, I>& a, const I* source, const Panel<I>& to, size_type j, V* sums)
{
    const Panel<I> from(a.f, source[0]);
    const int begin = static_cast<int>(source[1]), count = static_cast<int>(source[2] - source[1]);
    int size = 1;
    while (size < count && size < Wave::size) {
        size *= 2;
    }
    const int part = Wave::lane() / size, parts = Wave::size / size;
    for (int first = 0; first < count; first += size) {
        const int row = begin + first + Wave::lane() % size;
        const bool is_there = row < begin + count;
        V sum{};
        for (int c = part; c < from.width && is_there; c += parts) {
            sum += a.values.lower[from.at(row, c)] * a.at(from.begin + c, j);
        }
        for (int distance = size; distance < Wave::size; distance *= 2) {
            sum += Wave::shuffle_xor(sum, distance);
        }
        if (part == 0 && is_there) {
            sums[from.rows[row] - to.begin] += sum;
        }
    }
    Wave::sync();
}

/// Solves with the block on the diagonal, whose unit lower triangle, or upper one, is in shared memory, for the values
/// in `vector`. By one wave.
template <class V, class I>
__device__ void solve_triangle(const SupernodeSolve<V, I>& a, SolveShared<V>& shared, const Panel<I>& panel,
                               bool is_lower, size_type j)
{
    constexpr int count = SolveShared<V>::columns / Wave::size;
    V x[count];
    LINDEN_UNROLL
    for (int q = 0; q < count; ++q) {
        const int row = Wave::lane() + Wave::size * q;
        x[q] = row < panel.width ? shared.vector[row] : V{};
    }
    LINDEN_UNROLL
    for (int step = 0; step < count; ++step) {
        const int q = is_lower ? step : count - 1 - step;
        for (int k = 0; k < Wave::size; ++k) {
            const int lane = is_lower ? k : Wave::size - 1 - k, c = lane + Wave::size * q;
            if (c >= panel.width) {
                continue;
            }
            V mine{};
            LINDEN_UNROLL
            for (int other = 0; other < count; ++other) {
                if (other == q) {
                    mine = x[other];
                }
            }
            if (!is_lower && a.values.upper != nullptr) {
                mine /= shared.triangle[c][c];
            }
            const V value = Wave::shuffle(mine, lane);
            LINDEN_UNROLL
            for (int other = 0; other < count; ++other) {
                const int row = Wave::lane() + Wave::size * other;
                const bool is_left = is_lower ? row > c : row < c;
                x[other] -= is_left && row < panel.width ? shared.triangle[row][c] * value : V{};
                if (row == c) {
                    x[other] = value;
                }
            }
        }
    }
    LINDEN_UNROLL
    for (int q = 0; q < count; ++q) {
        const int row = Wave::lane() + Wave::size * q;
        if (row < panel.width) {
            a.at(panel.begin + row, j) = x[q];
        }
    }
}

/// x := L^-1 x.
template <class V, class I>
__global__ void __launch_bounds__(block_size, blocks_on_cuda(4)) lower_kernel(SupernodeSolve<V, I> a)
{
    LINDEN_SHARED(shared, SolveShared<V>);
    const size_type s = a.f.turns.order[next_in_turn<block_size, block_size>(a.progress.tickets)];
    const Panel<I> panel(a.f, s);
    for (int k = thread_id(); k < panel.width * panel.width; k += block_size) {
        const int row = k % panel.width, c = k / panel.width;
        if (row > c) {
            shared.triangle[row][c] = a.values.lower[panel.at(row, c)];
        }
    }
    const int wave = thread_id() / Wave::size;
    for (size_type j = 0; j < a.x.cols; ++j) {
        block_barrier();
        for (int c = Wave::lane(); c < panel.width; c += Wave::size) {
            shared.sums[wave][c] = V{};
        }
        Wave::sync();
        for (size_type source = a.f.source_ptrs[s] + wave; source < a.f.source_ptrs[s + 1]; source += waves) {
            const I* const of_source = a.f.sources + 3 * source;
            await<Wave>(a.progress.done[0] + of_source[0], 1);
            add_source(a, of_source, panel, j, shared.sums[wave]);
        }
        block_barrier();
        for (int c = thread_id(); c < panel.width; c += block_size) {
            V value = a.at(panel.begin + c, j);
            for (int w = 0; w < waves; ++w) {
                value -= shared.sums[w][c];
            }
            shared.vector[c] = value;
        }
        block_barrier();
        if (wave == 0) {
            solve_triangle(a, shared, panel, true, j);
        }
    }
    count_task(a.progress.done[0] + s);
}

/// Columns of U^T that a wave multiplies at a time, so that it reads rows of x once for all of them.
constexpr int columns_at_a_time = 4;

/// vector := the rows of x that are a supernode's columns `first`, ..., over D where U is D L^H, less what the rows
/// below them take. By a wave.
template <class V, class I>
__device__ void subtract_rows_below(const SupernodeSolve<V, I>& a, SolveShared<V>& shared, const Panel<I>& panel,
                                    int first, size_type j)
{
    constexpr int count = columns_at_a_time;
    const bool has_half = a.values.upper == nullptr;
    const V* const u = has_half ? a.values.lower : a.values.upper;
    V sums[count] = {};
    for (I i = panel.width + static_cast<I>(Wave::lane()); i < panel.height; i += Wave::size) {
        const V value = a.at(panel.rows[i], j);
        LINDEN_UNROLL
        for (int q = 0; q < count; ++q) {
            const V entry = first + q < panel.width ? u[panel.at(i, first + q)] : V{};
            sums[q] += (has_half ? conj(entry) : entry) * value;
        }
    }
    LINDEN_UNROLL
    for (int q = 0; q < count; ++q) {
        const V sum = Wave::sum(sums[q]);
        const int c = first + q;
        if (Wave::lane() == 0 && c < panel.width) {
            const V value = a.at(panel.begin + c, j);
            shared.vector[c] = (has_half ? value / real(a.values.lower[panel.at(c, c)]) : value) - sum;
        }
    }
}

/// x := U^-1 x.
template <class V, class I>
__global__ void __launch_bounds__(block_size, blocks_on_cuda(4)) upper_kernel(SupernodeSolve<V, I> a)
{
    LINDEN_SHARED(shared, SolveShared<V>);
    const size_type turn = next_in_turn<block_size, block_size>(a.progress.tickets + 1);
    const size_type s = a.f.turns.order[a.f.num_supernodes - 1 - turn];
    const Panel<I> panel(a.f, s);
    const bool has_half = a.values.upper == nullptr;
    for (int k = thread_id(); k < panel.width * panel.width; k += block_size) {
        const int c = k % panel.width, row = k / panel.width;
        if (c > row) {
            const V entry = (has_half ? a.values.lower : a.values.upper)[panel.at(c, row)];
            shared.triangle[row][c] = has_half ? conj(entry) : entry;
        } else if (c == row) {
            shared.triangle[row][c] = a.values.lower[panel.at(c, c)];
        }
    }
    const I parent = a.f.turns.parents[s];
    if (parent >= 0) {
        await<Wave>(a.progress.done[1] + parent, 1);
    }
    const int wave = thread_id() / Wave::size;
    for (size_type j = 0; j < a.x.cols; ++j) {
        block_barrier();
        for (int c = columns_at_a_time * wave; c < panel.width; c += columns_at_a_time * waves) {
            subtract_rows_below(a, shared, panel, c, j);
        }
        block_barrier();
        if (wave == 0) {
            solve_triangle(a, shared, panel, false, j);
        }
    }
    count_task(a.progress.done[1] + s);
}

}  // namespace
}  // namespace linden::LINDEN_GPU_NAMESPACE
