#pragma once

#include "gpu/device/bisection.cuh"
#include "gpu/device/bits.cuh"
#include "gpu/device/scan.cuh"
#include "gpu/vector/elements.cuh"

/// Kernels that give each row of a compressed matrix to a subgroup.
namespace linden::LINDEN_GPU_NAMESPACE {

/// A lane takes at most so many entries of a row of average length, and of any row.
inline constexpr size_type usual_part = 24;
inline constexpr size_type long_part = 96;
/// Threads of a multiprocessor that hide each other's waits for memory.
inline constexpr size_type busy_threads_each = 2048;

namespace detail {

template <int L, class Body>
__global__ void __launch_bounds__(column_block_threads, column_blocks_per_multiprocessor)
    map_row_groups(size_type rows, Body body)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    const size_type step = grid_threads() / L;
    for (size_type row = Subgroup<L>::index(); row < rows; row += step) {
        body(Subgroup<L>{}, row);
    }
}

/// Calls `body(group, row)` in all lanes of a group for each row whose `length(row)` is not negative: 32 lanes take 32
/// / L rows at a time, L lanes to a row, and then those that are long together. Called by all threads of a grid.
template <int L, class Length, class Body>
__device__ inline void for_rows_by_length(size_type rows, Length length_of, Body&& body)
{
    using All = Subgroup<32>;
    const size_type step = grid_threads() / L;
    for (size_type first = All::index() * (32 / L); first < rows; first += step) {
        const size_type row = first + All::lane() / L;
        const size_type length = row < rows ? length_of(row) : -1;
        const bool is_long = L < 32 && length > size_type{L} * long_part;
        if (length >= 0 && !is_long) {
            body(Subgroup<L>{}, row);
        }
        if constexpr (L < 32) {
            auto long_rows = static_cast<std::uint32_t>(All::ballot(is_long && Subgroup<L>::lane() == 0));
            for (; long_rows != 0; long_rows &= long_rows - 1) {
                body(All{}, first + lowest_bit(long_rows) / L);
            }
        }
    }
}

template <int L, class Body>
__global__ void __launch_bounds__(column_block_threads, column_blocks_per_multiprocessor)
    map_rows_by_length_kernel(size_type rows, Body body)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    for_rows_by_length<L>(
        rows, [&](size_type row) { return body.length(row); }, body);
}

/// The same for L = 1 and rows of which often few have anything to do: a block looks at so many rows for each of its
/// threads at a time, and deals out those that have.
inline constexpr int looks_per_thread = 4;

template <class Body>
__global__ void __launch_bounds__(column_block_threads, column_blocks_per_multiprocessor)
    map_busy_rows_kernel(size_type rows, Body body)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    using All = Subgroup<32>;
    constexpr int looked_at = looks_per_thread * column_block_threads;
    LINDEN_SHARED(busy, std::int32_t[looked_at]);
    const size_type step = grid_threads() * looks_per_thread;
    for (size_type first = static_cast<size_type>(block_id()) * looked_at; first < rows; first += step) {
        bool is_busy[looks_per_thread];
        int count = 0;
        LINDEN_UNROLL
        for (int i = 0; i < looks_per_thread; ++i) {
            const size_type row = first + i * column_block_threads + thread_id();
            is_busy[i] = row < rows && body.length(row) >= 0;
            count += is_busy[i] ? 1 : 0;
        }
        int num_busy = 0;
        int place = block_exclusive_scan<column_block_threads>(count, num_busy);
        LINDEN_UNROLL
        for (int i = 0; i < looks_per_thread; ++i) {
            if (is_busy[i]) {
                busy[place++] = i * column_block_threads + thread_id();
            }
        }
        block_barrier();
        for (int i = thread_id(); i - All::lane() < num_busy; i += column_block_threads) {
            const size_type row = first + (i < num_busy ? busy[i] : 0);
            const bool is_long = i < num_busy && body.length(row) > long_part;
            if (i < num_busy && !is_long) {
                body(Subgroup<1>{}, row);
            }
            auto long_rows = static_cast<std::uint32_t>(All::ballot(is_long));
            for (; long_rows != 0; long_rows &= long_rows - 1) {
                body(All{}, All::shuffle(row, lowest_bit(long_rows)));
            }
        }
        block_barrier();
    }
}

}  // namespace detail

/// Blocks that keep the device busy, and no more than n threads have work for.
inline size_type busy_blocks(const Executor& exec, size_type n)
{
    return std::min(blocks_for(n, column_block_threads),
                    static_cast<size_type>(gpu(exec).num_multiprocessors()) * blocks_per_multiprocessor);
}

/// Calls `body(group, row)` in all lanes of a Subgroup<L> for each row.
template <int L, class Body>
void map_rows_by(const Executor& exec, size_type rows, Body body)
{
    launch_overlapped_on(exec, detail::map_row_groups<L, Body>, busy_blocks(exec, rows * L), column_block_threads, 0,
                         rows, body);
}

/// The same with as many lanes as the average length suggests. Rows wait for one load after the other: the more of them
/// are on their way, the better, even if lanes take several entries each.
template <class Body>
void map_rows(const Executor& exec, size_type rows, size_type num_nonzeros, Body body)
{
    if (num_nonzeros <= 6 * rows) {
        map_rows_by<4>(exec, rows, body);
    } else if (num_nonzeros <= 24 * rows) {
        map_rows_by<8>(exec, rows, body);
    } else {
        map_rows_by<32>(exec, rows, body);
    }
}

/// Calls `launch.operator()<L>()` with as few lanes L to a row as keep the device busy, since each row costs the
/// instructions of all its lanes: on an H200 rows of 7 and of 33 entries take half the time with one and four lanes
/// that they take with eight and 32, and 54,000 rows of 20 on an H100 15 us with eight lanes, 49 with 32.
template <class Launch>
void with_lanes_by_length(const Executor& exec, size_type rows, size_type num_nonzeros, Launch launch)
{
    const size_type busy_threads = static_cast<size_type>(gpu(exec).num_multiprocessors()) * busy_threads_each;
    const auto suffices = [&](int lanes) {
        return num_nonzeros <= rows * lanes * usual_part &&
               (rows * lanes >= busy_threads || num_nonzeros <= 2 * rows * lanes);
    };
    if (suffices(1)) {
        launch.template operator()<1>();
    } else if (suffices(4)) {
        launch.template operator()<4>();
    } else if (suffices(8)) {
        launch.template operator()<8>();
    } else {
        launch.template operator()<32>();
    }
}

/// The same as `map_rows` for bodies that say how long a row is: `length(row)`, negative where there is nothing to do.
template <class Body>
void map_rows_by_length(const Executor& exec, size_type rows, size_type num_nonzeros, Body body)
{
    with_lanes_by_length(exec, rows, num_nonzeros, [&]<int L>() {
        if constexpr (L == 1 && requires { Body::is_often_idle; }) {
            launch_overlapped_on(exec, detail::map_busy_rows_kernel<Body>,
                                 busy_blocks(exec, blocks_for(rows, detail::looks_per_thread)), column_block_threads, 0,
                                 rows, body);
        } else {
            launch_overlapped_on(exec, detail::map_rows_by_length_kernel<L, Body>, busy_blocks(exec, rows * L),
                                 column_block_threads, 0, rows, body);
        }
    });
}

/// Calls `use(at, k)` for those k of [begin, end) that `keep(k)` holds for, with at = first, first + 1, ... in the
/// order of k. Returns the next `at`. Called by all lanes of a subgroup with the same arguments.
template <class Group, class Keep, class Use>
__device__ inline size_type compact(Group, size_type begin, size_type end, size_type first, Keep keep, Use use)
{
    const LaneMask lanes_before = (LaneMask{1} << Group::lane()) - 1;
    for (size_type base = begin; base < end; base += Group::size) {
        const size_type k = base + Group::lane();
        const bool is_kept = k < end && keep(k);
        const LaneMask kept = Group::ballot(is_kept);
        if (is_kept) {
            use(first + popcount(kept & lanes_before), k);
        }
        first += popcount(kept);
    }
    return first;
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
