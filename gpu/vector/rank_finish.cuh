#pragma once

#include "core/base/rank_link.hpp"
#include "gpu/device/peers.cuh"
#include "gpu/runtime/launch.hpp"

/// The last step of a sum over ranks: one block adds the sums of all ranks, in their order, and finishes.
namespace linden::LINDEN_GPU_NAMESPACE::detail {

inline constexpr int rank_finish_threads = 128;

/// The sums that this rank has left become those of all ranks. Returns where they are: in `shared`, if one message has
/// them all. Ends with a barrier.
template <int B, class Op, class T>
__device__ inline const T* add_ranks(const RankParts& parts, size_type count, T* shared)
{
    constexpr int words = static_cast<int>(sizeof(T) / sizeof(std::uint32_t));
    constexpr int values_per_message = static_cast<int>(peer_sum_words * sizeof(std::uint32_t) / sizeof(T));
    T* const mine = reinterpret_cast<T*>(parts.mine);
    if (parts.peers.size == 0) {
        for (size_type i = thread_id(); i < count; i += B) {
            const auto of_rank = [&](int rank) {
                return reinterpret_cast<const T*>(parts.all + rank * parts.stride + rank_parts_header_bytes)[i];
            };
            T total = of_rank(0);
            for (int rank = 1; rank < parts.num_ranks; ++rank) {
                total = Op{}(total, of_rank(rank));
            }
            mine[i] = total;
        }
        if (thread_id() == 0) {
            *parts.clock = *reinterpret_cast<const std::int64_t*>(parts.all);
        }
        block_barrier();
        return mine;
    }
    LINDEN_SHARED(received, std::uint32_t[max_peers][peer_message_words]);
    LINDEN_SHARED(now, std::uint32_t[2]);
    std::uint32_t number = *parts.peers.number;
    if (thread_id() == 0) {
        const std::uint64_t time = global_timer_ns();
        now[0] = static_cast<std::uint32_t>(time);
        now[1] = static_cast<std::uint32_t>(time >> 32);
    }
    block_barrier();
    const bool is_one_message = count <= values_per_message;
    for (size_type first = 0; first < count; first += values_per_message) {
        const int num_values =
            static_cast<int>(count - first < values_per_message ? count - first : values_per_message);
        const auto* const bits = reinterpret_cast<const std::uint32_t*>(mine + first);
        exchange_messages<B>(
            parts.peers, ++number, num_values * words + 2,
            [&](int word) { return word < 2 ? now[word] : bits[word - 2]; }, received);
        block_barrier();
        for (int i = thread_id(); i < num_values; i += B) {
            const auto of_rank = [&](int rank) {
                T value;
                memcpy(static_cast<void*>(&value), &received[rank][2 + i * words], sizeof value);
                return value;
            };
            T total = of_rank(0);
            for (int rank = 1; rank < parts.peers.size; ++rank) {
                total = Op{}(total, of_rank(rank));
            }
            (is_one_message ? shared : mine + first)[i] = total;
        }
        if (thread_id() == 0) {
            *parts.clock = static_cast<std::int64_t>(std::uint64_t{received[0][1]} << 32 | received[0][0]);
        }
        block_barrier();
    }
    if (thread_id() == 0) {
        *parts.peers.number = number;
        ++parts.peers.counts[0];
    }
    return is_one_message ? shared : mine;
}

/// Reproducible sums: all nodes of all ranks come to where `nodes_of` finds them. Ends with a barrier.
template <int B, class T>
__device__ inline void receive_nodes(const RankParts& parts, size_type count)
{
    if (parts.peers.size == 0) {
        if (thread_id() == 0) {
            *parts.clock = parts.all == nullptr ? static_cast<std::int64_t>(global_timer_ns())
                                                : *reinterpret_cast<const std::int64_t*>(parts.all);
        }
        block_barrier();
        return;
    }
    LINDEN_SHARED(received, std::uint32_t[max_peers][peer_message_words]);
    LINDEN_SHARED(now, std::uint32_t[2]);
    const size_type num_words = parts.max_nodes * count * static_cast<size_type>(sizeof(T) / sizeof(std::uint32_t));
    std::uint32_t number = *parts.peers.number;
    if (thread_id() == 0) {
        const std::uint64_t time = global_timer_ns();
        now[0] = static_cast<std::uint32_t>(time);
        now[1] = static_cast<std::uint32_t>(time >> 32);
    }
    block_barrier();
    const auto* const bits = reinterpret_cast<const std::uint32_t*>(parts.mine);
    auto* const target = reinterpret_cast<std::uint32_t*>(parts.received);
    for (size_type first = 0; first < num_words; first += peer_sum_words) {
        const int words = static_cast<int>(num_words - first < peer_sum_words ? num_words - first : peer_sum_words);
        exchange_messages<B>(
            parts.peers, ++number, words + 2, [&](int word) { return word < 2 ? now[word] : bits[first + word - 2]; },
            received);
        block_barrier();
        for (int i = thread_id(); i < parts.peers.size * words; i += B) {
            target[i / words * num_words + first + i % words] = received[i / words][2 + i % words];
        }
        if (thread_id() == 0) {
            *parts.clock = static_cast<std::int64_t>(std::uint64_t{received[0][1]} << 32 | received[0][0]);
        }
        block_barrier();
    }
    if (thread_id() == 0) {
        *parts.peers.number = number;
        ++parts.peers.counts[0];
    }
}

template <class T>
__device__ inline const T* nodes_of(const RankParts& parts, int rank, size_type count)
{
    if (parts.peers.size != 0) {
        return reinterpret_cast<const T*>(parts.received) + rank * parts.max_nodes * count;
    }
    return reinterpret_cast<const T*>(parts.all == nullptr ? parts.mine
                                                           : parts.all + rank * parts.stride + rank_parts_header_bytes);
}

/// The same as add_ranks for nodes of the tree of reproducible sums, in the tree's order (BlockSums::total).
template <int B, class Op, class T>
__device__ inline const T* add_nodes(const RankParts& parts, size_type count)
{
    constexpr int at_once = 16;
    LINDEN_SHARED(stacks, T[max_tree_levels][at_once]);
    receive_nodes<B, T>(parts, count);
    T* const mine = reinterpret_cast<T*>(parts.mine);
    const int num_ranks = parts.peers.size != 0 ? parts.peers.size : parts.num_ranks;
    for (size_type value = thread_id(); thread_id() < at_once && value < count; value += at_once) {
        const auto stack = [&](int i) -> T& { return stacks[i][thread_id()]; };
        int height = 0;
        for (int rank = 0; rank < num_ranks; ++rank) {
            const T* const nodes = nodes_of<T>(parts, rank, count);
            const std::uint8_t* const merges = parts.merges + rank * parts.max_nodes;
            for (int node = 0; node < parts.max_nodes && merges[node] != no_node; ++node) {
                stack(height++) = nodes[node * count + value];
                for (int i = 0; i < merges[node]; ++i) {
                    --height;
                    stack(height - 1) = Op{}(stack(height - 1), stack(height));
                }
            }
        }
        T total = height == 0 ? Op::template identity<T>() : stack(height - 1);
        while (--height > 0) {
            total = Op{}(stack(height - 1), total);
        }
        mine[value] = total;
    }
    block_barrier();
    return mine;
}

/// What all ranks have left, added, and `finish` told. All threads of a block of B.
template <int B, class T, int K, class Finish, class Ready>
__device__ inline void finish_totals(size_type cols, const T* totals, const Finish& finish, Ready ready)
{
    if (thread_id() != 0) {
        return;
    }
    std::int32_t running = 0;
    for (size_type col = 0; col < cols; ++col) {
        if (col != 0) {
            ready = finish.ready(col);
        }
        T sums[K];
        for (int k = 0; k < K; ++k) {
            sums[k] = totals[col * K + k];
        }
        running += finish.column(col, sums, ready);
    }
    finish.all(running);
}

/// Adds what all ranks have left, one part each, and finishes. All threads of a block of B.
template <int B, class Op, class T, int K, class Finish, class Ready>
__device__ inline void finish_block(size_type cols, const RankParts& parts, const Finish& finish, Ready ready)
{
    LINDEN_SHARED(shared, T[peer_sum_words]);
    finish_totals<B, T, K>(cols, add_ranks<B, Op>(parts, cols * K, shared), finish, ready);
}

template <class Op, class T, int K, class Finish>
__global__ void __launch_bounds__(rank_finish_threads, 1) finish_ranks(size_type cols, RankParts parts, Finish finish)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    if (finish.skip()) {
        return;
    }
    const auto ready = finish.ready(0);
    if (parts.max_nodes != 0) {
        finish_totals<rank_finish_threads, T, K>(cols, add_nodes<rank_finish_threads, Op, T>(parts, cols * K), finish,
                                                 ready);
    } else {
        finish_block<rank_finish_threads, Op, T, K>(cols, parts, finish, ready);
    }
}

/// What follows a kernel whose workspace belongs to several ranks: it has left K sums per column.
template <class Op, class T, int K, class Finish>
void finish_over_ranks(const Executor& exec, WorkspaceView workspace, size_type cols, const Finish& finish)
{
    if (workspace.ranks != nullptr) {
        const auto parts = workspace.ranks->exchange(cols * K * static_cast<size_type>(sizeof(T)));
        launch_overlapped_on(exec, finish_ranks<Op, T, K, Finish>, 1, rank_finish_threads, 0, cols, parts, finish);
    }
}

template <class Op, class T, class Finish>
__global__ void __launch_bounds__(rank_finish_threads, 1)
    finish_rank_values(size_type count, RankParts parts, Finish finish)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    if (finish.skip()) {
        return;
    }
    LINDEN_SHARED(shared, T[peer_sum_words]);
    const T* const totals = parts.max_nodes != 0 ? add_nodes<rank_finish_threads, Op, T>(parts, count)
                                                 : add_ranks<rank_finish_threads, Op>(parts, count, shared);
    for (size_type i = thread_id(); i < count; i += rank_finish_threads) {
        finish.value(i, totals[i]);
    }
}

/// finish_over_ranks for `count` sums of one column, as many as a solver has at the time: finish.value(i, sum) for
/// each.
template <class Op, class T, class Finish>
void finish_values_over_ranks(const Executor& exec, WorkspaceView workspace, size_type count, const Finish& finish)
{
    if (workspace.ranks != nullptr) {
        const size_type bytes = count * static_cast<size_type>(sizeof(T));
        const auto parts = workspace.ranks->is_reproducible() ? workspace.ranks->exchange_nodes(bytes)
                                                              : workspace.ranks->exchange(bytes);
        launch_overlapped_on(exec, finish_rank_values<Op, T, Finish>, 1, rank_finish_threads, 0, count, parts, finish);
    }
}

}  // namespace linden::LINDEN_GPU_NAMESPACE::detail
