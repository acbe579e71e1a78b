#include "core/kernels/galerkin.hpp"

#include "gpu/device/bits.cuh"
#include "gpu/device/reduce.cuh"
#include "gpu/vector/elements.cuh"

/// A step of elimination is two launches, three where there is separators: each block of the first inverts the block of
/// the diagonal for itself and forms some columns of R = D E(B, :); the second subtracts E(:, B) R from tiles of E, the
/// third from those of the separators, for one part after the other. The first saves E(:, B) beside R, which the tiles
/// of the others would otherwise overwrite for each other.
namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

constexpr int block_rows = galerkin_block_rows;
constexpr int panel_threads = 128;
/// Threads that share a column of R where there are multiprocessors enough.
constexpr int most_shares = 4;
/// Threads of a tile, in each direction.
constexpr int tile_threads = 16;
constexpr int tile_block_threads = tile_threads * tile_threads;
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
    W* rows_panel;  ///< R, block_rows x width
    W* cols_panel;  ///< E(:, B), width x block_rows
    size_type size;
    size_type width;  ///< a place for each row of a part, and for each part and row of the separators
    size_type first;
    GalerkinPartition parts;
    Elimination how;

    __device__ W& at(size_type i, size_type j) const { return values[i * size + j]; }
};

/// The block of a step in a part, and the rows and columns that it changes, numbered from 0 on.
struct PartStep {
    size_type first;
    size_type begin;  ///< of the columns
    size_type begin_rows, end, separators, size;
    size_type shift;  ///< from a row of the separators to its place for this part
    int rows;         ///< of the block, 0 for none

    template <class W, class R>
    __device__ PartStep(const Step<W, R>& step, size_type part)
        : first(step.parts.begin_of(part) + step.first),
          begin(step.how == Elimination::factors ? first : step.parts.begin_of(part)),
          begin_rows(step.how == Elimination::trailing ? 0 : begin),
          end(step.parts.end_of(part)),
          separators(step.parts.separators),
          size(step.size),
          shift(part * (size - separators)),
          rows(static_cast<int>(first >= end               ? 0
                                : end - first < block_rows ? end - first
                                                           : block_rows))
    {
    }

    __device__ size_type num_rows() const { return end - begin_rows + size - separators; }
    __device__ size_type num_columns() const { return end - begin + size - separators; }
    __device__ size_type row(size_type i) const
    {
        return begin_rows + i + (begin_rows + i < end ? 0 : separators - end);
    }
    __device__ size_type column(size_type j) const { return begin + j + (begin + j < end ? 0 : separators - end); }
    __device__ size_type place(size_type i) const { return i + (i < separators ? 0 : shift); }
    __device__ bool is_in_block(size_type i) const { return i >= first && i < first + rows; }
};

/// A block of the diagonal, in shared memory.
template <class W>
using DiagonalBlock = W[block_rows][block_rows + 1];

__device__ inline std::uint32_t largest_of_wave(std::uint32_t value)
{
#if defined(__CUDA_ARCH__)
    return __reduce_max_sync(~0u, value);  // one instruction
#else
    return Wave::reduce(value, Max{});
#endif
}

/// The lane that is left and whose pivot is largest relative to its scale, or -1 for none. The quotient is that of the
/// division, to the bit, without its branches.
__device__ inline int next_pivot(bool is_left, double pivot, double scale, double inverse_scale, double tolerance)
{
    const double quotient = pivot * inverse_scale;
    const double ratio = fma(fma(-scale, quotient, pivot), inverse_scale, quotient);
    const bool is_possible = is_left && ratio > tolerance && ratio - ratio == 0;
    // Numbers that are not negative are in the order of their bits, for which halves of them do.
    const auto bits = is_possible ? bits_to<std::uint64_t>(ratio) : std::uint64_t{0};
    const auto high = static_cast<std::uint32_t>(bits >> 32);
    const bool may_be_largest = high == largest_of_wave(high);
    const std::uint32_t low = may_be_largest ? static_cast<std::uint32_t>(bits) : 0;
    const std::uint32_t largest_low = largest_of_wave(low);
    const LaneMask holders = Wave::ballot(is_possible && may_be_largest && low == largest_low);
    return holders == 0 ? -1 : lowest_bit(static_cast<std::uint32_t>(holders));
}

/// Lane n if it is left and has a pivot, else -1.
__device__ inline int pivot_in_order(bool is_left, int n, double pivot, double scale, double tolerance)
{
    const double ratio = pivot / scale;
    return Wave::any(is_left && Wave::lane() == n && ratio > tolerance && ratio - ratio == 0) ? n : -1;
}

/// A block of the diagonal in registers: a thread has column thread_id() % block_rows of some rows.
template <class W>
struct BlockInRegisters {
    static constexpr int num_own = block_rows * block_rows / panel_threads;
    static constexpr int row_step = panel_threads / block_rows;

    W own[num_own];

    __device__ static int column() { return thread_id() % block_rows; }
    __device__ static int row(int r) { return thread_id() / block_rows + r * row_step; }

    __device__ void write(DiagonalBlock<W>& to) const
    {
        LINDEN_UNROLL
        for (int r = 0; r < num_own; ++r) {
            to[row(r)][column()] = own[r];
        }
    }
    /// Row p and column p change places with those of the inverse.  written: the block; inverse: of its element (p, p).
    __device__ void exchange(int p, W inverse, const DiagonalBlock<W>& written)
    {
        const W of_pivot = written[p][column()];
        LINDEN_UNROLL
        for (int r = 0; r < num_own; ++r) {
            const W factor = written[row(r)][p] * inverse;
            if (row(r) == p) {
                own[r] = column() == p ? inverse : of_pivot * inverse;
            } else {
                own[r] = column() == p ? -factor : own[r] - factor * of_pivot;
            }
        }
    }
};

/// d := the inverse of what is kept of the block, with zeros around; kept: by row. Called by all threads. Each wave
/// chooses the pivots for itself. In each step threads read what was written before its only barrier, in one of two
/// places in turn.
template <class W, class R>
__device__ inline void invert_block(const Step<W, R>& step, const PartStep& in_part, DiagonalBlock<W>& d,
                                    bool (&kept)[block_rows])
{
    LINDEN_SHARED(other, DiagonalBlock<W>);
    using Block = BlockInRegisters<W>;
    const int rows = in_part.rows;
    const size_type first = in_part.first;
    Block block;
    LINDEN_UNROLL
    for (int r = 0; r < Block::num_own; ++r) {
        const bool exists = Block::row(r) < rows && Block::column() < rows;
        block.own[r] = exists ? step.at(first + Block::row(r), first + Block::column()) : W{};
    }
    const int lane = Wave::lane();
    const double scale = lane < rows ? static_cast<double>(step.scales[first + lane]) : 1;
    const double inverse_scale = 1 / scale;
    const bool is_ordered = step.how == Elimination::ordered;
    // Another block may have written what this one comes to as well.
    const bool may_be_kept = lane < rows && (!is_ordered || step.is_kept[first + lane] != 0);
    bool is_left = may_be_kept;
    for (int n = 0; n < rows; ++n) {
        DiagonalBlock<W>& written = n % 2 == 0 ? d : other;
        block.write(written);
        block_barrier();
        const W own = written[lane][lane];
        const W inverse = W{1} / own;  // while the pivot is chosen
        const int p = is_ordered ? pivot_in_order(is_left, n, abs(own), scale, step.tolerance)
                                 : next_pivot(is_left, abs(own), scale, inverse_scale, step.tolerance);
        if (p >= 0) {
            block.exchange(p, Wave::shuffle(inverse, p), written);
            is_left = is_left && lane != p;
        } else if (!is_ordered) {
            break;
        }
    }
    if (thread_id() < Wave::size) {
        kept[lane] = may_be_kept && !is_left;
    }
    block_barrier();
    LINDEN_UNROLL
    for (int r = 0; r < Block::num_own; ++r) {
        d[Block::row(r)][Block::column()] = kept[Block::row(r)] && kept[Block::column()] ? block.own[r] : W{};
    }
    block_barrier();
}

/// So many elements of a column or row are on their way to a thread at a time.
template <class W>
inline constexpr int panel_in_flight = sizeof(W) > 8 ? 4 : 8;

/// block_rows / S elements of a column of R, for a thread: S threads have a column, in S waves or groups of waves. What
/// it is made of is on its way some rows ahead.
template <class W, class R, int S>
class PanelColumn {
public:
    static constexpr int columns_of_block = panel_threads / S;

    __device__ PanelColumn(const Step<W, R>& step, const PartStep& in_part)
        : PanelColumn(step, in_part,
                      static_cast<size_type>(block_id()) * columns_of_block + thread_id() % columns_of_block)
    {
    }

    /// Called after the block d has been inverted.
    __device__ void form(const DiagonalBlock<W>& d, const bool (&kept)[block_rows])
    {
        if (!exists_) {
            return;
        }
        const int first_row = thread_id() / columns_of_block * own_rows;
        W sums[own_rows] = {};
#pragma unroll 1
        for (int first = 0; first < in_part_.rows; first += in_flight) {
            W values[in_flight];
            LINDEN_UNROLL
            for (int t = 0; t < in_flight; ++t) {
                values[t] = kept[first + t] ? next_[t] : W{};
            }
            load(first + in_flight);
            LINDEN_UNROLL
            for (int t = 0; t < in_flight; ++t) {
                LINDEN_UNROLL
                for (int k = 0; k < own_rows; ++k) {
                    sums[k] += d[first_row + k][first + t] * values[t];
                }
            }
        }
        W* const out = step_.rows_panel + in_part_.place(col_);
        LINDEN_UNROLL
        for (int k = 0; k < own_rows; ++k) {
            if (const int row = first_row + k; row < in_part_.rows) {
                out[row * step_.width] = is_in_block_ ? d[row][col_ - in_part_.first] : sums[k];
            }
        }
    }

private:
    static constexpr int in_flight = panel_in_flight<W>;
    static constexpr int own_rows = block_rows / S;

    __device__ PanelColumn(const Step<W, R>& step, const PartStep& in_part, size_type i)
        : step_(step),
          in_part_(in_part),
          exists_(i < in_part.num_columns()),
          col_(exists_ ? in_part.column(i) : 0),
          is_in_block_(exists_ && in_part.is_in_block(col_))
    {
        load(0);
    }

    __device__ void load(int first)
    {
        LINDEN_UNROLL
        for (int t = 0; t < in_flight; ++t) {
            const bool is_wanted = exists_ && !is_in_block_ && first + t < in_part_.rows;
            next_[t] = is_wanted ? step_.at(in_part_.first + first + t, col_) : W{};
        }
    }

    const Step<W, R>& step_;
    const PartStep& in_part_;
    bool exists_;
    size_type col_;
    bool is_in_block_;
    W next_[in_flight];
};

/// Saves rows first, ..., first + panel_threads - 1 of E(:, B), as they are: who reads them leaves out what is not
/// kept.
template <class W, class R>
__device__ inline void save_rows(const Step<W, R>& step, const PartStep& in_part, size_type first)
{
    constexpr int in_flight = panel_in_flight<W>;
    const int t = thread_id() % block_rows;
    size_type i = first + thread_id() / block_rows;
    for (int k = 0; k < block_rows; k += in_flight) {
        W values[in_flight];
        size_type places[in_flight];
        LINDEN_UNROLL
        for (int m = 0; m < in_flight; ++m, i += panel_threads / block_rows) {
            const bool is_wanted = i < in_part.num_rows() && t < in_part.rows;
            const size_type row = is_wanted ? in_part.row(i) : 0;
            places[m] = is_wanted ? in_part.place(row) * block_rows + t : -1;
            values[m] = is_wanted ? step.at(row, in_part.first + t) : W{};
        }
        LINDEN_UNROLL
        for (int m = 0; m < in_flight; ++m) {
            if (places[m] >= 0) {
                step.cols_panel[places[m]] = values[m];
            }
        }
    }
}

/// R and E(:, B) of a part in each row of blocks, of which the first `column_blocks` have columns of R, and the others
/// rows of E(:, B).
template <class W, class R, int S>
__global__ void __launch_bounds__(panel_threads) form_panels(Step<W, R> step, size_type column_blocks)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    LINDEN_SHARED(d, DiagonalBlock<W>);
    LINDEN_SHARED(kept, bool[block_rows]);
    const PartStep in_part(step, block_id_y());
    const int rows = in_part.rows;
    if (rows == 0) {
        return;
    }
    if (block_id() >= column_blocks) {
        save_rows(step, in_part, (block_id() - column_blocks) * panel_threads);
        return;
    }
    PanelColumn<W, R, S> column(step, in_part);
    invert_block(step, in_part, d, kept);
    if (block_id() == 0 && thread_id() < rows) {
        step.is_kept[in_part.first + thread_id()] = kept[thread_id()] ? 1 : 0;
    }
    column.form(d, kept);
}

/// The number at place(), or 0; complex ones part by part, see value_of_column.
template <class Place>
__device__ inline auto value_or_zero(bool is_wanted, const Place& place)
{
    using W = std::remove_reference_t<decltype(*place())>;
    if constexpr (is_complex<W>) {
        const auto* const parts = is_wanted ? place() : nullptr;
        return W(is_wanted ? parts->re : 0, is_wanted ? parts->im : 0);
    } else {
        return is_wanted ? *place() : W{};
    }
}

/// A tile of products E(:, B) R, of whose elements a thread has n x n.
template <class W, int n = per_thread<W>>
struct Tile {
    static constexpr int size = n * tile_threads;

    W sums[n][n] = {};

    /// Adds the product of rows row0, ... and columns col0, ... of a part. Called by all threads.
    template <class R>
    __device__ void add(const Step<W, R>& step, const PartStep& in_part, size_type row0, size_type col0)
    {
        LINDEN_SHARED(left, W[size][block_rows + 1]);
        LINDEN_SHARED(right, W[block_rows][size]);
        constexpr int num_loads = size * block_rows / tile_block_threads;
        const size_type num_rows = in_part.num_rows(), num_columns = in_part.num_columns();
        W of_rows[num_loads], of_columns[num_loads];  // all on their way before the first is stored
        const int t = thread_id() % block_rows;
        const bool is_kept = t < in_part.rows && step.is_kept[in_part.first + t] != 0;
        LINDEN_UNROLL
        for (int m = 0; m < num_loads; ++m) {
            const int k = thread_id() + m * tile_block_threads, s = k / size;
            const size_type i = row0 + k / block_rows, j = col0 + k % size;
            of_rows[m] = value_or_zero(is_kept && i < num_rows, [&] {
                return step.cols_panel + in_part.place(in_part.row(i)) * block_rows + t;
            });
            of_columns[m] = value_or_zero(s < in_part.rows && j < num_columns, [&] {
                return step.rows_panel + s * step.width + in_part.place(in_part.column(j));
            });
        }
        block_barrier();  // others may still read
        LINDEN_UNROLL
        for (int m = 0; m < num_loads; ++m) {
            const int k = thread_id() + m * tile_block_threads;
            left[k / block_rows][t] = of_rows[m];
            right[k / size][k % size] = of_columns[m];
        }
        block_barrier();
        const int ty = thread_id() / tile_threads, tx = thread_id() % tile_threads;
        for (int s = 0; s < block_rows; ++s) {
            LINDEN_UNROLL
            for (int a = 0; a < n; ++a) {
                LINDEN_UNROLL
                for (int b = 0; b < n; ++b) {
                    sums[a][b] += left[ty + a * tile_threads][s] * right[s][tx + b * tile_threads];
                }
            }
        }
    }
    /// f(row, column, sum) for the elements of the thread, counted from the tile's first; f may change the sum.
    template <class F>
    __device__ void for_each(F f)
    {
        for_each_with(*this, [&](int row, int column, W& sum, W) { f(row, column, sum); });
    }
    /// f(row, column, sum, sum of the other).
    template <class F>
    __device__ void for_each_with(const Tile& other, F f)
    {
        const int ty = thread_id() / tile_threads, tx = thread_id() % tile_threads;
        LINDEN_UNROLL
        for (int a = 0; a < n; ++a) {
            LINDEN_UNROLL
            for (int b = 0; b < n; ++b) {
                f(ty + a * tile_threads, tx + b * tile_threads, sums[a][b], other.sums[a][b]);
            }
        }
    }
};

/// E := E - E(:, B) R outside of the block's rows, E(B, :) := R, in all but the separators's own rows and columns; a
/// part in each row of blocks.
template <class W, class R>
__global__ void __launch_bounds__(tile_block_threads) update_tiles(Step<W, R> step, size_type tiles)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    const PartStep in_part(step, block_id_y());
    const size_type row0 = block_id() / tiles * Tile<W>::size, col0 = block_id() % tiles * Tile<W>::size;
    const size_type num_rows = in_part.num_rows(), num_columns = in_part.num_columns();
    if (in_part.rows == 0 || row0 >= num_rows || col0 >= num_columns) {
        return;
    }
    const auto with_place = [&](int r, int c, auto use) {
        const size_type i = in_part.row(row0 + r), j = in_part.column(col0 + c);
        if (row0 + r < num_rows && col0 + c < num_columns && (i < in_part.separators || j < in_part.separators)) {
            use(i, j);
        }
    };
    Tile<W> old;  // on its way while the products are formed
    old.for_each([&](int r, int c, W& value) {
        with_place(r, c, [&](size_type i, size_type j) {
            value = in_part.is_in_block(i) ? step.rows_panel[(i - in_part.first) * step.width + in_part.place(j)]
                                           : step.at(i, j);
        });
    });
    Tile<W> products;
    products.add(step, in_part, row0, col0);
    products.for_each_with(old, [&](int r, int c, W product, W value) {
        with_place(r, c, [&](size_type i, size_type j) {
            if (in_part.is_in_block(i)) {
                step.at(i, j) = value;
            } else if (in_part.is_in_block(j)) {
                step.at(i, j) = -product;
            } else {
                step.at(i, j) = value - product;
            }
        });
    });
}

/// The separators's own rows and columns, from which all parts subtract: small tiles, since there are few.
template <class W, class R>
__global__ void __launch_bounds__(tile_block_threads) update_separators(Step<W, R> step, size_type tiles)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    const size_type separators = step.parts.separators, count = step.size - separators;
    const size_type row0 = block_id() / tiles * Tile<W, 1>::size, col0 = block_id() % tiles * Tile<W, 1>::size;
    Tile<W, 1> tile;
    for (size_type part = 0; part < step.parts.num_parts; ++part) {
        const PartStep in_part(step, part);
        if (in_part.rows != 0) {
            const size_type before = in_part.end - in_part.begin;
            tile.add(step, in_part, before + row0, before + col0);
        }
    }
    tile.for_each([&](int r, int c, W sum) {
        if (row0 + r < count && col0 + c < count) {
            step.at(separators + row0 + r, separators + col0 + c) -= sum;
        }
    });
}

template <class V>
void eliminate(const Executor& exec, GalerkinView<V> e, GalerkinPartition parts, size_type first, Elimination how,
               WorkspaceView workspace)
{
    using W = device_type<wide_t<V>>;
    using R = real_t<V>;
    const size_type separators_rows = e.size - parts.separators;
    const size_type width = parts.separators + parts.num_parts * separators_rows;
    auto* const panels = reinterpret_cast<W*>(workspace.data);
    const Step<W, R> step{as_device(e.values),
                          e.scales,
                          e.is_kept,
                          e.tolerance,
                          panels,
                          panels + block_rows * width,
                          e.size,
                          width,
                          first,
                          parts,
                          how};
    const size_type columns = parts.longest - (how == Elimination::factors ? first : 0) + separators_rows;
    const size_type rows = columns + (how == Elimination::trailing ? parts.begin : 0);
    const auto tiles_in = [](size_type count, int size = Tile<W>::size) { return (count + size - 1) / size; };
    const auto in_all = [&](size_type blocks) { return Grid{blocks, parts.num_parts}; };
    const auto form = [&]<int S>() {
        const auto column_blocks = blocks_for(columns, panel_threads / S);
        launch_overlapped_on(exec, form_panels<W, R, S>, in_all(column_blocks + blocks_for(rows, panel_threads)),
                             panel_threads, 0, step, column_blocks);
    };
    // Where multiprocessors are left over, more of them form columns, though each inverts the block for itself.
    if (blocks_for(columns, panel_threads / most_shares) * parts.num_parts <= gpu(exec).num_multiprocessors()) {
        form.template operator()<most_shares>();
    } else {
        form.template operator()<1>();
    }
    launch_overlapped_on(exec, update_tiles<W, R>, in_all(tiles_in(rows) * tiles_in(columns)), tile_block_threads, 0,
                         step, tiles_in(columns));
    if (separators_rows != 0) {
        const size_type tiles = tiles_in(separators_rows, Tile<W, 1>::size);
        launch_overlapped_on(exec, update_separators<W, R>, tiles * tiles, tile_block_threads, 0, step, tiles);
    }
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
        galerkin_gauss_jordan<V>.bind(this_backend, eliminate<V>);
        galerkin_substitute<V>.bind(this_backend, substitute<V>);
    });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
