#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <source_location>
#include <type_traits>

/// Runs HIP kernels on the CPU, one work-item at a time, with the semantics that are common to all GPUs.
///
/// - A work-item runs until it ends or waits (collective, barrier, spin). A kernel that never waits runs as a plain
///   loop on one stack; a waiting work-item keeps its stack and the next one continues on another.
/// - A collective of width w completes when every work-item of the aligned group of w lanes that has not ended arrives;
///   they must arrive at the same call. This is CUDA's rule for masked collectives and holds on AMD's lockstep waves.
/// - A wave whose work-items spin on loads gets its turn when one of these would read something new, and every 16th
/// time.
/// - Blocks run one after the other; when all work-items of a block spin, more blocks become resident, up to
///   `num_multiprocessors * max_resident_threads` work-items in all.
/// - LINDEN_HIP_HOST_ORDER=reverse runs lanes, waves and blocks from last to first.
///
/// Wrong programs end with a message on standard error and abort(): diverging collectives or barriers, deadlocks (also
/// of spinning work-items), shuffles of a bad width, too much shared memory. What must not be read holds `poison`.
namespace linden::hip_host {

struct Uint3 {
    unsigned x = 1, y = 1, z = 1;
    constexpr Uint3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

extern constinit thread_local Uint3 threadIdx, blockIdx, blockDim, gridDim;  // of the running work-item

inline constexpr int max_wave = 64;
inline constexpr int max_block_threads = 1024;
inline constexpr int num_multiprocessors = 4;
inline constexpr int max_resident_threads = 1024;  // per multiprocessor
inline constexpr int max_resident_blocks = 16;     // per multiprocessor
inline constexpr std::size_t max_shared_bytes = 64 * 1024;
inline constexpr std::size_t max_exchange_bytes = 32;  // of one shuffled value

/// A NaN as float and as double, and an index so large that using it faults.
inline constexpr std::uint32_t poison = 0x7ff8dead;
void fill_poison(void* begin, std::size_t bytes);

using CallSite = std::source_location;

[[noreturn]] void fail(const char* format, ...) __attribute__((format(printf, 1, 2)));

// ---- what kernels call ----------------------------------------------------------------------------------------------

int lane_in_wave();
void barrier(CallSite site);
void sync(int width, CallSite site);
std::uint64_t ballot(bool predicate, int width, CallSite site);
/// The value of lane `source` of a value of `bytes` <= 8 bytes, which are the first of a word.
std::uint64_t exchange_word(std::uint64_t in, int bytes, int source, int width, CallSite site);
void exchange(const void* in, void* out, int bytes, int source, int width, CallSite site);
/// Lets others run: every loop that waits for another work-item must pass through here.
void yield();
/// The same for loops that wait for what is no load.
void yield_unwatched();
/// Something was written (or read from a clock) that may end another work-item's wait.
void note_progress();
/// A load that may be part of a wait: yields when this work-item has read the same bits from the same place several
/// times.
void note_load(const void* address, std::uint64_t bits, int bytes);
template <class Bits>
void note_load(const void* address, Bits bits)
{
    note_load(address, std::uint64_t{bits}, static_cast<int>(sizeof bits));
}
/// After an atomic: one that changed nothing may be part of a wait, and yields.
void note_atomic(bool is_progress);
std::uint64_t timer_ns();
void* dynamic_shared();
void* static_shared(const void* key, std::size_t bytes);

/// The value of lane `source` (0 <= source < width) of the caller's group; poison where that lane has ended.
template <class T>
[[gnu::always_inline]] inline T shuffle(T value, int source, int width, CallSite site = CallSite::current())
{
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= max_exchange_bytes);
    T result;
    if constexpr (sizeof(T) <= sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, &value, sizeof value);
        word = exchange_word(word, sizeof(T), source, width, site);
        std::memcpy(&result, &word, sizeof result);
    } else {
        exchange(&value, &result, sizeof(T), source, width, site);
    }
    return result;
}

// ---- what the host calls --------------------------------------------------------------------------------------------

struct Launch {
    const void* kernel = nullptr;  // only for messages
    Uint3 grid, block;
    std::size_t shared_bytes = 0;
    int wave = max_wave;
    std::function<void()> body;
};

bool is_valid(const Launch& launch);
/// Runs all work-items before it returns.
void execute(const Launch& launch);
/// Resident blocks of one multiprocessor.
int occupancy(int block_threads, std::size_t shared_bytes);

}  // namespace linden::hip_host
