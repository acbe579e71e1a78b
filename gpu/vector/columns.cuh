#pragma once

#include "gpu/vector/column_stop.cuh"
#include "gpu/vector/elements.cuh"
#include "gpu/vector/partials.cuh"
#include "gpu/vector/rank_finish.cuh"
#include "gpu/vector/tree_sums.cuh"

/// Kernels that work on blocks of vectors element by element and form sums per column on top, in fixed order.
namespace linden::LINDEN_GPU_NAMESPACE {

namespace detail {

/// So many partial sums are on their way to a thread at a time: the last block has nobody to hide its latency.
inline constexpr int partials_in_flight = 8;

/// The block's threads are split into so many groups for K sums, a power of two.
template <int K>
inline constexpr int num_sum_groups = K == 1   ? 1
                                      : K == 2 ? 2
                                      : K <= 4 ? 4
                                      : K <= 8 ? 8
                                               : 16;

/// The partial sums of column `col` from so many blocks, added up in fixed order: sums[k] in the first thread of group
/// k, where the block's threads are split into groups of equal length.
template <int B, class Op, class T, int K>
__device__ inline T group_sum(Partials<T, K> partials, size_type col, int blocks = num_blocks())
{
    constexpr int group_threads = B / num_sum_groups<K>;
    constexpr int lanes = group_threads < 32 ? group_threads : 32;
    const int group = thread_id() / group_threads;
    const T* const mine = partials.of(col, group < K ? group : 0, blocks);
    T sum = Op::template identity<T>();
    for (int first = thread_id() % group_threads; first < blocks; first += partials_in_flight * group_threads) {
        T loaded[partials_in_flight];
#pragma unroll
        for (int i = 0; i < partials_in_flight; ++i) {
            const int block = first + i * group_threads;
            loaded[i] = block < blocks ? load_cached_global(mine + block) : Op::template identity<T>();
        }
#pragma unroll
        for (int i = 0; i < partials_in_flight; ++i) {
            sum = Op{}(sum, loaded[i]);
        }
    }
    sum = Subgroup<lanes>::reduce(sum, Op{});
    if constexpr (group_threads > lanes) {
        LINDEN_SHARED(shared, T[B / 32]);
        constexpr int warps = group_threads / 32;
        block_barrier();
        if (thread_id() % 32 == 0) {
            shared[thread_id() / 32] = sum;
        }
        block_barrier();
        if (thread_id() % group_threads == 0) {
            for (int i = 1; i < warps; ++i) {
                sum = Op{}(sum, shared[thread_id() / 32 + i]);
            }
        }
    }
    return sum;
}

/// What the last block does: sums the partial sums of `blocks` blocks in fixed order and hands them to `finish`, of
/// which `ready` is what it has read for the first column. Where there are other ranks the sums are left for
/// `finish_over_ranks`.
template <int B, class Op, class T, int K, class Finish, class Ready>
__device__ inline void sum_columns(size_type cols, Partials<T, K> partials, const Finish& finish, Ready ready,
                                   int blocks = num_blocks())
{
    LINDEN_SHARED(totals, T[num_sum_groups<K>]);
    constexpr int group_threads = B / num_sum_groups<K>;
    std::int32_t running = 0;
    for (size_type col = 0; col < cols; ++col) {
        if (col != 0) {
            ready = finish.ready(col);
        }
        const T sum = group_sum<B, Op>(partials, col, blocks);
        if (thread_id() % group_threads == 0) {
            totals[thread_id() / group_threads] = sum;
        }
        block_barrier();
        if (thread_id() == 0) {
            T sums[K];
            for (int k = 0; k < K; ++k) {
                sums[k] = totals[k];
            }
            if (partials.left != nullptr) {
                for (int k = 0; k < K; ++k) {
                    partials.left[col * K + k] = sums[k];
                }
            } else {
                running += finish.column(col, sums, ready);
            }
        }
        block_barrier();
    }
    if (thread_id() == 0 && partials.left == nullptr) {
        finish.all(running);
    }
}

/// The same by all blocks, of which the last goes on. What `finish` reads is on its way before the blocks are counted.
template <int B, class Op, class T, int K, class Finish>
__device__ inline void finish_columns(size_type cols, Partials<T, K> partials, const Finish& finish)
{
    auto ready = finish.ready(0);
    if (is_last_block(partials.counter)) {
        sum_columns<B, Op>(cols, partials, finish, ready);
    }
}

/// Ends a reduction over one column in blocks of B threads: each thread brings its sums.
template <int B, class Op, class T, int K, class Finish>
__device__ inline void finish_reduction(T (&sums)[K], Partials<T, K> partials, const Finish& finish)
{
    block_reduce<B, Op>(sums);
    if (thread_id() == 0) {
        for (int k = 0; k < K; ++k) {
            partials.of(0, k, num_blocks())[block_id()] = sums[k];
        }
    }
    finish_columns<B, Op, T, K>(1, partials, finish);
}

template <int N, class Op, class T, int K, class Body, class Finish>
__global__ void __launch_bounds__(column_block_threads, FlatBlocks<Body>::that_fit)
    reduce_flat(size_type rows, Body body, Finish finish, Partials<T, K> partials)
{
    wait_for_previous_kernel();
    const auto local = body.prepare(size_type{0});  // its loads are on their way while `skip` waits for its own
    if (finish.skip()) {
        return;
    }
    T sums[K];
    for (int k = 0; k < K; ++k) {
        sums[k] = Op::template identity<T>();
    }
    for_flat_places<N, course_of<Body>>(rows, [&](auto place) { body(place, local, sums); });
    let_next_kernel_begin();
    finish_reduction<column_block_threads, Op>(sums, partials, finish);
}

template <class Op, class T, int K, class Body, class Finish>
__global__ void __launch_bounds__(column_block_threads, column_blocks_per_multiprocessor)
    reduce_general(size_type rows, size_type cols, int column_lanes, Body body, Finish finish, Partials<T, K> partials)
{
    LINDEN_SHARED(shared, T[column_block_threads]);
    let_next_kernel_begin();
    wait_for_previous_kernel();
    if (finish.skip()) {
        return;
    }
    const int lane = thread_id() % column_lanes;
    for (size_type first = 0; first < cols; first += column_lanes) {
        T sums[K];
        for (int k = 0; k < K; ++k) {
            sums[k] = Op::template identity<T>();
        }
        if (first + lane < cols) {
            const auto local = body.prepare(first + lane);
            for_rows(rows, first + lane, column_lanes, [&](auto place) { body(place, local, sums); });
        }
        for (int k = 0; k < K; ++k) {
            block_barrier();
            shared[thread_id()] = sums[k];
            for (int width = column_block_threads / 2; width >= column_lanes; width /= 2) {
                block_barrier();
                if (thread_id() < width) {
                    shared[thread_id()] = Op{}(shared[thread_id()], shared[thread_id() + width]);
                }
            }
            if (thread_id() < column_lanes && first + lane < cols) {
                partials.of(first + lane, k, num_blocks())[block_id()] = shared[thread_id()];
            }
        }
    }
    // Every thread that wrote a partial sum makes it visible before thread 0 counts the block.
    thread_fence();
    block_barrier();
    finish_columns<column_block_threads, Op, T, K>(cols, partials, finish);
}

}  // namespace detail

/// What happens when the sums of a reduction are there: by default nothing but what a derived struct adds. All but
/// `skip` run in one thread. `skip()` is asked by every thread first; `ready(col)` reads what `column` will want, some
/// time before the end: both see only what the kernel does not change before. `column(col, sums, ready)` returns
/// whether the column still runs, `all(running)` learns how many do.
struct FinishNothing {
    struct NothingRead {};
    __device__ bool skip() const { return false; }
    __device__ NothingRead ready(size_type) const { return {}; }
    __device__ void all(std::int32_t) const {}
};

/// Stores w^H x and, if asked for, x^H x.
template <class V>
struct StoreDots : FinishNothing {
    V* wx;
    V* xx;

    __device__ std::int32_t column(size_type col, const V (&sums)[2], NothingRead) const
    {
        wx[col] = sums[0];
        if (xx != nullptr) {
            xx[col] = sums[1];
        }
        return 0;
    }
};

/// Calls `body(place, local, sums)`, which adds to K sums of its column (by `Op`), for every element, one at a time,
/// then once per column `finish.column` and at last `finish.all`. In fixed order: the same call gives the
/// same bits.
template <class T, int K, class Op = Sum, class Body, class Finish>
void reduce_elements(const Executor& exec, WorkspaceView workspace, size_type rows, size_type cols, Body body,
                     Finish finish)
{
    if (cols != 0 && detail::is_reproducible(workspace)) {
        detail::reduce_tree<1, T, K, Op>(exec, workspace, rows, cols, body, finish);
    } else if (cols != 0) {
        const auto shape = detail::fitted<T, K>(detail::column_shape(exec, rows, cols, 1), cols, workspace);
        launch_overlapped_on(exec, detail::reduce_general<Op, T, K, Body, Finish>, shape.grid, column_block_threads, 0,
                             rows, cols, shape.column_lanes, body, finish, detail::partials_in<T, K>(workspace));
        detail::finish_over_ranks<Op, T, K>(exec, workspace, cols, finish);
    }
}

/// reduce_elements, by packs where the views that the body touches allow it.
template <class T, int K, class Op = Sum, class Body, class Finish, class First, class... Rest>
void reduce_columns(const Executor& exec, WorkspaceView workspace, Body body, Finish finish, DenseView<First> first,
                    DenseView<Rest>... rest)
{
    if (detail::is_flat(first) && (detail::is_flat(rest) && ...)) {
        constexpr int N = max_vec<std::remove_const_t<First>>;
        if (detail::is_reproducible(workspace)) {
            detail::reduce_tree<N, T, K, Op>(exec, workspace, first.rows, 1, body, finish);
            return;
        }
        const auto blocks =
            detail::fitted_blocks<T, K>(detail::num_flat_blocks<Body>(exec, first.rows, N), 1, workspace);
        launch_overlapped_on(exec, detail::reduce_flat<N, Op, T, K, Body, Finish>, blocks, column_block_threads, 0,
                             first.rows, body, finish, detail::partials_in<T, K>(workspace));
        detail::finish_over_ranks<Op, T, K>(exec, workspace, 1, finish);
    } else {
        reduce_elements<T, K, Op>(exec, workspace, first.rows, first.cols, body, finish);
    }
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
