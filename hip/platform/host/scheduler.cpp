#include "scheduler.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#if defined(LINDEN_HIP_HOST_ASAN)
#include <sanitizer/asan_interface.h>
#endif

namespace linden::hip_host {

constinit thread_local const Launch* Scheduler::running_ = nullptr;

namespace {

bool is_same(const CallSite& a, const CallSite& b)
{
    const bool same_file = a.file_name() == b.file_name() || std::string_view(a.file_name()) == b.file_name();
    return a.line() == b.line() && a.column() == b.column() && same_file;
}

constexpr std::size_t shared_gap = 32;  // unaddressable bytes between shared variables, under AddressSanitizer

}  // namespace

Scheduler::Scheduler()
    : reversed_([] {
          const char* order = std::getenv("LINDEN_HIP_HOST_ORDER");
          const std::string_view name = order ? order : "forward";
          if (name != "forward" && name != "reverse") {
              fail("LINDEN_HIP_HOST_ORDER is '%s', allowed are forward and reverse", order);
          }
          return name == "reverse";
      }())
{
}

// ---- launching ------------------------------------------------------------------------------------------------------

void Scheduler::run(const Launch& launch)
{
    if (running_) {
        fail("a kernel launches a kernel");
    }
    running_ = launch_ = &launch;
    gridDim = launch.grid;
    blockDim = launch.block;
    threads_ = static_cast<int>(launch.block.x * launch.block.y * launch.block.z);
    num_blocks_ = std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
    max_resident_ = static_cast<std::size_t>(occupancy(threads_, launch.shared_bytes)) * num_multiprocessors;
    started_ = 0;
    idle_revivals_ = 0;
    if (start_next_block()) {
        pick();
        Fiber caller;
        caller_ = &caller;
        switch_to_picked(caller, false);
    }
    running_ = launch_ = nullptr;
}

void Scheduler::fiber_main()
{
    Fiber::entered();
    Scheduler& e = get();
    for (;;) {
        e.launch_->body();
        e.finish_lane();
        if (!e.pick()) {
            Fiber& mine = *e.fiber_;
            e.fibers_.release(mine);
            Fiber::switch_to(mine, *e.caller_, true);
        } else if (!e.picked_fresh_) {
            Fiber& mine = *e.fiber_;
            e.fibers_.release(mine);
            e.switch_to_picked(mine, true);
        }  // a fresh work-item runs on this stack, at no cost
    }
}

/// Continues with the picked lane, on its own stack or, where it has none yet, on an idle one.
void Scheduler::switch_to_picked(Fiber& from, bool idle)
{
    fiber_ = picked_fresh_ ? &fibers_.acquire() : lane().fiber;
    if (fiber_ != &from) {
        Fiber::switch_to(from, *fiber_, idle);
    }
}

bool Scheduler::start_next_block()
{
    if (started_ == num_blocks_ || resident_.size() == max_resident_) {
        return false;
    }
    const std::uint64_t i = reversed_ ? num_blocks_ - 1 - started_ : started_;
    ++started_;
    if (idle_blocks_.empty()) {
        idle_blocks_.push_back(std::make_unique<Block>());
        idle_blocks_.back()->shared = std::make_unique<std::byte[]>(max_shared_bytes);
    }
    position_ = resident_.size();
    resident_.push_back(std::move(idle_blocks_.back()));
    idle_blocks_.pop_back();
    const Uint3 grid = launch_->grid;
    block_ = resident_.back().get();
    block_->index = {static_cast<unsigned>(i % grid.x), static_cast<unsigned>(i / grid.x % grid.y),
                     static_cast<unsigned>(i / grid.x / grid.y)};
    start_block(*block_);
    return true;
}

void Scheduler::start_block(Block& block)
{
    blockIdx = block.index;
    block.num_waves = (threads_ + launch_->wave - 1) / launch_->wave;
    wave_idx_ = reversed_ ? block.num_waves - 1 : 0;
    block.unfinished = threads_;
    block.at_barrier = 0;
    block.yielded_waves = 0;
    block.ready_waves = ~Mask{0} >> (64 - block.num_waves);
    while (static_cast<int>(block.waves.size()) < block.num_waves) {
        block.waves.push_back(std::make_unique<Wave>());
    }
    for (int w = 0; w < block.num_waves; ++w) {
        Wave& wave = *block.waves[w];
        const int lanes = std::min(launch_->wave, threads_ - w * launch_->wave);
        wave.unfinished = wave.fresh = wave.ready = ~Mask{0} >> (64 - lanes);
        wave.meeting = wave.at_barrier = wave.yielded = 0;
    }
    block.variables.clear();
    block.shared_used = launch_->shared_bytes;
    poison_shared(block);
}

void Scheduler::poison_shared(Block& block) const
{
#if defined(LINDEN_HIP_HOST_ASAN)
    ASAN_POISON_MEMORY_REGION(block.shared.get(), max_shared_bytes);
    ASAN_UNPOISON_MEMORY_REGION(block.shared.get(), launch_->shared_bytes);
#endif
    fill_poison(block.shared.get(), launch_->shared_bytes);
}

// ---- choosing the next work-item ------------------------------------------------------------------------------------

/// Makes a runnable work-item the current one; false when the grid is done.
bool Scheduler::pick()
{
    while (!block_->ready_waves) {
        if (block_->unfinished == 0) {
            retire_block();
            if (resident_.empty() && !start_next_block()) {
                return false;
            }
        } else {
            wait_for_others();
        }
    }
    pick_wave();
    return true;
}

void Scheduler::pick_wave()
{
    if (!(block_->ready_waves >> wave_idx_ & 1)) {
        wave_idx_ = first(block_->ready_waves);
    }
    wave_ = block_->waves[wave_idx_].get();
    lane_ = first(wave_->ready);
    const Mask bit = Mask{1} << lane_;
    picked_fresh_ = wave_->fresh & bit;
    if (!picked_fresh_) {
        threadIdx = lane().thread;
        return;
    }
    wave_->fresh &= ~bit;
    const auto i = static_cast<unsigned>(wave_idx_ * launch_->wave + lane_);
    const Uint3 dim = launch_->block;
    threadIdx = dim.x == static_cast<unsigned>(threads_) ? Uint3{i, 0, 0}
                                                         : Uint3{i % dim.x, i / dim.x % dim.y, i / dim.x / dim.y};
}

/// The current block has ended: goes on with another resident block, if there is one.
void Scheduler::retire_block()
{
    note_progress();
    idle_blocks_.push_back(std::move(resident_[position_]));
    resident_.erase(resident_.begin() + static_cast<std::ptrdiff_t>(position_));
    if (!resident_.empty()) {
        position_ %= resident_.size();
        block_ = resident_[position_].get();
        blockIdx = block_->index;
    }
}

/// Nothing in the current block can run. Its spinning work-items get another turn after the other resident blocks.
void Scheduler::wait_for_others()
{
    if (!block_->yielded_waves) {
        report_deadlock("deadlock");
    }
    for (Mask waves = block_->yielded_waves; waves; waves &= waves - 1) {
        Wave& wave = *block_->waves[std::countr_zero(waves)];
        wave.ready |= std::exchange(wave.yielded, 0);
    }
    block_->ready_waves |= std::exchange(block_->yielded_waves, 0);
    // Every wait passes through atomics, fences or releases when it makes progress: without any of these in so many
    // turns, nobody is left who could end it.
    constexpr std::uint64_t max_idle_turns = 200;
    ++idle_revivals_;
    if (!start_next_block()) {
        if (idle_revivals_ > max_idle_turns * resident_.size()) {
            report_deadlock(started_ == num_blocks_
                                ? "deadlock: work-items spin on values that nobody will change"
                                : "deadlock: work-items spin and no further block fits on the device");
        }
        position_ = (position_ + 1) % resident_.size();
        block_ = resident_[position_].get();
        blockIdx = block_->index;
    }
}

void Scheduler::suspend()
{
    Fiber& mine = *fiber_;
    lane().fiber = &mine;
    lane().thread = threadIdx;
    pick();
    switch_to_picked(mine, false);
}

void Scheduler::make_ready(int wave, Mask lanes)
{
    block_->waves[wave]->ready |= lanes;
    block_->ready_waves |= Mask{1} << wave;
}

// ---- waiting --------------------------------------------------------------------------------------------------------

void Scheduler::finish_lane()
{
    const Mask bit = Mask{1} << lane_;
    wave_->unfinished &= ~bit;
    wave_->ready &= ~bit;
    if (!wave_->ready) {
        block_->ready_waves &= ~(Mask{1} << wave_idx_);
    }
    --block_->unfinished;
    note_progress();
    complete_without(lane_);
    if (block_->at_barrier > 0) {
        release_barrier();
    }
}

/// Completes the collective that waited only for this lane, which has ended. Of nested groups the narrowest counts: a
/// wider one also waits for the lanes of the narrower.
void Scheduler::complete_without(int ended)
{
    if (!wave_->meeting) {
        return;
    }
    for (int width = 2; width <= launch_->wave; width *= 2) {
        const Mask group = group_of(ended, width);
        for (Mask waiting = wave_->meeting & group; waiting; waiting &= waiting - 1) {
            if (wave_->lanes[std::countr_zero(waiting)].width == width) {
                complete_if_last(group);
                return;
            }
        }
    }
}

void Scheduler::barrier(CallSite site)
{
    if (block_->at_barrier == 0) {
        block_->barrier_site = site;
    } else if (!is_same(site, block_->barrier_site)) {
        fail("block barrier divergence: this work-item waits at %s:%u, others at %s:%u", site.file_name(), site.line(),
             block_->barrier_site.file_name(), block_->barrier_site.line());
    }
    const Mask bit = Mask{1} << lane_;
    lane().site = site;
    wave_->ready &= ~bit;
    wave_->at_barrier |= bit;
    if (!wave_->ready) {
        block_->ready_waves &= ~(Mask{1} << wave_idx_);
    }
    ++block_->at_barrier;
    release_barrier();
    suspend();
}

/// Opens the barrier if every work-item that has not ended waits there.
void Scheduler::release_barrier()
{
    if (block_->at_barrier != block_->unfinished) {
        return;
    }
    note_progress();
    block_->at_barrier = 0;
    wave_idx_ = reversed_ ? block_->num_waves - 1 : 0;
    for (int w = 0; w < block_->num_waves; ++w) {
        if (const Mask lanes = std::exchange(block_->waves[w]->at_barrier, 0)) {
            make_ready(w, lanes);
        }
    }
}

void Scheduler::yield()
{
    const Mask bit = Mask{1} << lane_;
    wave_->ready &= ~bit;
    wave_->yielded |= bit;
    block_->yielded_waves |= Mask{1} << wave_idx_;
    if (!wave_->ready) {
        block_->ready_waves &= ~(Mask{1} << wave_idx_);
    }
    suspend();
}

Mask Scheduler::group_of(int lane, int width) const { return ~Mask{0} >> (64 - width) << (lane / width * width); }

Lane& Scheduler::meet(Collective collective, int width, CallSite site, int bytes)
{
    if (width < 1 || width > launch_->wave || (width & (width - 1)) != 0) {
        fail("%s of width %d at %s:%u: must be a power of two and at most the wave size %d", name(collective), width,
             site.file_name(), site.line(), launch_->wave);
    }
    Lane& mine = lane();
    mine.collective = collective;
    mine.width = static_cast<std::uint8_t>(width);
    mine.bytes = static_cast<std::uint8_t>(bytes);
    mine.site = site;
    const Mask bit = Mask{1} << lane_, group = group_of(lane_, width);
    check_same_call(mine, group);
    wave_->ready &= ~bit;
    wave_->meeting |= bit;
    if (!wave_->ready) {
        block_->ready_waves &= ~(Mask{1} << wave_idx_);
    }
    complete_if_last(group);
    if (!(wave_->ready & bit)) {
        suspend();
    } else if (first(wave_->ready) != lane_) {
        suspend();  // the order of lanes stays the same after every collective
    }
    return mine;
}

/// A lane that waits for this one, or that this one will wait for, must be in the same call. (A lane of this group may
/// wait in a narrower group that does not hold this lane: it will come.)
void Scheduler::check_same_call(const Lane& mine, Mask group) const
{
    for (Mask waiting = wave_->meeting & group; waiting; waiting &= waiting - 1) {
        const int i = std::countr_zero(waiting);
        const Lane& other = wave_->lanes[i];
        if (other.width < mine.width && !(group_of(i, other.width) >> lane_ & 1)) {
            continue;
        }
        if (other.collective != mine.collective || other.width != mine.width || other.bytes != mine.bytes ||
            !is_same(other.site, mine.site)) {
            fail(
                "divergence of collectives: this work-item is in a %s of width %d at %s:%u, lane %d in a %s of width "
                "%d at %s:%u",
                name(mine.collective), mine.width, mine.site.file_name(), mine.site.line(), i, name(other.collective),
                other.width, other.site.file_name(), other.site.line());
        }
        return;  // the others were compared with this one
    }
}

/// Completes the collective of these lanes of the current wave if all that have not ended are there.
void Scheduler::complete_if_last(Mask group)
{
    if ((wave_->meeting & group) == (wave_->unfinished & group)) {
        complete(group);
    }
}

void Scheduler::complete(Mask group)
{
    Wave& wave = *wave_;
    const Mask arrived = wave.meeting & group;
    const int base = std::countr_zero(group);
    const Collective collective = wave.lanes[std::countr_zero(arrived)].collective;
    Mask votes = 0;
    if (collective == Collective::ballot) {
        for (Mask lanes = arrived; lanes; lanes &= lanes - 1) {
            const int i = std::countr_zero(lanes);
            votes |= Mask{wave.lanes[i].predicate} << (i - base);
        }
    }
    for (Mask lanes = arrived; lanes; lanes &= lanes - 1) {
        Lane& to = wave.lanes[std::countr_zero(lanes)];
        to.votes = votes;
        if (collective != Collective::shuffle) {
            continue;
        }
        const int source = base + to.source;
        if (arrived >> source & 1) {
            std::memcpy(to.out, wave.lanes[source].in, max_exchange_bytes);
        } else {
            fill_poison(to.out, max_exchange_bytes);
        }
    }
    wave.meeting &= ~arrived;
    make_ready(wave_idx_, arrived);
}

// ---- shared memory --------------------------------------------------------------------------------------------------

std::byte* Scheduler::static_shared(const void* key, std::size_t bytes)
{
    for (const SharedVariable& v : block_->variables) {
        if (v.key == key) {
            return v.begin;
        }
    }
    const std::size_t offset = (block_->shared_used + shared_gap + 15) / 16 * 16;
    if (offset + bytes > max_shared_bytes) {
        fail("more than %zu bytes of shared memory", max_shared_bytes);
    }
    std::byte* begin = block_->shared.get() + offset;
    block_->shared_used = offset + bytes;
    block_->variables.push_back({key, begin});
#if defined(LINDEN_HIP_HOST_ASAN)
    ASAN_UNPOISON_MEMORY_REGION(begin, bytes);
#endif
    fill_poison(begin, bytes);
    return begin;
}

// ---- messages -------------------------------------------------------------------------------------------------------

/// What the work-items of the current block wait for; neighbours with the same answer share a line.
void Scheduler::report_deadlock(const char* what) const
{
    const auto state = [this](int item) -> std::string {
        const Wave& wave = *block_->waves[item / launch_->wave];
        const Lane& lane = wave.lanes[item % launch_->wave];
        const Mask bit = Mask{1} << (item % launch_->wave);
        const std::string at = std::string(" at ") + lane.site.file_name() + ":" + std::to_string(lane.site.line());
        return !(wave.unfinished & bit) ? "ended"
               : wave.meeting & bit     ? "in a " + std::string(name(lane.collective)) + at
               : wave.at_barrier & bit  ? "at the block barrier" + at
                                        : "spinning or ready";
    };
    for (int begin = 0, end = 0; begin < threads_; begin = end) {
        const std::string now = state(begin);
        while (end < threads_ && state(end) == now) {
            ++end;
        }
        std::fprintf(stderr, "  threads %d to %d: %s\n", begin, end - 1, now.c_str());
    }
    fail("%s", what);
}

}  // namespace linden::hip_host
