#pragma once

#include <cstdint>

#include "gpu/device/memory_order.cuh"

/// Where blocks that all are on the device at the same time wait for each other (cuda/cooperative.cuh).
namespace linden::cuda {

/// Where all blocks of a cooperative kernel meet: the lower half of a word counts those that have come, the upper half
/// those of them that said yes.
class Meeting {
public:
    /// The word is zero when the kernel begins.
    __device__ explicit Meeting(std::uint64_t* word) : word_(word) {}

    /// Whether any thread of the grid says yes; what they wrote before is seen by all behind it. Called by all threads;
    /// of two meetings in a row, all say no at one.
    __device__ bool any(bool predicate)
    {
        LINDEN_SHARED(is_any, bool);
        constexpr int half = 32;
        const bool says_yes = __syncthreads_or(predicate ? 1 : 0) != 0;
        if (thread_id() == 0) {
            come_ += static_cast<std::uint32_t>(num_blocks());
            const std::uint64_t mine = (std::uint64_t{says_yes ? 1u : 0u} << half) + 1;
            asm volatile("red.release.gpu.global.add.u64 [%0], %1;" ::"l"(word_), "l"(mine) : "memory");
            std::uint64_t seen = load_acquire(word_);
            while (static_cast<std::uint32_t>(seen) < come_) {
                seen = load_acquire(word_);
            }
            // Some may have come to the next meeting before this is read, where all say no if here they did not.
            is_any = seen >> half != said_yes_;
            said_yes_ = seen >> half;
        }
        block_barrier();
        return is_any;
    }
    __device__ void all_come() { (void)any(false); }

private:
    std::uint64_t* word_;
    std::uint32_t come_ = 0;
    std::uint64_t said_yes_ = 0;
};

}  // namespace linden::cuda
