#pragma once

#include "gpu/device/device.cuh"

/// The copy engine of NVIDIA devices from compute capability 9.0 on: copies from global into shared memory that run
/// beside the threads and end at a barrier in shared memory. Addresses and lengths are multiples of 16 bytes. [PTX ISA,
/// cp.async.bulk and mbarrier]
#if !defined(LINDEN_GPU_HIP)
namespace linden::LINDEN_GPU_NAMESPACE {

/// An address in shared memory as the instructions want it.
__device__ inline unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

/// Prepares a barrier at `barrier` for one arrival and the bytes that this announces.
__device__ inline void barrier_init(unsigned barrier)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
}
/// Copies issued after it see the barriers.
__device__ inline void fence_bulk_copies() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

/// Ends the phase of the barrier once `expected_bytes` have come.
__device__ inline void barrier_arrive(unsigned barrier, unsigned expected_bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(expected_bytes)
                 : "memory");
}
/// Waits for the end of a phase; phases have the parities 0, 1, 0, ...
__device__ inline void barrier_wait(unsigned barrier, unsigned parity)
{
    unsigned done = 0;
    while (done == 0) {
        asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                     : "=r"(done)
                     : "r"(barrier), "r"(parity)
                     : "memory");
    }
}

/// For data that is read once: first to leave the L2 cache.
__device__ inline std::uint64_t evict_first_policy()
{
    std::uint64_t policy;
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    return policy;
}

/// Starts a copy into shared memory that the barrier counts; none for 0 bytes.
__device__ inline void bulk_copy(void* target, const void* source, unsigned bytes, unsigned barrier,
                                 std::uint64_t policy)
{
    if (bytes != 0) {
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], "
            "%4;" ::"r"(shared_address(target)),
            "l"(source), "r"(bytes), "r"(barrier), "l"(policy)
            : "memory");
    }
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
#endif
