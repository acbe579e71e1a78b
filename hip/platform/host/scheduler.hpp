#pragma once

#include <algorithm>
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

/// What a work-item waits in. The kind is one number, since calls are compared and copied at every wait.
struct Call {
    CallSite site;
    std::uint32_t kind = 0;  // collective; width and bytes, of which a barrier has neither

    Call() = default;
    Call(Collective collective, int width, int bytes, CallSite site_)
        : site(site_),
          kind(static_cast<std::uint32_t>(static_cast<int>(collective) | width << 8 | bytes << 16))
    {
    }
    Collective collective() const { return static_cast<Collective>(kind & 0xff); }
    int width() const { return static_cast<int>(kind >> 8 & 0xff); }
    int bytes() const { return static_cast<int>(kind >> 16); }
};

/// What a load of 4 or 8 bytes read.
struct Load {
    const void* from = nullptr;
    std::uint64_t bits = 0;
    int bytes = 0;

    bool operator==(const Load&) const = default;
    bool would_differ() const
    {
        std::uint64_t now = 0;
        if (bytes == 8) {
            std::memcpy(&now, from, 8);
        } else {
            std::memcpy(&now, from, 4);
        }
        return now != bits;
    }
};

/// The loads of a work-item since it last yielded: while these would read the same, it has nothing to do, unless it
/// waits for something else as well.
struct Watch {
    static constexpr int max_loads = 8;

    Load loads[max_loads];
    int num_loads = 0, num_repeats = 0;  // repeats: of the last load
    bool is_complete = true;

    void add(const Load& load)
    {
        const bool is_last = num_loads > 0 && loads[num_loads - 1] == load;
        num_repeats = is_last ? num_repeats + 1 : 0;
        if (!is_last && num_loads < max_loads) {
            loads[num_loads++] = load;
        } else if (!is_last) {
            is_complete = false;
        }
    }
    bool would_differ() const
    {
        return !is_complete || std::any_of(loads, loads + num_loads, [](const Load& l) { return l.would_differ(); });
    }
};

struct Wide {
    alignas(16) std::byte bytes[max_exchange_bytes];
};

/// Every unfinished lane is in exactly one of ready, meeting, at_barrier, yielded; `fresh` lanes are ready and have not
/// begun. What lanes leave behind when they wait is kept by kind, not by lane: a wait then touches few cache lines.
struct Wave {
    Mask unfinished = 0, fresh = 0, ready = 0, meeting = 0, at_barrier = 0, yielded = 0;
    Mask predicates = 0;           // of ballots
    Fiber* fibers[max_wave] = {};  // of lanes that wait
    Call calls[max_wave];
    std::uint8_t sources[max_wave] = {};                         // of shuffles
    std::uint64_t words[max_wave] = {}, results[max_wave] = {};  // shuffled values of one word; also votes
    Mask watching = 0;                                           // lanes whose watches hold
    Mask progressed = 0;    // lanes that did more than wait since they last yielded
    int skipped_turns = 0;  // since its yielded lanes last ran
    Watch watches[max_wave];
    Wide wide[max_wave], wide_results[max_wave];
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
    /// The calling thread's.
    static Scheduler& get()
    {
        static thread_local Scheduler scheduler;
        return scheduler;
    }
    /// The one that runs the calling work-item.
    static Scheduler& active() { return *active_; }
    /// What the calling thread runs.
    static const Launch* running() { return active_ ? active_->launch_ : nullptr; }

    void run(const Launch& launch);

    int lane_in_wave() const { return lane_; }
    void barrier(CallSite site);
    void sync(int width, CallSite site);
    std::uint64_t ballot(bool predicate, int width, CallSite site);
    std::uint64_t exchange_word(std::uint64_t in, int bytes, int source, int width, CallSite site);
    void exchange(const void* in, void* out, int bytes, int source, int width, CallSite site);
    void yield();
    /// Waits for what is no load.
    void yield_unwatched()
    {
        wave_->progressed |= Mask{1} << lane_;
        yield();
    }
    void note_progress()
    {
        idle_revivals_ = 0;
        wave_->progressed |= Mask{1} << lane_;
    }
    void note_load(const Load& load);
    std::byte* dynamic_shared() { return block_->shared.get(); }
    std::byte* static_shared(const void* key, std::size_t bytes);

private:
    Scheduler();

    static void fiber_main();
    void start_block(Block& block);
    bool start_next_block();
    bool pick();
    bool pick_elsewhere();
    Watch& watch();
    bool is_due(Wave& wave) const;
    void enter_wave(const Block& block)
    {
        wave_ = block.waves[static_cast<std::size_t>(wave_idx_)].get();
        first_thread_ = wave_idx_ * launch_->wave;
    }
    void retire_block();
    void wait_for_others();
    Uint3 thread_of(int wave, int lane) const;
    void switch_to_picked(Fiber& from, bool idle);
    void suspend();
    void finish_lane();
    void leave_ready(Mask lane);
    void make_ready(int wave, Mask lanes);
    void release_barrier();
    void meet(Collective collective, int width, int bytes, CallSite site);
    void complete_without(int ended);
    void complete_if_last(Mask group);
    void complete(Mask group);
    void check_same_call(const Call& mine, Mask group) const;
    void find_divergence(const Call& mine, Mask group) const;
    void report_deadlock(const char* what) const;
    void poison_shared(Block& block) const;
    int first(Mask mask) const { return reversed_ ? 63 - std::countl_zero(mask) : std::countr_zero(mask); }

    static thread_local Scheduler* active_;

    const bool reversed_;
    FiberPool fibers_{&Scheduler::fiber_main};
    Fiber* caller_ = nullptr;

    const Launch* launch_ = nullptr;
    int threads_ = 0;
    bool is_one_dimensional_ = true;  // its blocks
    std::size_t max_resident_ = 0;
    std::uint64_t num_blocks_ = 0, started_ = 0;
    std::uint64_t idle_revivals_ = 0;  // of spinning blocks since something happened
    std::vector<std::unique_ptr<Block>> resident_, idle_blocks_;
    std::size_t position_ = 0;  // of block_ in resident_

    // the running work-item
    Block* block_ = nullptr;
    Wave* wave_ = nullptr;  // wave_idx_ of block_, when a work-item runs
    int wave_idx_ = 0, lane_ = 0;
    int first_thread_ = 0;       // of the wave
    bool picked_fresh_ = false;  // has not begun: needs no stack of its own yet
    Fiber* fiber_ = nullptr;
};

}  // namespace linden::hip_host
