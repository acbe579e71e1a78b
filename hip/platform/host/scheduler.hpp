#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "executor.hpp"
#include "fiber.hpp"

/// Which work-item runs next: the state of the blocks that have begun and not ended, and what they wait for.
namespace linden::hip_host {

using Mask = std::uint64_t;  // bit i: lane i of a wave, or wave i of a block

enum class Collective : std::uint8_t { shuffle, ballot, sync };

constexpr const char* name(Collective c)
{
    constexpr const char* names[] = {"shuffle", "ballot", "sync"};
    return names[static_cast<int>(c)];
}

/// What a work-item leaves behind when it waits. One that never waits leaves this alone.
struct Lane {
    Fiber* fiber = nullptr;
    Uint3 thread;
    CallSite site;  // of the collective or barrier it waits at
    Collective collective{};
    std::uint8_t width = 0, bytes = 0, source = 0;
    bool predicate = false;
    std::uint64_t votes = 0;
    const void* loaded_from = nullptr;  // the last load that may be part of a spin
    std::uint64_t loaded_bits = 0;
    alignas(16) std::byte in[max_exchange_bytes], out[max_exchange_bytes];
};

/// Every unfinished lane is in exactly one of ready, meeting, at_barrier, yielded; `fresh` lanes are ready and have not
/// begun.
struct Wave {
    Mask unfinished = 0, fresh = 0, ready = 0, meeting = 0, at_barrier = 0, yielded = 0;
    Lane lanes[max_wave];
};

struct SharedVariable {
    const void* key;
    std::byte* begin;
};

struct Block {
    Uint3 index;
    Mask ready_waves = 0, yielded_waves = 0;  // waves with a ready (yielded) lane
    int num_waves = 0, unfinished = 0, at_barrier = 0;
    CallSite barrier_site;
    std::vector<std::unique_ptr<Wave>> waves;
    std::unique_ptr<std::byte[]> shared;
    std::size_t shared_used = 0;
    std::vector<SharedVariable> variables;
};

/// Each thread has its own, as if it had a device of its own: kernels of several ranks that are threads wait for each
/// other.
class Scheduler {
public:
    static Scheduler& get()
    {
        static thread_local Scheduler scheduler;
        return scheduler;
    }
    /// What the calling thread runs.
    static const Launch* running() { return running_; }

    void run(const Launch& launch);

    int lane_in_wave() const { return lane_; }
    void barrier(CallSite site);
    Lane& meet(Collective collective, int width, CallSite site, int bytes);
    void yield();
    void note_progress() { idle_revivals_ = 0; }
    Lane& lane() { return wave_->lanes[lane_]; }
    std::byte* dynamic_shared() { return block_->shared.get(); }
    std::byte* static_shared(const void* key, std::size_t bytes);

private:
    Scheduler();

    static void fiber_main();
    void start_block(Block& block);
    bool start_next_block();
    bool pick();
    void pick_wave();
    void retire_block();
    void wait_for_others();
    void switch_to_picked(Fiber& from, bool idle);
    void suspend();
    void finish_lane();
    void make_ready(int wave, Mask lanes);
    void release_barrier();
    void complete_without(int ended);
    void complete_if_last(Mask group);
    void complete(Mask group);
    Mask group_of(int lane, int width) const;
    void check_same_call(const Lane& mine, Mask group) const;
    void report_deadlock(const char* what) const;
    void poison_shared(Block& block) const;
    int first(Mask mask) const { return reversed_ ? 63 - std::countl_zero(mask) : std::countr_zero(mask); }

    static thread_local const Launch* running_;

    const bool reversed_;
    FiberPool fibers_{&Scheduler::fiber_main};
    Fiber* caller_ = nullptr;

    const Launch* launch_ = nullptr;
    int threads_ = 0;
    std::size_t max_resident_ = 0;
    std::uint64_t num_blocks_ = 0, started_ = 0;
    std::uint64_t idle_revivals_ = 0;  // of spinning blocks since something happened
    std::vector<std::unique_ptr<Block>> resident_, idle_blocks_;
    std::size_t position_ = 0;  // of block_ in resident_

    // the running work-item
    Block* block_ = nullptr;
    Wave* wave_ = nullptr;
    int wave_idx_ = 0, lane_ = 0;
    bool picked_fresh_ = false;  // has not begun: needs no stack of its own yet
    Fiber* fiber_ = nullptr;
};

}  // namespace linden::hip_host
