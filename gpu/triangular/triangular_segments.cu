#include "core/kernels/triangular_segments.hpp"

#include "gpu/device/scan.cuh"
#include "gpu/pattern/row_order.cuh"
#include "gpu/triangular/triangular.cuh"

namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

// ---- the solve ------------------------------------------------------------------------------------------------------

#if defined(LINDEN_HIP_PLATFORM_HOST)
inline constexpr int row_threads = 128, halo_threads = 64;
#else
inline constexpr int row_threads = 512, halo_threads = 128;
#endif
/// Some waves of a block fetch the halo while the others find rows. No wave does both.
inline constexpr int segment_threads = row_threads + halo_threads;

/// Loads both numbers of a complex value, or one.
template <class V>
__device__ inline V load_shared_value(const V* p)
{
    if constexpr (std::is_same_v<V, device_real<V>>) {
        return load_shared_relaxed(p);
    } else {
        const auto* const numbers = reinterpret_cast<const device_real<V>*>(p);
        return {load_shared_relaxed(numbers), load_shared_relaxed(numbers + 1)};
    }
}
template <class V>
__device__ inline void store_shared_value(V* p, V value)
{
    if constexpr (std::is_same_v<V, device_real<V>>) {
        store_shared_relaxed(p, value);
    } else {
        auto* const numbers = reinterpret_cast<device_real<V>*>(p);
        store_shared_relaxed(numbers, value.re);
        store_shared_relaxed(numbers + 1, value.im);
    }
}

/// A segment of the rows for one right-hand side.
template <class V, class S, class I>
struct Segment {
    TriangularProblem<V, S, I> problem;
    size_type first_row, last_row;  ///< positions
    const I* halo;
    int halo_size;
    int zero_slot;  ///< behind rows and halo: holds a zero, for rows with less than a batch of entries
    size_type col;
    V* slots;
    V* w;    ///< where this solve's values are for other segments
    V* old;  ///< where the values of the solve before are to be taken away

    __device__ V* cell(V* block, size_type position) const { return block + position * problem.x.cols + col; }

    __device__ void fetch_halo(int segment_rows) const
    {
        const int thread = thread_id() - row_threads;
        for (int first = thread / 32 * 32; first < halo_size; first += halo_threads) {
            const int h = first + thread % 32;
            bool done = h >= halo_size;
            const V* const from = cell(w, done ? 0 : size_type{halo[h]});
            do {
                V value;
                if (!done && load_awaited(from, value)) {
                    store_shared_value(slots + segment_rows + h, value);
                    done = true;
                }
                pause();
            } while (Wave::any(!done));
        }
    }
    __device__ void find_rows() const;
};

/// A batch of a row's entries, scaled by the row's negative inverse diagonal: b / d - sum of (v / d) w.
template <class V, class S, class I>
struct ScaledBatch {
    int slot[batch_size];
    V factor[batch_size];

    __device__ void load(const LevelFactorView<V, S, I>& t, I& next, I end, V scale, int zero_slot)
    {
        LINDEN_UNROLL
        for (int j = 0; j < batch_size; ++j) {
            const bool exists = next < end;
            slot[j] = exists ? static_cast<int>(load_streaming(t.cols + next)) : zero_slot;
            factor[j] = exists ? -scale * to_arithmetic<V>(load_streaming(t.values + next)) : V{};
            ++next;
        }
    }
    /// Adds the batch to `sum` if all of it is there. The fewer instructions, the sooner the next level: no value is
    /// asked for on its own.
    __device__ bool add_to(V& sum, const V* slots, bool wanted) const
    {
        static_assert(batch_size == 4);
        V value[batch_size];
        bool is_there = wanted;
        LINDEN_UNROLL
        for (int j = 0; j < batch_size; ++j) {
            value[j] = load_shared_value(slots + slot[j]);
            is_there = is_there && !is_missing(value[j]);
        }
        if (is_there) {
            sum = (sum + factor[0] * value[0] + factor[1] * value[1]) + (factor[2] * value[2] + factor[3] * value[3]);
        }
        return is_there;
    }
};

template <class V, class S, class I>
__device__ void Segment<V, S, I>::find_rows() const
{
    const auto& t = problem.t;
    for (size_type first = first_row + thread_id() / 32 * 32; first < last_row; first += row_threads) {
        const size_type position = first + thread_id() % 32;
        const bool exists = position < last_row;
        const Unit<V> at(problem, exists ? position : first, col);
        I next = exists ? t.row_ptrs[position] : 0;
        const I end = exists ? t.row_ptrs[position + 1] : 0;
        V sum = at.inverse_diagonal * at.source;
        ScaledBatch<V, S, I> batch;
        batch.load(t, next, end, at.inverse_diagonal, zero_slot);
        bool done = !exists;
        do {
            if (batch.add_to(sum, slots, !done)) {
                if (next < end) {
                    note_progress();
                    batch.load(t, next, end, at.inverse_diagonal, zero_slot);
                } else {
                    sum = present(sum);
                    store_shared_value(slots + (position - first_row), sum);
                    store_awaited(cell(w, position), sum);
                    done = true;
                }
            }
            pause();
        } while (Wave::any(!done));
        if (exists) {
            *at.target = sum;
            store_missing(cell(old, position));
        }
    }
}

template <class V, class S, class I>
__global__ void __launch_bounds__(segment_threads)
    segments_kernel(TriangularProblem<V, S, I> problem, SegmentsView<I> segments, TicketRule rule, V* blocks,
                    std::uint64_t* tickets)
{
    V* const slots = dynamic_shared<V>();
    const size_type cols = problem.x.cols;
    for (;;) {
        const auto [unit, parity] = draw_ticket(rule, tickets);
        if (unit >= rule.num_parts) {
            return;
        }
        const size_type q = unit / cols;
        const size_type first = q * segments.segment_rows;
        const size_type last =
            first + segments.segment_rows < problem.t.rows ? first + segments.segment_rows : problem.t.rows;
        const I halo_begin = segments.halo_ptrs[q];
        const auto halo_size = static_cast<int>(segments.halo_ptrs[q + 1] - halo_begin);
        const int zero_slot = static_cast<int>(segments.segment_rows) + halo_size;
        const Segment<V, S, I> segment{problem,
                                       first,
                                       last,
                                       segments.halo + halo_begin,
                                       halo_size,
                                       zero_slot,
                                       unit % cols,
                                       slots,
                                       blocks + parity * problem.num_units(),
                                       blocks + (1 - parity) * problem.num_units()};
        for (int i = thread_id(); i <= zero_slot; i += segment_threads) {
            slots[i] = i == zero_slot ? V{} : missing<V>();
        }
        block_barrier();
        if (thread_id() < row_threads) {
            segment.find_rows();
        } else {
            segment.fetch_halo(static_cast<int>(segments.segment_rows));
        }
        // draw_ticket begins with a barrier: nobody clears slots that are still read
    }
}

template <class V, class S, class I>
void solve_segments(const Executor& exec, LevelFactorView<V, S, I> t, SegmentsView<I> segments, DenseView<const V> b,
                    DenseView<V> x, SyncFreeState<V> state)
{
    if (x.rows == 0 || x.cols == 0) {
        return;
    }
    const size_type units = (t.rows + segments.segment_rows - 1) / segments.segment_rows * x.cols;
    const auto shared_bytes = (segments.max_slots + 1) * static_cast<size_type>(sizeof(V));
    const size_type num_blocks = std::min<size_type>(units, gpu(exec).num_multiprocessors());
    launch_on(exec, segments_kernel<device_type<V>, device_type<S>, I>, num_blocks, segment_threads, shared_bytes,
              device_problem(t, b, x), segments, TicketRule{units, units + num_blocks}, as_device(state.blocks),
              state.tickets);
}

// ---- cutting a factor into segments
// ------------------------------------------------------------------------------------

/// The segment of a row.
struct SegmentOf {
    size_type n;
    Side side;
    size_type segment_rows;

    template <class I>
    __device__ size_type operator()(I row) const
    {
        return (side == Side::lower ? size_type{row} : n - 1 - row) / segment_rows;
    }
};

template <class I>
__global__ void __launch_bounds__(column_block_threads)
    halo_sizes_kernel(PatternView<I> a, SegmentOf segment_of, I* halo_sizes)
{
    std::int64_t size[1]{};
    const size_type first = block_id() * segment_of.segment_rows;
    for (size_type i = first + thread_id(); i < first + segment_of.segment_rows && i < a.rows;
         i += column_block_threads) {
        const size_type row = segment_of.side == Side::lower ? i : a.rows - 1 - i;
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            const size_type col = a.col_idxs[k];
            const bool is_on_side = segment_of.side == Side::lower ? col < row : col > row;
            size[0] += is_on_side && segment_of(col) != block_id() ? 1 : 0;
        }
    }
    block_reduce<column_block_threads>(size);
    if (thread_id() == 0) {
        halo_sizes[block_id()] = static_cast<I>(size[0]);
    }
}

template <class I>
void halo_sizes(const Executor& exec, PatternView<I> a, Side side, size_type segment_rows, I* sizes)
{
    launch_on(exec, halo_sizes_kernel<I>, (a.rows + segment_rows - 1) / segment_rows, column_block_threads, 0, a,
              SegmentOf{a.rows, side, segment_rows}, sizes);
}

/// Entries of other segments come first in their rows, as earlier positions do.
template <class I>
__global__ void __launch_bounds__(column_block_threads)
    fill_halo_kernel(size_type n, size_type segment_rows, const I* row_ptrs, I* cols, const I* halo_ptrs, I* halo)
{
    const size_type first = block_id() * segment_rows;
    const size_type last = first + segment_rows < n ? first + segment_rows : n;
    std::int64_t before = 0;
    for (size_type base = first; base < last; base += column_block_threads) {
        const size_type row = base + thread_id();
        const I begin = row < last ? row_ptrs[row] : 0;
        const I end = row < last ? row_ptrs[row + 1] : 0;
        const I own = lower_bound(cols, begin, end, static_cast<I>(first));
        std::int64_t in_tile = 0;
        std::int64_t slot = before + block_exclusive_scan<column_block_threads>(std::int64_t{own - begin}, in_tile);
        for (I k = begin; k < end; ++k) {
            if (k < own) {
                halo[halo_ptrs[block_id()] + slot] = cols[k];
                cols[k] = static_cast<I>(segment_rows + slot++);
            } else {
                cols[k] -= static_cast<I>(first);
            }
        }
        before += in_tile;
    }
}

template <class I>
void fill_halo(const Executor& exec, size_type n, size_type segment_rows, const I* row_ptrs, I* cols,
               const I* halo_ptrs, I* halo)
{
    launch_on(exec, fill_halo_kernel<I>, (n + segment_rows - 1) / segment_rows, column_block_threads, 0, n,
              segment_rows, row_ptrs, cols, halo_ptrs, halo);
}

template <class I>
struct Invert : NothingToPrepare {
    const I* order;
    I* position;

    __device__ void operator()(Place<1> at, Nothing) const { position[order[at.row]] = static_cast<I>(at.row); }
};

template <class I>
void order(const Executor& exec, LevelsView<I> rows, size_type segment_rows, I* order, I* position,
           WorkspaceView workspace)
{
    const size_type n = rows.num_rows;
    if (n == 0) {
        return;
    }
    const size_type num_parts = (n + segment_rows - 1) / segment_rows;
    RowSort<I> sort(exec, n, Side::lower, num_sort_passes(rows.num_levels) + num_sort_passes(num_parts), order,
                    workspace);
    sort.by(LevelKey<I>{rows.levels}, rows.num_levels);
    sort.by(SegmentOf{n, rows.side, segment_rows}, num_parts);
    map_elements(exec, n, 1, Invert<I>{{}, order, position});
}

}  // namespace

void register_triangular_segments()
{
    for_each_index([]<class I>() {
        segments_halo_sizes<I>.bind(this_backend, halo_sizes<I>);
        segments_order<I>.bind(this_backend, order<I>);
        segments_fill_halo<I>.bind(this_backend, fill_halo<I>);
    });
    for_each_factor_type([]<class V, class S, class I>() {
        triangular_solve_segments<V, S, I>.bind(this_backend, solve_segments<V, S, I>);
    });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
