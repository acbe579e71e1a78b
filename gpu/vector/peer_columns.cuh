#pragma once

#include "gpu/vector/columns.cuh"

/// Sums over ranks in the kernel that forms those of a rank, where the ranks' devices are peers.
namespace linden::LINDEN_GPU_NAMESPACE {

namespace detail {

/// What the last block does for one column: adds the partial sums of `blocks` blocks, then those of all ranks in their
/// order, and finishes. `number`: of the ranks' last message; it and what `finish` reads are on their way before the
/// blocks are counted.
template <int B, class Op, class T, int K, class Finish, class Ready>
__device__ inline void finish_at_peers(Partials<T, K> partials, int blocks, const RankParts& parts,
                                       std::uint32_t number, const Finish& finish, Ready ready)
{
    constexpr int words = static_cast<int>(sizeof(T) / sizeof(std::uint32_t));
    constexpr int group_threads = B / num_sum_groups<K>;
    LINDEN_SHARED(mine, std::uint32_t[2 + num_sum_groups<K> * words]);
    LINDEN_SHARED(received, std::uint32_t[max_peers][2 + K * words]);
    if (thread_id() == 0) {
        const std::uint64_t time = global_timer_ns();
        mine[0] = static_cast<std::uint32_t>(time);
        mine[1] = static_cast<std::uint32_t>(time >> 32);
    }
    const T sum = group_sum<B, Op>(partials, 0, blocks);
    if (thread_id() % group_threads == 0) {
        memcpy(&mine[2 + thread_id() / group_threads * words], static_cast<const void*>(&sum), sizeof sum);
    }
    block_barrier();
    exchange_messages<B>(
        parts.peers, number + 1, 2 + K * words, [&](int word) { return mine[word]; }, received);
    block_barrier();
    if (thread_id() == B - 1) {  // the first one has more to do
        ++parts.peers.counts[0];
    }
    if (thread_id() != 0) {
        return;
    }
    T sums[K];
    for (int k = 0; k < K; ++k) {
        const auto of_rank = [&](int rank) {
            T value;
            memcpy(static_cast<void*>(&value), &received[rank][2 + k * words], sizeof value);
            return value;
        };
        sums[k] = of_rank(0);
        for (int rank = 1; rank < parts.peers.size; ++rank) {
            sums[k] = Op{}(sums[k], of_rank(rank));
        }
    }
    *parts.clock = static_cast<std::int64_t>(std::uint64_t{received[0][1]} << 32 | received[0][0]);
    *parts.peers.number = number + 1;
    finish.all(finish.column(0, sums, ready));
}

/// reduce_flat, whose last block goes on to the sums of all ranks.
template <int N, class Op, class T, int K, class Body, class Finish>
__global__ void __launch_bounds__(column_block_threads, FlatBlocks<Body>::that_fit)
    reduce_flat_at_peers(size_type rows, Body body, Finish finish, Partials<T, K> partials, RankParts parts)
{
    wait_for_previous_kernel();
    const auto local = body.prepare(size_type{0});
    if (finish.skip()) {
        return;
    }
    T sums[K];
    for (int k = 0; k < K; ++k) {
        sums[k] = Op::template identity<T>();
    }
    for_flat_places<N, course_of<Body>>(rows, [&](auto place) { body(place, local, sums); });
    let_next_kernel_begin();
    block_reduce<column_block_threads, Op>(sums);
    if (thread_id() == 0) {
        for (int k = 0; k < K; ++k) {
            partials.of(0, k, num_blocks())[block_id()] = sums[k];
        }
    }
    const auto ready = finish.ready(0);
    const std::uint32_t number = load_relaxed(parts.peers.number);
    if (is_last_block(partials.counter)) {
        finish_at_peers<column_block_threads, Op>(partials, num_blocks(), parts, number, finish, ready);
    }
}

}  // namespace detail

/// reduce_columns for what each iteration of a solver waits for: one kernel instead of two between peers, of one
/// column.
template <class T, int K, class Op = Sum, class Body, class Finish, class First, class... Rest>
void reduce_columns_at_peers(const Executor& exec, WorkspaceView workspace, Body body, Finish finish,
                             DenseView<First> first, DenseView<Rest>... rest)
{
    const bool has_peers =
        workspace.ranks != nullptr && workspace.ranks->is_peer() && !detail::is_reproducible(workspace);
    if (!has_peers || !detail::is_flat(first) || !(detail::is_flat(rest) && ...)) {
        reduce_columns<T, K, Op>(exec, workspace, body, finish, first, rest...);
        return;
    }
    constexpr int N = max_vec<std::remove_const_t<First>>;
    const auto blocks = detail::fitted_blocks<T, K>(detail::num_flat_blocks<Body>(exec, first.rows, N), 1, workspace);
    launch_overlapped_on(exec, detail::reduce_flat_at_peers<N, Op, T, K, Body, Finish>, blocks, column_block_threads, 0,
                         first.rows, body, finish, detail::partials_in<T, K>(workspace),
                         workspace.ranks->exchange(K * static_cast<size_type>(sizeof(T))));
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
