#pragma once

#include "gpu/device/bisection.cuh"
#include "gpu/device/bits.cuh"
#include "gpu/vector/elements.cuh"

/// Kernels that give each row of a compressed matrix to a subgroup.
namespace linden::LINDEN_GPU_NAMESPACE {

/// Rows of at most so many entries on average go to subgroups of 8 lanes, others to subgroups of 32.
inline constexpr size_type short_row = 8;

namespace detail {

template <int L, class Body>
__global__ void __launch_bounds__(column_block_threads, column_blocks_per_multiprocessor)
    map_row_groups(size_type rows, Body body)
{
    const size_type step = grid_threads() / L;
    for (size_type row = Subgroup<L>::index(); row < rows; row += step) {
        body(Subgroup<L>{}, row);
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
    launch_on(exec, detail::map_row_groups<L, Body>, busy_blocks(exec, rows * L), column_block_threads, 0, rows, body);
}

/// The same with a Subgroup<8> or a Subgroup<32>, as the average length suggests.
template <class Body>
void map_rows(const Executor& exec, size_type rows, size_type num_nonzeros, Body body)
{
    if (num_nonzeros <= rows * short_row) {
        map_rows_by<8>(exec, rows, body);
    } else {
        map_rows_by<32>(exec, rows, body);
    }
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
