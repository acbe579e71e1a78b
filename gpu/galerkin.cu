#include "core/kernels/galerkin.hpp"

#include "gpu/bits.cuh"
#include "gpu/elements.cuh"
#include "gpu/reduce.cuh"

/// A step of elimination is two launches: each block of the first inverts the block of the diagonal for itself and
/// forms some columns of R = D E(B, :); the second subtracts E(:, B) R from tiles of E. The first saves E(:, B) beside
/// R, which the tiles of the second would otherwise overwrite for each other.
namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

constexpr int block_rows = galerkin_block_rows;
constexpr int panel_threads = 128;
/// Threads of a tile, in each direction.
constexpr int tile_threads = 16;
/// Rows and columns of a tile that a thread has: what fits into 48 KiB of shared memory.
template <class W>
constexpr int per_thread = sizeof(W) == 8 ? 4 : 2;

using Wave = Subgroup<32>;
static_assert(block_rows == Wave::size);

template <class W, class R>
struct Step {
    W* values;
    const R* scales;
    std::int32_t* is_kept;
    double tolerance;
    W* rows_panel;  ///< R, block_rows x size
    W* cols_panel;  ///< E(:, B), size x block_rows
    size_type size;
    size_type first;
    size_type begin;  ///< rows and columns before stay as they are
    int rows;         ///< of the block

    __device__ W& at(size_type i, size_type j) const { return values[i * size + j]; }
    __device__ bool is_in_block(size_type i) const { return i >= first && i < first + rows; }
};

/// A block of the diagonal, in shared memory.
template <class W>
using DiagonalBlock = W[block_rows][block_rows + 1];

/// The row that is left and whose pivot is largest relative to its scale, or -1 for none, in all lanes of a wave.
template <class W, class R>
__device__ inline int next_pivot(const Step<W, R>& step, const DiagonalBlock<W>& d, const bool (&kept)[block_rows])
{
    const int lane = Wave::lane();
    double mine = -1;
    if (lane < step.rows && !kept[lane]) {
        const double ratio = abs(d[lane][lane]) / static_cast<double>(step.scales[step.first + lane]);
        mine = ratio > step.tolerance && ratio - ratio == 0 ? ratio : mine;
    }
    const double largest = Wave::reduce(mine, Max{});
    const LaneMask holders = Wave::ballot(mine == largest);
    return largest < 0 ? -1 : lowest_bit(static_cast<std::uint32_t>(holders));
}

/// Row p and column p of d change places with those of its inverse.
template <class W>
__device__ inline void exchange(DiagonalBlock<W>& d, int rows, int p)
{
    const W inverse = W{1} / d[p][p];
    block_barrier();
    if (thread_id() < rows) {
        d[p][thread_id()] = thread_id() == p ? inverse : d[p][thread_id()] * inverse;
    }
    block_barrier();
    for (int k = thread_id(); k < rows * block_rows; k += panel_threads) {
        const int i = k / block_rows, j = k % block_rows;
        if (i != p && j != p && j < rows) {
            d[i][j] -= d[i][p] * d[p][j];
        }
    }
    block_barrier();
    if (thread_id() < rows && thread_id() != p) {
        d[thread_id()][p] = -(d[thread_id()][p] * inverse);
    }
    block_barrier();
}

/// d := the inverse of what is kept of the block, with zeros around. Called by all threads.
template <class W, class R>
__device__ inline void invert_block(const Step<W, R>& step, DiagonalBlock<W>& d, bool (&kept)[block_rows])
{
    LINDEN_SHARED(pivot, int);
    for (int k = thread_id(); k < block_rows * block_rows; k += panel_threads) {
        const int i = k / block_rows, j = k % block_rows;
        d[i][j] = i < step.rows && j < step.rows ? step.at(step.first + i, step.first + j) : W{};
    }
    if (thread_id() < block_rows) {
        kept[thread_id()] = false;
    }
    block_barrier();
    for (int n = 0; n < step.rows; ++n) {
        if (thread_id() < Wave::size) {
            const int p = next_pivot(step, d, kept);
            if (thread_id() == 0) {
                pivot = p;
            }
        }
        block_barrier();
        const int p = pivot;
        if (p < 0) {
            break;
        }
        exchange(d, step.rows, p);
        if (thread_id() == 0) {
            kept[p] = true;
        }
        block_barrier();
    }
    for (int k = thread_id(); k < block_rows * block_rows; k += panel_threads) {
        const int i = k / block_rows, j = k % block_rows;
        d[i][j] = kept[i] && kept[j] ? d[i][j] : W{};
    }
    block_barrier();
}

/// R and E(:, B); a thread has a column of the one and a row of the other.
template <class W, class R>
__global__ void __launch_bounds__(panel_threads) form_panels(Step<W, R> step)
{
    LINDEN_SHARED(d, DiagonalBlock<W>);
    LINDEN_SHARED(kept, bool[block_rows]);
    invert_block(step, d, kept);
    if (block_id() == 0 && thread_id() < step.rows) {
        step.is_kept[step.first + thread_id()] = kept[thread_id()] ? 1 : 0;
    }
    const size_type col = step.begin + global_id();
    if (col >= step.size) {
        return;
    }
    W sums[block_rows] = {};
    for (int t = 0; t < step.rows; ++t) {
        const W value = step.at(step.first + t, col);
        LINDEN_UNROLL
        for (int i = 0; i < block_rows; ++i) {
            sums[i] += d[i][t] * value;
        }
    }
    if (step.is_in_block(col)) {
        for (int i = 0; i < step.rows; ++i) {
            step.rows_panel[i * step.size + col] = d[i][col - step.first];
        }
    } else {
        LINDEN_UNROLL
        for (int i = 0; i < block_rows; ++i) {
            if (i < step.rows) {
                step.rows_panel[i * step.size + col] = sums[i];
            }
        }
    }
    for (int t = 0; t < step.rows; ++t) {
        step.cols_panel[col * block_rows + t] = step.at(col, step.first + t);
    }
}

/// E := E - E(:, B) R outside of the block's rows, E(B, :) := R.
template <class W, class R>
__global__ void __launch_bounds__(tile_threads* tile_threads) update_tiles(Step<W, R> step, size_type tiles)
{
    constexpr int n = per_thread<W>;
    constexpr int tile = n * tile_threads;
    LINDEN_SHARED(left, W[tile][block_rows + 1]);
    LINDEN_SHARED(right, W[block_rows][tile]);
    const size_type row0 = step.begin + block_id() / tiles * tile;
    const size_type col0 = step.begin + block_id() % tiles * tile;
    for (int k = thread_id(); k < tile * block_rows; k += tile_threads * tile_threads) {
        const int i = k / block_rows, t = k % block_rows;
        left[i][t] = row0 + i < step.size && t < step.rows ? step.cols_panel[(row0 + i) * block_rows + t] : W{};
        const int s = k / tile, j = k % tile;
        right[s][j] = col0 + j < step.size && s < step.rows ? step.rows_panel[s * step.size + col0 + j] : W{};
    }
    block_barrier();
    const int ty = thread_id() / tile_threads, tx = thread_id() % tile_threads;
    W sums[n][n] = {};
    for (int t = 0; t < block_rows; ++t) {
        LINDEN_UNROLL
        for (int a = 0; a < n; ++a) {
            LINDEN_UNROLL
            for (int b = 0; b < n; ++b) {
                sums[a][b] += left[ty + a * tile_threads][t] * right[t][tx + b * tile_threads];
            }
        }
    }
    LINDEN_UNROLL
    for (int a = 0; a < n; ++a) {
        LINDEN_UNROLL
        for (int b = 0; b < n; ++b) {
            const size_type i = row0 + ty + a * tile_threads, j = col0 + tx + b * tile_threads;
            if (i >= step.size || j >= step.size) {
                continue;
            }
            if (step.is_in_block(i)) {
                step.at(i, j) = step.rows_panel[(i - step.first) * step.size + j];
            } else if (step.is_in_block(j)) {
                step.at(i, j) = -sums[a][b];
            } else {
                step.at(i, j) -= sums[a][b];
            }
        }
    }
}

template <class V>
void eliminate(const Executor& exec, GalerkinView<V> e, size_type first, Elimination how, WorkspaceView workspace)
{
    using W = device_type<wide_t<V>>;
    auto* const panels = reinterpret_cast<W*>(workspace.data);
    const auto rows = std::min<size_type>(block_rows, e.size - first);
    const size_type begin = how == Elimination::inverse ? 0 : first;
    const Step<W, real_t<V>> step{
        as_device(e.values),          e.scales, e.is_kept, e.tolerance, panels,
        panels + block_rows * e.size, e.size,   first,     begin,       static_cast<int>(rows)};
    constexpr int tile = per_thread<W> * tile_threads;
    const size_type tiles = (e.size - begin + tile - 1) / tile;
    launch_on(exec, form_panels<W, real_t<V>>, blocks_for(e.size - begin, panel_threads), panel_threads, 0, step);
    launch_on(exec, update_tiles<W, real_t<V>>, tiles * tiles, tile_threads * tile_threads, 0, step, tiles);
}

#if defined(LINDEN_HIP_PLATFORM_HOST)
constexpr int substitute_threads = 64;
#else
constexpr int substitute_threads = 1024;
#endif

/// factors(row, [begin, end)) x, by a wave.
template <class V>
__device__ inline V row_product(const V* factors, size_type k, size_type row, size_type begin, size_type end,
                                DenseView<V> x, size_type col)
{
    V sum{};
#pragma unroll 4
    for (size_type j = begin + Wave::lane(); j < end; j += Wave::size) {
        sum += factors[row * k + j] * x(j, col);
    }
    return Wave::sum(sum);
}

/// One block of threads per column: waves take the rows of a block of the diagonal, which do not need each other.
template <class V>
__global__ void __launch_bounds__(substitute_threads)
    substitute_kernel(const V* factors, DenseView<const V> b, DenseView<V> x)
{
    constexpr int waves = substitute_threads / Wave::size;
    LINDEN_SHARED(found, V[block_rows]);
    const size_type k = b.rows;
    const size_type col = block_id();
    const int wave = thread_id() / Wave::size;
    const bool writes = Wave::lane() == 0;
    for (size_type first = 0; first < k; first += block_rows) {
        for (size_type row = first + wave; row < k && row < first + block_rows; row += waves) {
            const V sum = row_product(factors, k, row, 0, first, x, col);  // -L stands below the diagonal's blocks
            if (writes) {
                x(row, col) = b(row, col) + sum;
            }
        }
        block_barrier();
    }
    for (size_type first = (k - 1) / block_rows * block_rows; first >= 0; first -= block_rows) {
        const size_type end = first + block_rows < k ? first + block_rows : k;
        for (size_type row = first + wave; row < end; row += waves) {
            const V sum =
                row_product(factors, k, row, first, end, x, col) - row_product(factors, k, row, end, k, x, col);
            if (writes) {
                found[row - first] = sum;
            }
        }
        block_barrier();
        if (first + thread_id() < end) {
            x(first + thread_id(), col) = found[thread_id()];
        }
        block_barrier();
    }
}

template <class V>
void substitute(const Executor& exec, const V* factors, DenseView<const V> b, DenseView<V> x)
{
    if (b.rows != 0 && b.cols != 0) {
        launch_on(exec, substitute_kernel<device_type<V>>, b.cols, substitute_threads, 0, as_device(factors),
                  as_device(b), as_device(x));
    }
}

}  // namespace

void register_galerkin()
{
    for_each_value([]<class V>() {
        galerkin_eliminate<V>.bind(this_backend, eliminate<V>);
        galerkin_substitute<V>.bind(this_backend, substitute<V>);
    });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
