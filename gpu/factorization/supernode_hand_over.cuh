#pragma once

#include "gpu/factorization/supernode_tiles.cuh"

/// What blocks of threads hand on to each other in solves by supernodes, and the solve with a block on the diagonal.
namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

/// What blocks hand on to each other in solves for some columns of x.
template <class V>
struct SolveRoom {
    std::uint64_t* tickets;
    V* values;

    explicit SolveRoom(WorkspaceView workspace)
        : tickets(reinterpret_cast<std::uint64_t*>(workspace.data)),
          values(reinterpret_cast<V*>(tickets + 2))
    {
    }
};

template <class V, class I>
struct SupernodeSolve {
    SupernodeView<I> f;
    SupernodeFactors<const V> values;
    DenseView<V> x;
    SolveRoom<V> room;

    __device__ bool has_half() const { return values.upper == nullptr; }
    __host__ __device__ size_type num_sums() const { return f.turns.num_tiles * supernode_tile_rows; }
    __host__ __device__ size_type room_of_column() const { return 2 * (f.n + num_sums()); }
};

/// A column of x, and what blocks hand on for it in solves with L, side 0, and U, side 1.
template <class V, class I>
class SolveColumn {
public:
    __device__ SolveColumn(const SupernodeSolve<V, I>& a, size_type column)
        : a_(a),
          column_(column),
          room_(a.room.values + column * a.room_of_column())
    {
    }
    __device__ V& x(size_type row) const { return a_.x(row, column_); }
    /// n
    __device__ V* solved(int side) const { return room_ + side * a_.f.n; }
    /// Side 0: what is taken from each tile's rows by columns up to the supernode's, side 1: what its rows take from
    /// the supernode's columns.
    __device__ V* sums(int side) const { return room_ + 2 * a_.f.n + side * a_.num_sums(); }
    __device__ V* sums(int side, size_type s, int tile) const
    {
        return sums(side) + (a_.f.turns.tile_ptrs[s] + size_type{tile}) * supernode_tile_rows;
    }

private:
    const SupernodeSolve<V, I>& a_;
    size_type column_;
    V* room_;
};

/// So many children, or tiles, are waited for at a time.
constexpr int awaited_at_a_time = 8;

using Wave = Subgroup<32>;

/// The threads of a block that solves for C columns of x with one tile: so many for each column, whole waves.
template <int C>
struct ColumnThreads {
    static constexpr int size = block_size / C;
    static_assert(size % Wave::size == 0);

    __device__ static int column() { return thread_id() / size; }
    __device__ static int lane() { return thread_id() % size; }
    /// Calls f(row) for rows below `count`, which is at most `most`.
    template <int most = supernode_tile_rows, class F>
    __device__ static void for_rows(int count, const F& f)
    {
        for_rows_of_waves<most>(count, [&](int row) {
            if (row < count) {
                f(row);
            }
        });
    }
    /// The same by whole waves, also for rows that are not there.
    template <int most = supernode_tile_rows, class F>
    __device__ static void for_rows_of_waves(int count, const F& f)
    {
        if constexpr (size >= most) {  // a loop would cost registers
            f(lane());
        } else {
            for (int first = 0; first < count; first += size) {
                f(first + lane());
            }
        }
    }
};

template <class V, class I, int C>
struct SolveShared {
    static constexpr int columns = Tile<V>::columns, rows = columns + supernode_tile_rows;
    struct OfUpper {
        V from_lower[C][columns], pivots[columns];
    };
    V triangle[columns][columns + 1];  ///< with zeros where it has no entries, and on its diagonal
    V vector[C][rows];
    V below[C][supernode_tile_rows];
    union {
        I places[awaited_at_a_time][rows];  ///< of what is awaited
        V parts[C][Tile<V>::groups][supernode_tile_rows];
        OfUpper upper;
    };
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

/// A vector of shared memory, that of a thread's column, := for these rows of supernode s's panel, which has so many in
/// all, what its children hand on to them: `sums` of the column, null if there is none.
template <class V, class I, int C>
__device__ void collect_from_children(const SupernodeView<I>& f, const V* sums, SolveShared<V, I, C>& shared,
                                      size_type s, I height, PanelRows rows)
{
    using Threads = ColumnThreads<C>;
    const auto& turns = f.turns;
    const int first = rows.begin, count = rows.count;
    V* const vector = shared.vector[Threads::column()];
    constexpr int most = SolveShared<V, I, C>::rows;
    Threads::template for_rows<most>(count, [&](int k) { vector[k] = V{}; });
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
            const Panel<I> panel(f, child);
            const I below = panel.height - panel.width, lack = height - below;  // row k is in the places k to k + lack
            const I* const places = turns.places + (f.row_ptrs[child] - panel.begin);
            for (I k = (first > lack ? first - lack : 0) + thread_id(); k < below && k < first + count;
                 k += block_size) {
                const I place = places[k] - first;
                if (place >= 0 && place < count) {
                    shared.places[i][place] = turns.tile_ptrs[child] * supernode_tile_rows + k;
                }
            }
        }
        block_barrier();
        Threads::template for_rows_of_waves<most>(count, [&](int k) {
            const V sum = plus_awaited<awaited_at_a_time>(k < count ? vector[k] : V{}, [&](int i) {
                const I place = k < count ? shared.places[i][k] : I{-1};
                return place < 0 || sums == nullptr ? nullptr : sums + place;
            });
            if (k < count) {
                vector[k] = sum;
            }
        });
    }
    block_barrier();
}

/// Solves with the unit triangle in shared memory for the vector of a column, by one wave for each column.
template <class V, class I, int C>
__device__ void solve_triangle(SolveShared<V, I, C>& shared, int width, bool is_lower)
{
    using Threads = ColumnThreads<C>;
    constexpr int count = SolveShared<V, I, C>::columns / Wave::size;
    V* const vector = shared.vector[Threads::column()];
    if (Threads::lane() >= Wave::size) {
        return;
    }
    V x[count];
    LINDEN_UNROLL
    for (int q = 0; q < count; ++q) {
        const int row = Wave::lane() + Wave::size * q;
        x[q] = row < width ? vector[row] : V{};
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
            vector[row] = x[q];
        }
    }
}

/// triangle := entry(row, c) for rows and columns of the triangle, zero elsewhere.
template <class V, class I, int C, class Entry>
__device__ void load_triangle(SolveShared<V, I, C>& shared, bool is_lower, const Entry& entry, int width)
{
    constexpr int columns = Tile<V>::columns;
    for (int k = thread_id(); k < columns * width; k += block_size) {
        const int row = k % columns, c = k / columns;
        const bool is_inside = row < width && (is_lower ? row > c : row < c);
        shared.triangle[row][c] = is_inside ? entry(row, c) : V{};
    }
}

}  // namespace
}  // namespace linden::LINDEN_GPU_NAMESPACE
