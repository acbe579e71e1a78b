#pragma once

#include <cstddef>

#include "gpu/device/subgroup.cuh"

/// Reductions over blocks and grids. All are in fixed order: the same launch gives the same bits, and since the order
/// does not depend on the wave size, so does every platform that rounds additions alike.
namespace linden::LINDEN_GPU_NAMESPACE {

/// values[k] := reduction over the block's threads, k = 0..K-1; valid in thread 0 only. `B`: threads of the block, a
/// multiple of 32. Subgroups of 32 lanes reduce by butterfly, then one subgroup reduces their results likewise.
/// Called by all threads. Shared memory: K * B / 32 values. Contains two barriers.
template <int B, class Op = Sum, class T, int K>
__device__ inline void block_reduce(T (&values)[K], Op op = {}, CallSite site = CallSite::current())
{
    static_assert(B % 32 == 0 && B >= 32 && B <= 1024);
#if defined(LINDEN_HIP_PLATFORM_HOST)
    if (block_threads() != B) {
        hip_host::fail("block_reduce<%d> in a block of %d threads", B, block_threads());
    }
#endif
    using Group = Subgroup<32>;
    constexpr int num_groups = B / 32;
    LINDEN_UNROLL
    for (int k = 0; k < K; ++k) {
        values[k] = Group::reduce(values[k], op, site);
    }
    if constexpr (num_groups > 1) {
        constexpr int width = num_groups > 16 ? 32 : num_groups > 8 ? 16 : num_groups > 4 ? 8 : num_groups > 2 ? 4 : 2;
        LINDEN_SHARED(partials, T[K][num_groups]);
        block_barrier(site);  // an earlier call may still read them
        if (Group::lane() == 0) {
            LINDEN_UNROLL
            for (int k = 0; k < K; ++k) {
                partials[k][thread_id() / 32] = values[k];
            }
        }
        block_barrier(site);
        if (thread_id() < width) {
            LINDEN_UNROLL
            for (int k = 0; k < K; ++k) {
                const T partial = thread_id() < num_groups ? partials[k][thread_id()] : Op::template identity<T>();
                values[k] = Subgroup<width>::reduce(partial, op, site);
            }
        }
    }
}

/// The value of thread `source` in all threads of the block. Called by all threads; contains two barriers.
template <class T>
__device__ inline T block_broadcast(T value, int source, CallSite site = CallSite::current())
{
    LINDEN_SHARED(shared, T);
    block_barrier(site);
    if (thread_id() == source) {
        shared = value;
    }
    block_barrier(site);
    return shared;
}

/// Bytes of the workspace of grid_reduce: a counter, then K values of each block.
/// Alignment: 16. The first `grid_reduce_counter_bytes` must be zero before the first launch; every launch leaves them
/// zero. Launches that may overlap need a workspace each; so has each blockIdx.y.
inline constexpr size_type grid_reduce_counter_bytes = 128;
template <class T, int K>
constexpr size_type grid_reduce_bytes(size_type num_blocks)
{
    return grid_reduce_counter_bytes + num_blocks * K * static_cast<size_type>(sizeof(T));
}

/// Reduces values[k] over all threads of the grid's first dimension. Returns true in all threads of one block, the last
/// to arrive, where values[k] of every thread then holds the result. The sum runs over the blocks' results in the order
/// of the blocks, whichever block arrives last. May be recorded in a graph. Reads and writes K values per block.
template <int B, class Op = Sum, class T, int K>
__device__ inline bool grid_reduce(T (&values)[K], void* workspace, Op op = {}, CallSite site = CallSite::current())
{
    const auto counter = static_cast<std::uint32_t*>(workspace);
    const auto partials = reinterpret_cast<T*>(static_cast<std::byte*>(workspace) + grid_reduce_counter_bytes);
    block_reduce<B>(values, op, site);
    bool is_last = false;
    if (thread_id() == 0) {
        LINDEN_UNROLL
        for (int k = 0; k < K; ++k) {
            partials[static_cast<size_type>(k) * num_blocks() + block_id()] = values[k];
        }
        thread_fence();  // the counter is behind the partial results
        is_last = atomic_add(counter, 1) == static_cast<std::uint32_t>(num_blocks()) - 1;
        thread_fence();  // and the others' partial results behind the counter
    }
    if (!block_broadcast(is_last, 0, site)) {
        return false;
    }
    LINDEN_UNROLL
    for (int k = 0; k < K; ++k) {
        values[k] = Op::template identity<T>();
        for (int i = thread_id(); i < num_blocks(); i += B) {
            values[k] = op(values[k], load_cached_global(partials + static_cast<size_type>(k) * num_blocks() + i));
        }
    }
    block_reduce<B>(values, op, site);
    struct Results {
        T values[K];
    } results;
    LINDEN_UNROLL
    for (int k = 0; k < K; ++k) {
        results.values[k] = values[k];
    }
    results = block_broadcast(results, 0, site);
    LINDEN_UNROLL
    for (int k = 0; k < K; ++k) {
        values[k] = results.values[k];
    }
    if (thread_id() == 0) {
        *counter = 0;
    }
    return true;
}

/// grid_reduce, and one thread of the grid calls finalise(values) with the results.
template <int B, class Op = Sum, class T, int K, class Finalise>
__device__ inline void grid_reduce_then(T (&values)[K], void* workspace, Finalise finalise, Op op = {},
                                        CallSite site = CallSite::current())
{
    if (grid_reduce<B>(values, workspace, op, site) && thread_id() == 0) {
        finalise(values);
    }
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
