#include "core/kernels/prefix_sum.hpp"

#include "gpu/device/scan.cuh"
#include "gpu/vector/elements.cuh"

/// Two launches: the sums of the parts, then the values of each part from the sum of those before it, which its block
/// adds up itself. A part is a run of tiles, so that no block waits for another. One launch of one block for few
/// values.
namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

inline constexpr int scan_threads = column_block_threads;
/// Neighbouring values of one thread in a tile.
inline constexpr int scan_items = 8;
inline constexpr size_type tile_size = scan_threads * scan_items;

/// The parts of n values: each a run of tiles.
struct Parts {
    size_type n;
    size_type part_size;

    __device__ size_type begin(int part) const { return part * part_size; }
    __device__ size_type end(int part) const { return (part + 1) * part_size < n ? (part + 1) * part_size : n; }
};

template <class I>
__global__ void __launch_bounds__(scan_threads) sum_parts(Parts parts, const I* values, std::int64_t* sums)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    std::int64_t sum[1]{};
    for (size_type i = parts.begin(block_id()) + thread_id(); i < parts.end(block_id()); i += scan_threads) {
        sum[0] += values[i];
    }
    block_reduce<scan_threads>(sum);
    if (thread_id() == 0) {
        sums[block_id()] = sum[0];
    }
}

/// values[i] := before + the sum of those from `first` to i; what is before the values from `end` on.
template <class I>
__device__ inline std::int64_t scan_tiles(size_type first, size_type end, std::int64_t before, I* values)
{
    LINDEN_SHARED(staged, I[tile_size]);
    for (; first < end; first += tile_size) {
        for (int i = thread_id(); i < tile_size; i += scan_threads) {
            staged[i] = first + i < end ? values[first + i] : I{};
        }
        block_barrier();
        I* const mine = staged + thread_id() * scan_items;
        std::int64_t sum = 0;
        for (int i = 0; i < scan_items; ++i) {
            sum += mine[i];
        }
        std::int64_t tile_sum = 0;
        std::int64_t running = before + block_exclusive_scan<scan_threads>(sum, tile_sum);
        for (int i = 0; i < scan_items; ++i) {
            const I value = mine[i];
            mine[i] = static_cast<I>(running);
            running += value;
        }
        before += tile_sum;
        block_barrier();
        for (int i = thread_id(); i < tile_size; i += scan_threads) {
            if (first + i < end) {
                values[first + i] = staged[i];
            }
        }
        block_barrier();
    }
    return before;
}

/// The total goes to its two places.
template <class I>
__global__ void __launch_bounds__(scan_threads)
    scan_parts(Parts parts, I* values, const std::int64_t* sums, std::int64_t* total)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    std::int64_t before[1]{};
    for (int i = thread_id(); i < block_id(); i += scan_threads) {
        before[0] += sums[i];
    }
    block_reduce<scan_threads>(before);
    before[0] = block_broadcast(before[0], 0);
    const std::int64_t end = scan_tiles(parts.begin(block_id()), parts.end(block_id()), before[0], values);
    if (block_id() == num_blocks() - 1 && thread_id() == 0) {
        *total = end;
        values[parts.n] = static_cast<I>(end);
    }
}

/// One block.
template <class I>
__global__ void __launch_bounds__(scan_threads) scan_all(size_type n, I* values, std::int64_t* total)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    const std::int64_t sum = scan_tiles(0, n, 0, values);
    if (thread_id() == 0) {
        *total = sum;
        values[n] = static_cast<I>(sum);
    }
}

/// As many tiles as one block does in the time of the other launches.
inline constexpr size_type few_values = 4 * tile_size;

template <class I>
void sum(const Executor& exec, size_type n, I* values, std::int64_t* total, WorkspaceView workspace)
{
    if (n <= few_values) {
        launch_overlapped_on(exec, scan_all<I>, 1, scan_threads, 0, n, values, total);
        return;
    }
    auto* const sums = reinterpret_cast<std::int64_t*>(workspace.data);
    const auto wanted = std::min<size_type>(
        {blocks_for(n, tile_size), static_cast<size_type>(gpu(exec).num_multiprocessors()) * blocks_per_multiprocessor,
         max_prefix_sum_parts});
    const size_type tiles_per_part = wanted == 0 ? 1 : blocks_for(blocks_for(n, tile_size), static_cast<int>(wanted));
    const Parts parts{n, tiles_per_part * tile_size};
    const size_type num_parts = blocks_for(n, static_cast<int>(tile_size), static_cast<int>(tiles_per_part));
    launch_overlapped_on(exec, sum_parts<I>, num_parts, scan_threads, 0, parts, values, sums);
    launch_overlapped_on(exec, scan_parts<I>, num_parts, scan_threads, 0, parts, values, sums, total);
}

/// Blocks of a run side by side, runs above each other. is_alone: a run has one block.
template <bool is_alone, class I>
__global__ void __launch_bounds__(scan_threads) add_totals(size_type n, const I* values, std::int64_t* totals)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    const I* const run = values + block_id_y() * n;
    std::int64_t sum[1]{};
    for (size_type i = global_id(); i < n; i += grid_threads()) {
        sum[0] += run[i];
    }
    block_reduce<scan_threads>(sum);
    if (thread_id() == 0) {
        if constexpr (is_alone) {
            totals[block_id_y()] = sum[0];
        } else if (sum[0] != 0) {
            atomic_add(totals + block_id_y(), sum[0]);
        }
    }
}

/// Blocks for a reduction of n values, few enough to meet at one address.
inline Grid reduction_grid(const Executor& exec, size_type n, size_type num_runs = 1)
{
    const size_type most = static_cast<size_type>(gpu(exec).num_multiprocessors()) * 4;
    return {std::max<size_type>(1, std::min(blocks_for(n, static_cast<int>(tile_size)), most)), num_runs};
}

template <class I>
void totals_of_runs(const Executor& exec, size_type n, size_type num_runs, const I* values, std::int64_t* totals)
{
    if (num_runs > 0 && n <= few_values) {
        launch_overlapped_on(exec, add_totals<true, I>, Grid(1, num_runs), scan_threads, 0, n, values, totals);
    } else if (num_runs > 0) {
        exec.state().fill_zero(totals, static_cast<std::size_t>(num_runs) * sizeof *totals);
        launch_overlapped_on(exec, add_totals<false, I>, reduction_grid(exec, n, num_runs), scan_threads, 0, n, values,
                             totals);
    }
}

}  // namespace

void register_prefix_sum()
{
    for_each_index([]<class I>() {
        prefix_sum<I>.bind(this_backend, sum<I>);
        array_totals<I>.bind(this_backend, totals_of_runs<I>);
    });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
