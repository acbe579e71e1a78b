#pragma once

#include "gpu/factorization/supernode_tiles.cuh"

/// What blocks of threads hand on to each other in solves by supernodes, and the solve with a block on the diagonal.
namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

/// What blocks hand on to each other in solves with L, [0], and U, [1].
template <class V>
struct SolveRoom {
    std::uint64_t* tickets;
    V* solved[2];  ///< n
    V* sums[2];    ///< for each tile: [0]: what is taken from its rows by columns up to the supernode's, [1]: what its
                   ///< rows take from the supernode's columns

    SolveRoom(size_type n, size_type num_tiles, WorkspaceView workspace)
        : tickets(reinterpret_cast<std::uint64_t*>(workspace.data)),
          solved{reinterpret_cast<V*>(tickets + 2), reinterpret_cast<V*>(tickets + 2) + n},
          sums{solved[1] + n, solved[1] + n + num_tiles * supernode_tile_rows}
    {
    }
};

template <class V, class I>
struct SupernodeSolve {
    SupernodeView<I> f;
    SupernodeFactors<const V> values;
    V* x;
    size_type stride;
    SolveRoom<V> room;

    __device__ bool has_half() const { return values.upper == nullptr; }
    __device__ V* sums(int side, size_type s, int tile) const
    {
        return room.sums[side] + (f.turns.tile_ptrs[s] + size_type{tile}) * supernode_tile_rows;
    }
};

/// So many children, or tiles, are waited for at a time.
constexpr int awaited_at_a_time = 8;

using Wave = Subgroup<32>;

template <class V, class I>
struct SolveShared {
    static constexpr int columns = Tile<V>::columns, rows = columns + supernode_tile_rows;
    V triangle[columns][columns + 1];  ///< with zeros where it has no entries, and on its diagonal
    V vector[rows];
    V parts[Tile<V>::groups][supernode_tile_rows];
    I places[awaited_at_a_time][rows];  ///< of what is awaited
};

/// sum + the values at(0), at(1), ..., in this order, once they are there; at(k) is nullptr where there is none. By all
/// lanes of a wave.
template <int count, class V, class At>
__device__ V plus_awaited(V sum, const At& at)
{
    V values[count];
    const auto are_there = [&] {
        bool all = true;
        LINDEN_UNROLL
        for (int k = 0; k < count; ++k) {
            const V* const p = at(k);
            values[k] = V{};
            all = (p == nullptr || load_awaited(p, values[k])) && all;
        }
        return all;
    };
    while (!Wave::all(are_there())) {
        rest_unless<Wave>(false);
    }
    LINDEN_UNROLL
    for (int k = 0; k < count; ++k) {
        sum += values[k];
    }
    return sum;
}

/// vector := for `count` rows of supernode s's panel from `first` on what its children hand on to them.
template <class V, class I>
__device__ void collect_from_children(const SupernodeSolve<V, I>& a, SolveShared<V, I>& shared, size_type s, I height,
                                      int first, int count)
{
    const auto& turns = a.f.turns;
    for (int k = thread_id(); k < count; k += block_size) {
        shared.vector[k] = V{};
    }
    for (I begin = turns.child_ptrs[s]; begin < turns.child_ptrs[s + 1]; begin += awaited_at_a_time) {
        block_barrier();
        for (int i = 0; i < awaited_at_a_time; ++i) {
            for (int k = thread_id(); k < count; k += block_size) {
                shared.places[i][k] = -1;
            }
        }
        block_barrier();
        for (int i = 0; i < awaited_at_a_time && begin + i < turns.child_ptrs[s + 1]; ++i) {
            const size_type child = turns.children[begin + i];
            const Panel<I> panel(a.f, child);
            const I below = panel.height - panel.width, lack = height - below;  // row k is in the places k to k + lack
            const I* const places = turns.places + (a.f.row_ptrs[child] - panel.begin);
            for (I k = (first > lack ? first - lack : 0) + thread_id(); k < below && k < first + count;
                 k += block_size) {
                const I place = places[k] - first;
                if (place >= 0 && place < count) {
                    shared.places[i][place] = turns.tile_ptrs[child] * supernode_tile_rows + k;
                }
            }
        }
        block_barrier();
        for (int rows = 0; rows < count; rows += block_size) {
            const int k = rows + thread_id();
            const V sum = plus_awaited<awaited_at_a_time>(k < count ? shared.vector[k] : V{}, [&](int i) {
                const I place = k < count ? shared.places[i][k] : I{-1};
                return place < 0 ? nullptr : a.room.sums[0] + place;
            });
            if (k < count) {
                shared.vector[k] = sum;
            }
        }
    }
    block_barrier();
}

/// Solves with the unit triangle in shared memory for `vector`, by one wave.
template <class V, class I>
__device__ void solve_triangle(SolveShared<V, I>& shared, int width, bool is_lower)
{
    constexpr int count = SolveShared<V, I>::columns / Wave::size;
    V x[count];
    LINDEN_UNROLL
    for (int q = 0; q < count; ++q) {
        const int row = Wave::lane() + Wave::size * q;
        x[q] = row < width ? shared.vector[row] : V{};
    }
    LINDEN_UNROLL
    for (int step = 0; step < count; ++step) {
        const int q = is_lower ? step : count - 1 - step, left = width - Wave::size * q;
        const int size = left < Wave::size ? left : Wave::size;
        for (int k = 0; k < size; ++k) {
            const int lane = is_lower ? k : size - 1 - k;
            V mine = x[0];
            LINDEN_UNROLL
            for (int other = 1; other < count; ++other) {
                mine = other == q ? x[other] : mine;
            }
            const V value = Wave::shuffle(mine, lane);
            LINDEN_UNROLL
            for (int other = 0; other < count; ++other) {
                x[other] -= shared.triangle[Wave::lane() + Wave::size * other][lane + Wave::size * q] * value;
            }
        }
    }
    LINDEN_UNROLL
    for (int q = 0; q < count; ++q) {
        const int row = Wave::lane() + Wave::size * q;
        if (row < width) {
            shared.vector[row] = x[q];
        }
    }
}

/// triangle := entry(row, c) for rows and columns of the triangle, zero elsewhere.
template <class V, class I, class Entry>
__device__ void load_triangle(SolveShared<V, I>& shared, bool is_lower, const Entry& entry, int width)
{
    constexpr int columns = SolveShared<V, I>::columns;
    for (int k = thread_id(); k < columns * width; k += block_size) {
        const int row = k % columns, c = k / columns;
        const bool is_inside = row < width && (is_lower ? row > c : row < c);
        shared.triangle[row][c] = is_inside ? entry(row, c) : V{};
    }
}

}  // namespace
}  // namespace linden::LINDEN_GPU_NAMESPACE
