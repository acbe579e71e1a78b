#pragma once

#include "core/base/peer_group.hpp"
#include "gpu/device/system_memory.cuh"

/// Messages between kernels of several ranks (core/base/peer_group.hpp). Every wait is bounded: it ends when another
/// rank has failed, and after the group's patience.
namespace linden::LINDEN_GPU_NAMESPACE {

/// Between two looks at the clock and at whether a rank has failed.
inline constexpr int turns_between_looks = 64;

/// Remembers that a wait failed, for the host and for later waits, which then do not last.
__device__ inline void give_up(const PeerGroup& group, std::int32_t failure)
{
    *static_cast<volatile std::int32_t*>(group.failure) = failure;
    store_system_release(group.aborted, 1);
}

/// Waits until `is_there()`; false if that is given up. `from`: the rank that is waited for,
/// or -1.
template <class Predicate>
__device__ inline bool wait_for_rank(const PeerGroup& group, int from, const Predicate& is_there)
{
    if (is_there()) {
        return true;
    }
    const std::uint64_t begin = global_timer_ns();
    for (;;) {
        for (int turn = 0; turn < turns_between_looks; ++turn) {
            if (is_there()) {
                return true;
            }
            pause_for_device();
        }
        if (load_system_acquire(group.aborted) != 0) {
            const auto known = *static_cast<volatile std::int32_t*>(group.failure);
            give_up(group, known != 0 ? known : static_cast<std::int32_t>(PeerFailure::aborted));
            return false;
        }
        if (global_timer_ns() - begin > group.patience_ns) {
            give_up(group, static_cast<std::int32_t>(PeerFailure::too_late) + 1 + from);
            return false;
        }
    }
}

/// Whether a counter that wraps has come to `number`.
__device__ inline bool has_reached(std::uint32_t counter, std::uint32_t number)
{
    return static_cast<std::int32_t>(counter - number) >= 0;
}

/// received[r][0, words) := message `number` of each rank r, of which `mine` is this rank's. All threads of the block,
/// which meet once; behind a barrier of the block `received` is complete. What a rank that failed did not send is all
/// ones.
template <int B, int W, class Word>
__device__ inline void exchange_messages(const PeerGroup& group, std::uint32_t number, int words, const Word& mine,
                                         std::uint32_t (&received)[max_peers][W])
{
    const auto slot = [&](std::uint64_t* window, int from, int word) {
        return window + (static_cast<int>(number % 2) * group.size + from) * peer_message_words + word;
    };
    for (int i = thread_id(); i < group.size * words; i += B) {
        const int to = i / words;
        const int word = i % words;
        const std::uint32_t value = mine(word);
        if (to == group.rank) {
            received[to][word] = value;
        } else {
            store_system(slot(group.slots[to], group.rank, word), std::uint64_t{number} << 32 | value);
        }
    }
    block_barrier();  // all is sent before anybody waits: work-items of the host executor wait one after the other
    for (int i = thread_id(); i < group.size * words; i += B) {
        const int from = i / words;
        const int word = i % words;
        if (from != group.rank) {
            std::uint64_t* const at = slot(group.slots[group.rank], from, word);
            std::uint64_t bits = 0;
            const bool is_there = wait_for_rank(group, from, [&] {
                bits = load_system(at);
                return static_cast<std::uint32_t>(bits >> 32) == number;
            });
            received[from][word] = is_there ? static_cast<std::uint32_t>(bits) : 0xffffffffu;
        }
    }
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
