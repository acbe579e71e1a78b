#pragma once

#include "gpu/vector/elements.cuh"

/// Partial sums of blocks, and which block is the last.
namespace linden::LINDEN_GPU_NAMESPACE::detail {

/// No more blocks than the workspace has room for K sums per column of.
template <class T, int K>
size_type fitted_blocks(size_type blocks, size_type cols, WorkspaceView workspace)
{
    const size_type room = (workspace.bytes - reduction_header_bytes) / (K * cols * static_cast<size_type>(sizeof(T)));
    return std::max<size_type>(1, std::min(blocks, room));
}
template <class T, int K>
ColumnShape fitted(ColumnShape shape, size_type cols, WorkspaceView workspace)
{
    return {shape.column_lanes, fitted_blocks<T, K>(shape.grid.x, cols, workspace)};
}

template <class T, int K>
struct Partials {
    std::uint32_t* counter;
    T* values;          // [col][k][block]
    T* left = nullptr;  // [col][k]: where sums are left for other ranks; null: there are none

    __host__ __device__ T* of(size_type col, int k, int num_blocks) const
    {
        return values + (col * K + k) * num_blocks;
    }
};

/// *p += value with the order of a release and an acquire; returns the old value.
__device__ inline std::uint32_t atomic_add_ordered(std::uint32_t* p, std::uint32_t value)
{
#if defined(__CUDACC__) && !defined(LINDEN_GPU_HIP)
    // One instruction instead of two fences saves a microsecond at the end of every reduction on an H200.
    std::uint32_t old;
    asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(p), "r"(value) : "memory");
    return old;
#else
    thread_fence();
    const std::uint32_t old = atomic_add(p, value);
    thread_fence();
    return old;
#endif
}

template <class T, int K>
Partials<T, K> partials_in(WorkspaceView workspace)
{
    return {reinterpret_cast<std::uint32_t*>(workspace.data),
            reinterpret_cast<T*>(workspace.data + reduction_header_bytes),
            workspace.ranks == nullptr ? nullptr : reinterpret_cast<T*>(workspace.ranks->room())};
}

/// Whether this block is the last of the grid to come here; all threads learn it. The counter starts and ends at 0.
__device__ inline bool is_last_block(std::uint32_t* counter)
{
    bool is_last = false;
    if (thread_id() == 0) {
        // The counter comes behind this block's partial sums, and the others' partial sums behind the counter.
        is_last = atomic_add_ordered(counter, 1) == static_cast<std::uint32_t>(num_blocks()) - 1;
        if (is_last) {
            *counter = 0;
        }
    }
    return block_broadcast(is_last, 0);
}

}  // namespace linden::LINDEN_GPU_NAMESPACE::detail
