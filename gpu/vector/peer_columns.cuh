#pragma once

#include "gpu/vector/columns.cuh"

/// Sums over ranks in the kernel that forms those of a rank, where the ranks' devices are peers.
namespace linden::LINDEN_GPU_NAMESPACE {

namespace detail {

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
    if (is_last_block(partials.counter)) {
        sum_columns<column_block_threads, Op>(1, partials, finish, ready);  // which leaves them
        finish_column<column_block_threads, Op, T, K>(parts, finish, ready);
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
