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

constinit thread_local Scheduler* Scheduler::active_ = nullptr;

namespace {

bool is_same_place(const CallSite& a, const CallSite& b)
{
    return a.line() == b.line() && a.column() == b.column() && std::string_view(a.file_name()) == b.file_name();
}

inline bool is_same(const CallSite& a, const CallSite& b)
{
    // Nearly always the two are pointers to one description of the place, which the compiler has made.
    static_assert(sizeof a == sizeof(std::uintptr_t));
    return std::bit_cast<std::uintptr_t>(a) == std::bit_cast<std::uintptr_t>(b) || is_same_place(a, b);
}

inline bool is_same(const Call& a, const Call& b) { return a.kind == b.kind && is_same(a.site, b.site); }

/// The aligned group of `width` lanes, a power of two, that holds this lane.
Mask group_of(int lane, int width) { return ~Mask{0} >> (64 - width) << (lane & -width); }

/// A loop that loads and does nothing else yields at every fourth turn; loops with a pause yield there alone.
constexpr int max_repeats = 3;
constexpr int max_skipped_turns = 15;

constexpr std::uint64_t poison_word = std::uint64_t{poison} << 32 | poison;

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
    if (active_) {
        fail("a kernel launches a kernel");
    }
    active_ = this;
    launch_ = &launch;
    gridDim = launch.grid;
    blockDim = launch.block;
    threads_ = static_cast<int>(launch.block.x * launch.block.y * launch.block.z);
    threadIdx = {0, 0, 0};
    is_one_dimensional_ = launch.block.x == static_cast<unsigned>(threads_);
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
    launch_ = nullptr;
    active_ = nullptr;
}

void Scheduler::fiber_main()
{
    Fiber::entered();
    Scheduler& e = active();
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
    fiber_ = picked_fresh_ ? &fibers_.acquire() : wave_->fibers[lane_];
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
    enter_wave(block);
    for (int w = 0; w < block.num_waves; ++w) {
        Wave& wave = *block.waves[w];
        const int lanes = std::min(launch_->wave, threads_ - w * launch_->wave);
        wave.unfinished = wave.fresh = wave.ready = ~Mask{0} >> (64 - lanes);
        wave.meeting = wave.at_barrier = wave.yielded = wave.watching = wave.progressed = 0;
        wave.skipped_turns = 0;
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
inline bool Scheduler::pick()
{
    if (!wave_->ready && !pick_elsewhere()) {
        return false;
    }
    lane_ = first(wave_->ready);
    const Mask bit = Mask{1} << lane_;
    picked_fresh_ = wave_->fresh & bit;
    wave_->fresh &= ~bit;
    if (is_one_dimensional_) {
        threadIdx.x = static_cast<unsigned>(first_thread_ + lane_);
    } else {
        threadIdx = thread_of(wave_idx_, lane_);
    }
    return true;
}

/// Finds a wave that has a runnable work-item: another one of this block, or of another block.
bool Scheduler::pick_elsewhere()
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
    if (!(block_->ready_waves >> wave_idx_ & 1)) {
        wave_idx_ = first(block_->ready_waves);
    }
    enter_wave(*block_);
    return true;
}

Uint3 Scheduler::thread_of(int wave, int lane) const
{
    const auto i = static_cast<unsigned>(wave * launch_->wave + lane);
    const Uint3 dim = launch_->block;
    return {i % dim.x, i / dim.x % dim.y, i / dim.x / dim.y};
}

/// The current block has ended: goes on with another resident block, if there is one.
void Scheduler::retire_block()
{
    idle_revivals_ = 0;
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
        const int w = std::countr_zero(waves);
        Wave& wave = *block_->waves[w];
        if (is_due(wave)) {
            make_ready(w, std::exchange(wave.yielded, 0));
            block_->yielded_waves &= ~(Mask{1} << w);
        }
    }
    // Every wait passes through atomics, fences or releases when it makes progress: without any of these in so many
    // turns, nobody is left who could end it.
    constexpr std::uint64_t max_idle_turns = 200 * (max_skipped_turns + 1);
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

/// Whether yielded lanes of a wave can do anything but yield again, as far as their loads tell. Lanes that wait without
/// a load wait with the others of their wave, or are asked every time.
bool Scheduler::is_due(Wave& wave) const
{
    bool is_due = (wave.watching & wave.yielded) == 0 || (wave.progressed & wave.yielded) != 0 ||
                  wave.skipped_turns == max_skipped_turns;
    for (Mask lanes = wave.watching & wave.yielded; lanes && !is_due; lanes &= lanes - 1) {
        is_due = wave.watches[std::countr_zero(lanes)].would_differ();
    }
    wave.skipped_turns = is_due ? 0 : wave.skipped_turns + 1;
    return is_due;
}

inline void Scheduler::suspend()
{
    Fiber& mine = *fiber_;
    wave_->fibers[lane_] = &mine;
    pick();  // finds one: this work-item has not ended
    switch_to_picked(mine, false);
}

inline void Scheduler::leave_ready(Mask lane)
{
    wave_->ready &= ~lane;
    if (!wave_->ready) {
        block_->ready_waves &= ~(Mask{1} << wave_idx_);
    }
}

inline void Scheduler::make_ready(int wave, Mask lanes)
{
    block_->waves[wave]->ready |= lanes;
    block_->ready_waves |= Mask{1} << wave;
}

// ---- waiting --------------------------------------------------------------------------------------------------------

void Scheduler::finish_lane()
{
    const Mask bit = Mask{1} << lane_;
    wave_->unfinished &= ~bit;
    leave_ready(bit);
    --block_->unfinished;
    idle_revivals_ = 0;
    if (wave_->meeting) {
        complete_without(lane_);
    }
    if (block_->at_barrier > 0) {
        release_barrier();
    }
}

/// Completes the collective that waited only for this lane, which has ended. Of nested groups the narrowest counts: a
/// wider one also waits for the lanes of the narrower.
void Scheduler::complete_without(int ended)
{
    for (int width = 2; width <= launch_->wave; width *= 2) {
        const Mask group = group_of(ended, width);
        for (Mask waiting = wave_->meeting & group; waiting; waiting &= waiting - 1) {
            if (wave_->calls[std::countr_zero(waiting)].width() == width) {
                complete_if_last(group);
                return;
            }
        }
    }
}

inline void Scheduler::barrier(CallSite site)
{
    if (block_->at_barrier == 0) {
        block_->barrier_site = site;
    } else if (!is_same(site, block_->barrier_site)) {
        fail("block barrier divergence: this work-item waits at %s:%u, others at %s:%u", site.file_name(), site.line(),
             block_->barrier_site.file_name(), block_->barrier_site.line());
    }
    const Mask bit = Mask{1} << lane_;
    wave_->calls[lane_].site = site;
    wave_->at_barrier |= bit;
    leave_ready(bit);
    ++block_->at_barrier;
    Fiber& mine = *fiber_;
    wave_->fibers[lane_] = &mine;
    release_barrier();
    pick();
    switch_to_picked(mine, false);
}

/// Opens the barrier if every work-item that has not ended waits there.
inline void Scheduler::release_barrier()
{
    if (block_->at_barrier != block_->unfinished) {
        return;
    }
    idle_revivals_ = 0;
    block_->at_barrier = 0;
    wave_idx_ = reversed_ ? block_->num_waves - 1 : 0;
    for (int w = 0; w < block_->num_waves; ++w) {
        if (const Mask lanes = std::exchange(block_->waves[w]->at_barrier, 0)) {
            make_ready(w, lanes);
        }
    }
    enter_wave(*block_);
}

inline void Scheduler::yield()
{
    const Mask bit = Mask{1} << lane_;
    wave_->yielded |= bit;
    block_->yielded_waves |= Mask{1} << wave_idx_;
    leave_ready(bit);
    suspend();
    wave_->watching &= ~bit;
    wave_->progressed &= ~bit;
}

inline Watch& Scheduler::watch()
{
    const Mask bit = Mask{1} << lane_;
    Watch& mine = wave_->watches[lane_];
    if (!(wave_->watching & bit)) {
        wave_->watching |= bit;
        mine.num_loads = mine.num_repeats = 0;
        mine.is_complete = true;
    }
    return mine;
}

inline void Scheduler::note_load(const Load& load)
{
    Watch& mine = watch();
    mine.add(load);
    if (mine.num_repeats == max_repeats) {
        yield();
    }
}

inline void Scheduler::sync(int width, CallSite site) { meet(Collective::sync, width, 0, site); }

inline std::uint64_t Scheduler::ballot(bool predicate, int width, CallSite site)
{
    const Mask bit = Mask{1} << lane_;
    wave_->predicates = predicate ? wave_->predicates | bit : wave_->predicates & ~bit;
    meet(Collective::ballot, width, 0, site);
    return wave_->results[lane_];
}

inline std::uint64_t Scheduler::exchange_word(std::uint64_t in, int bytes, int source, int width, CallSite site)
{
    wave_->sources[lane_] = static_cast<std::uint8_t>(source & (width - 1));
    wave_->words[lane_] = in;
    meet(Collective::shuffle, width, bytes, site);
    return wave_->results[lane_];
}

inline void Scheduler::exchange(const void* in, void* out, int bytes, int source, int width, CallSite site)
{
    wave_->sources[lane_] = static_cast<std::uint8_t>(source & (width - 1));
    std::memcpy(wave_->wide[lane_].bytes, in, static_cast<std::size_t>(bytes));
    meet(Collective::shuffle, width, bytes, site);
    std::memcpy(out, wave_->wide_results[lane_].bytes, static_cast<std::size_t>(bytes));
}

inline void Scheduler::meet(Collective collective, int width, int bytes, CallSite site)
{
    if (width < 1 || width > launch_->wave || (width & (width - 1)) != 0) {
        fail("%s of width %d at %s:%u: must be a power of two and at most the wave size %d", name(collective), width,
             site.file_name(), site.line(), launch_->wave);
    }
    const Call mine(collective, width, bytes, site);
    const Mask bit = Mask{1} << lane_, group = group_of(lane_, width);
    check_same_call(mine, group);
    wave_->calls[lane_] = mine;
    wave_->meeting |= bit;
    leave_ready(bit);
    complete_if_last(group);
    if (!(wave_->ready & bit) || first(wave_->ready) != lane_) {
        suspend();  // where all are there, too: the order of lanes stays the same after every collective
    }
}

/// A lane that waits for this one, or that this one will wait for, must be in the same call. (A lane of this group may
/// wait in a narrower group that does not hold this lane: it will come.)
inline void Scheduler::check_same_call(const Call& mine, Mask group) const
{
    const Mask waiting = wave_->meeting & group;
    if (waiting == 0 || is_same(wave_->calls[std::countr_zero(waiting)], mine)) {
        return;  // the others were compared with this one
    }
    find_divergence(mine, group);
}

void Scheduler::find_divergence(const Call& mine, Mask group) const
{
    for (Mask waiting = wave_->meeting & group; waiting; waiting &= waiting - 1) {
        const int i = std::countr_zero(waiting);
        const Call& other = wave_->calls[i];
        if (other.width() < mine.width() && !(group_of(i, other.width()) >> lane_ & 1)) {
            continue;
        }
        if (!is_same(other, mine)) {
            fail(
                "divergence of collectives: this work-item is in a %s of width %d at %s:%u, lane %d in a %s of width "
                "%d at %s:%u",
                name(mine.collective()), mine.width(), mine.site.file_name(), mine.site.line(), i,
                name(other.collective()), other.width(), other.site.file_name(), other.site.line());
        }
        return;  // the others were compared with this one
    }
}

/// Completes the collective of these lanes of the current wave if all that have not ended are there.
inline void Scheduler::complete_if_last(Mask group)
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
    const Call& call = wave.calls[std::countr_zero(arrived)];
    if (call.collective() == Collective::ballot) {
        const Mask votes = (wave.predicates & arrived) >> base;
        for (int i = base; i < base + call.width(); ++i) {
            wave.results[i] = votes;
        }
    } else if (call.collective() == Collective::shuffle && call.bytes() <= static_cast<int>(sizeof wave.words[0])) {
        for (int i = base; i < base + call.width(); ++i) {
            const int source = base + (wave.sources[i] & (call.width() - 1));
            wave.results[i] = arrived >> source & 1 ? wave.words[source] : poison_word;
        }
    } else if (call.collective() == Collective::shuffle) {
        for (Mask lanes = arrived; lanes; lanes &= lanes - 1) {
            const int i = std::countr_zero(lanes), source = base + wave.sources[i];
            if (arrived >> source & 1) {
                wave.wide_results[i] = wave.wide[source];
            } else {
                fill_poison(&wave.wide_results[i], sizeof wave.wide_results[i]);
            }
        }
    }
    wave.meeting &= ~arrived;
    make_ready(wave_idx_, arrived);
}

void barrier(CallSite site) { Scheduler::active().barrier(site); }
void sync(int width, CallSite site) { Scheduler::active().sync(width, site); }

std::uint64_t ballot(bool predicate, int width, CallSite site)
{
    return Scheduler::active().ballot(predicate, width, site);
}

std::uint64_t exchange_word(std::uint64_t in, int bytes, int source, int width, CallSite site)
{
    return Scheduler::active().exchange_word(in, bytes, source, width, site);
}

void exchange(const void* in, void* out, int bytes, int source, int width, CallSite site)
{
    Scheduler::active().exchange(in, out, bytes, source, width, site);
}

void yield() { Scheduler::active().yield(); }
void yield_unwatched() { Scheduler::active().yield_unwatched(); }

void note_load(const void* address, std::uint64_t bits, int bytes)
{
    Scheduler::active().note_load({address, bits, bytes});
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
        const Call& call = wave.calls[item % launch_->wave];
        const Mask bit = Mask{1} << (item % launch_->wave);
        const std::string at = std::string(" at ") + call.site.file_name() + ":" + std::to_string(call.site.line());
        return !(wave.unfinished & bit) ? "ended"
               : wave.meeting & bit     ? "in a " + std::string(name(call.collective())) + at
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
