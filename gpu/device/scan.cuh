#pragma once

#include "gpu/device/subgroup.cuh"

/// Prefix sums of the threads of a block.
namespace linden::LINDEN_GPU_NAMESPACE {

/// The sum of `value` over the threads before this one, and over all of them in `total`. `B`: threads of the block, a
/// multiple of 32. Called by all threads; contains two barriers.
template <int B, class T>
__device__ inline T block_exclusive_scan(T value, T& total, CallSite site = CallSite::current())
{
    static_assert(B % 32 == 0 && B >= 32 && B <= 1024);
    using Group = Subgroup<32>;
    constexpr int num_groups = B / 32;
    LINDEN_SHARED(sums, T[num_groups]);
    T inclusive = value;
    LINDEN_UNROLL
    for (int distance = 1; distance < 32; distance *= 2) {
        const T other = Group::shuffle_up(inclusive, distance, site);
        inclusive = Group::lane() >= distance ? inclusive + other : inclusive;
    }
    block_barrier(site);  // an earlier call may still read them
    if (Group::lane() == 31) {
        sums[thread_id() / 32] = inclusive;
    }
    block_barrier(site);
    T before{};
    total = T{};
    for (int i = 0; i < num_groups; ++i) {
        before = i < thread_id() / 32 ? before + sums[i] : before;
        total += sums[i];
    }
    return before + inclusive - value;
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
