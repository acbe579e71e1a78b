#pragma once

#include "gpu/device/subgroup.cuh"

/// Prefix sums of the threads of large blocks.
namespace linden::LINDEN_GPU_NAMESPACE {

/// The sum of `value` over the lanes up to this one, of 32.
template <class T>
__device__ inline T wave_inclusive_scan(T value, CallSite site = CallSite::current())
{
    using Group = Subgroup<32>;
    LINDEN_UNROLL
    for (int distance = 1; distance < 32; distance *= 2) {
        const T other = Group::shuffle_up(value, distance, site);
        value = Group::lane() >= distance ? value + other : value;
    }
    return value;
}

/// As block_exclusive_scan, where waves add their sums by a scan, too: with 32 of them a thread of that function has
/// all sums in registers.
template <int B, class T>
__device__ inline T wide_exclusive_scan(T value, T& total, CallSite site = CallSite::current())
{
    static_assert(B % 32 == 0 && B >= 32 && B <= 1024);
    using Group = Subgroup<32>;
    constexpr int num_groups = B / 32;
    LINDEN_SHARED(sums, T[num_groups]);
    const T inclusive = wave_inclusive_scan(value, site);
    block_barrier(site);  // an earlier call may still read them
    if (Group::lane() == 31) {
        sums[thread_id() / 32] = inclusive;
    }
    block_barrier(site);
    const T up_to = wave_inclusive_scan(Group::lane() < num_groups ? sums[Group::lane()] : T{}, site);
    total = Group::shuffle(up_to, 31, site);
    const T with_own = Group::shuffle(up_to, thread_id() / 32, site);
    return with_own - sums[thread_id() / 32] + inclusive - value;
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
