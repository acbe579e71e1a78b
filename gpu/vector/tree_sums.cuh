#pragma once

#include "gpu/vector/partials.cuh"
#include "gpu/vector/rank_finish.cuh"
#include "gpu/vector/tree_blocks.cuh"

/// Sums that have the same bits on any number of ranks: those of the tree over blocks of rows
/// (core/base/block_sums.hpp) that hosts form, too. A subgroup of 32 lanes sums a block of rows at a time. Where there
/// are several sums, lanes exchange halves of them until each has one. A subgroup adds successive blocks as a binary
/// counter does, up to the node that is its chunk; its block of threads adds successive chunks, their group, and the
/// last block the groups. Blocks that the rank does not have are no terms: nodes that would need them are not used, and
/// what has no sibling on this rank is left for the sum over ranks.
namespace linden::LINDEN_GPU_NAMESPACE::detail {

inline bool is_reproducible(WorkspaceView workspace)
{
    return workspace.ranks != nullptr && workspace.ranks->is_reproducible();
}

/// What a block of threads needs in shared memory.
template <class T, int K>
struct TreeRoom {
    T stack[tree_subgroups][max_tree_leaves_log][tree_lanes];  // at last the groups
    T chunks[2][tree_subgroups][K];
};
static_assert(tree_subgroups * max_tree_leaves_log * tree_lanes >= max_tree_groups);

/// The sum of a chunk as sum_lanes has it, of blocks that `source` sums.
template <class Op, int K, class T, class Source>
__device__ inline T sum_chunk(const TreeCut& cut, std::int64_t chunk, size_type col, const TreeNodes<T>& nodes,
                              const Source& source, T (&stack)[max_tree_leaves_log][tree_lanes])
{
    const int lane = thread_id() % tree_lanes;
    const std::int64_t begin = chunk << cut.leaves_log;
    const bool is_near = nodes.are_near(begin, cut.leaves_log);
    const bool leaves = is_near && is_first_with_sum<K>();
    const int count = 1 << (cut.leaves_log - Source::level);
    T sum = Op::template identity<T>();
    for (int i = 0; i < count; ++i) {
        const std::int64_t node = (begin >> Source::level) + i;
        sum = source(node << Source::level, nodes, is_near);
        for (int up = 0;; ++up) {  // up to where there is no left sibling that waits
            if (leaves) {
                nodes.leave(Source::level + up, node >> up, col, sum_of_lane<K>(), sum);
            }
            if ((i >> up & 1) == 0) {
                if (i + 1 < count) {
                    stack[up][lane] = sum;
                }
                break;
            }
            sum = Op{}(stack[up][lane], sum);
        }
    }
    return sum;
}

/// From chunks to their group, by one thread for each sum.
template <class Op, class T, int K>
__device__ inline T sum_group(const TreeCut& cut, std::int64_t group, size_type col, int k, const TreeNodes<T>& nodes,
                              const T (&chunks)[tree_subgroups][K])
{
    T sums[tree_subgroups];
    LINDEN_UNROLL
    for (int i = 0; i < tree_subgroups; ++i) {
        sums[i] = chunks[i][k];
    }
    LINDEN_UNROLL
    for (int up = 1; up <= tree_subgroups_log; ++up) {
        LINDEN_UNROLL
        for (int i = 0; i < tree_subgroups >> up; ++i) {
            sums[i] = Op{}(sums[2 * i], sums[2 * i + 1]);
            if (up < tree_subgroups_log) {  // groups are left with those that are added
                nodes.leave(cut.leaves_log + up, (group << (tree_subgroups_log - up)) + i, col, k, sums[i]);
            }
        }
    }
    return sums[0];
}

/// From groups up: all that is left of the rank, value by value.
template <class Op, class T>
__device__ inline void sum_groups(const TreeCut& cut, const TreeNodes<T>& nodes, const T* groups, size_type value,
                                  T* shared)
{
    const int first_level = cut.group_log();
    const std::int64_t first = first_of_level(nodes.tree, first_level);
    TreeRange range(first, last_of_level(nodes.tree, first_level), first, max_tree_groups);
    const std::int64_t begin = cut.first_group;
    for (std::int64_t group = range.first + thread_id(); group < range.last; group += block_threads()) {
        shared[group - range.first] = load_cached_global(groups + (group - begin));
    }
    block_barrier();
    for (int level = first_level; !range.is_empty(); ++level) {
        const std::int64_t base = range.first;
        range.go_up(
            [&](std::int64_t node) {
                if (thread_id() == 0) {
                    nodes.at(level, true)[value] = shared[node - base];
                }
            },
            [&](std::int64_t node) {
                if (thread_id() == 0) {
                    nodes.at(level, false)[value] = shared[node - base];
                }
            });
        constexpr int most = static_cast<int>(max_tree_groups) / 2 / column_block_threads;
        T pairs[most];
        for (int i = 0; i < most; ++i) {
            const std::int64_t node = range.first + thread_id() + i * column_block_threads;
            if (node < range.last) {
                pairs[i] = Op{}(shared[2 * node - base], shared[2 * node + 1 - base]);
            }
        }
        block_barrier();
        for (int i = 0; i < most; ++i) {
            const std::int64_t node = range.first + thread_id() + i * column_block_threads;
            if (node < range.last) {
                shared[node - range.first] = pairs[i];
            }
        }
        block_barrier();
    }
}

/// Leaves the nodes of K sums per column, of blocks that source(local, col) sums. `partials.values` has
/// [col][k][group]. True for all threads of the last block, once all nodes are there.
template <class Op, class T, int K, class Prepare, class Source>
__device__ inline bool leave_nodes(size_type cols, const TreeCut& cut, const TreeNodes<T>& nodes,
                                   Partials<T, K> partials, const Prepare& prepare, const Source& source)
{
    LINDEN_SHARED(room, TreeRoom<T, K>);
    const auto num_groups = static_cast<int>(cut.last_group - cut.first_group);
    const int subgroup = thread_id() / tree_lanes;
    int turn = 0;
    for (size_type col = 0; col < cols; ++col) {
        const auto local = prepare(col);
        const auto blocks = source(local, col);
        for (int group = block_id(); group < num_groups; group += num_blocks()) {
            const std::int64_t chunk = ((cut.first_group + group) << tree_subgroups_log) + subgroup;
            const T sum = sum_chunk<Op, K>(cut, chunk, col, nodes, blocks, room.stack[subgroup]);
            turn = 1 - turn;
            if (is_first_with_sum<K>()) {
                room.chunks[turn][subgroup][sum_of_lane<K>()] = sum;
            }
            block_barrier();
            if (thread_id() < nodes.stored) {
                partials.of(col, thread_id(), num_groups)[group] =
                    sum_group<Op>(cut, cut.first_group + group, col, thread_id(), nodes, room.chunks[turn]);
            }
        }
    }
    thread_fence();
    block_barrier();
    if (!is_last_block(partials.counter)) {
        return false;
    }
    for (size_type value = 0; value < cols * nodes.stored; ++value) {
        const size_type col = value / nodes.stored;
        const int k = static_cast<int>(value % nodes.stored);
        sum_groups<Op>(cut, nodes, partials.of(col, k, num_groups), value, &room.stack[0][0][0]);
        block_barrier();
    }
    return true;
}

/// Where there is one rank: its nodes, added as those of all are. Ends with a barrier.
template <class Op, class T>
__device__ inline const T* add_own_nodes(const TreeNodes<T>& nodes, size_type count, std::int64_t* clock)
{
    for (size_type value = thread_id(); value < count; value += block_threads()) {
        T total = Op::template identity<T>();
        for (int node = nodes.num_nodes(); node-- > 0;) {
            const T sum = load_cached_global(nodes.values + node * nodes.total + nodes.first + value);
            total = node + 1 == nodes.num_nodes() ? sum : Op{}(sum, total);
        }
        nodes.values[nodes.first + value] = total;
    }
    if (thread_id() == 0) {
        *clock = static_cast<std::int64_t>(global_timer_ns());
    }
    thread_fence();
    block_barrier();
    return nodes.values + nodes.first;
}

/// Blocks beside each other: two stacks of complex128 are more than AMD's multiprocessors have of shared memory.
template <class T>
inline constexpr int tree_blocks_per_multiprocessor = sizeof(T) > 8 ? 1 : column_blocks_per_multiprocessor;

/// K sums per column. Where there is a `clock` there is one rank, and the last block goes on with them.
template <int N, class Op, class T, int K, class Body, class Finish>
__global__ void __launch_bounds__(column_block_threads, tree_blocks_per_multiprocessor<T>)
    tree_kernel(size_type rows, size_type cols, Body body, Finish finish, TreeCut cut, TreeNodes<T> nodes,
                Partials<T, K> partials, std::int64_t* clock)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    if (finish.skip()) {
        return;
    }
    const bool is_last = leave_nodes<Op>(
        cols, cut, nodes, partials, [&](size_type col) { return body.prepare(col); },
        [&](const auto& local, size_type col) {
            return BlocksOfRows<N, Op, T, K, Body>{body, local, rows, col};
        });
    if (is_last && clock != nullptr) {
        finish_totals<column_block_threads, T, K>(cols, add_own_nodes<Op>(nodes, cols * K, clock), finish,
                                                  finish.ready(0));
    }
}

/// Kernels of at most so many groups: of many sums fewer, since a block adds them one sum after the other.
template <int K>
inline constexpr size_type most_tree_groups = K > 4 ? max_tree_groups / 2 : max_tree_groups;

/// How K sums per column go through the tree of a workspace.
template <class T, int K>
struct TreeShape {
    TreeCut cut;
    TreeNodes<T> nodes;
    Partials<T, K> partials;
    size_type blocks;
    std::int64_t* clock;  // null: other ranks have sums, too
};

/// `total`: the sums of all columns. `room_for`: kernels that have partial sums beside each other.
template <class T, int K>
TreeShape<T, K> tree_shape(const Executor& exec, WorkspaceView workspace, size_type rows, size_type cols,
                           size_type total, int least_log = 0, size_type room_for = 1)
{
    const auto& tree = workspace.ranks->tree(rows);
    const size_type room =
        (workspace.bytes - reduction_header_bytes) / (K * cols * room_for * static_cast<size_type>(sizeof(T)));
    const auto cut = tree_cut(exec, tree, std::min(room, most_tree_groups<K>), least_log);
    auto partials = partials_in<T, K>(workspace);
    const TreeNodes<T> nodes{tree, partials.left, total, 0, K};
    const size_type blocks = std::max<size_type>(
        1, std::min<size_type>(cut.last_group - cut.first_group,
                               static_cast<size_type>(gpu(exec).num_multiprocessors()) * blocks_per_multiprocessor));
    return {cut, nodes, partials, blocks, workspace.ranks->own_clock()};
}

/// What follows a kernel that has left nodes for K sums per column: nothing where that went on itself.
template <class T, int K, class Op, class Finish>
void finish_tree(const Executor& exec, WorkspaceView workspace, size_type cols, const Finish& finish)
{
    if (workspace.ranks->own_clock() == nullptr) {
        const auto parts = workspace.ranks->exchange_nodes(cols * K * static_cast<size_type>(sizeof(T)));
        launch_overlapped_on(exec, finish_ranks<Op, T, K, Finish>, 1, rank_finish_threads, 0, cols, parts, finish);
    }
}

/// K sums per column of all ranks.
template <int N, class T, int K, class Op, class Body, class Finish>
void reduce_tree(const Executor& exec, WorkspaceView workspace, size_type rows, size_type cols, const Body& body,
                 const Finish& finish)
{
    const auto s = tree_shape<T, K>(exec, workspace, rows, cols, cols * K);
    launch_overlapped_on(exec, tree_kernel<N, Op, T, K, Body, Finish>, s.blocks, column_block_threads, 0, rows, cols,
                         body, finish, s.cut, s.nodes, s.partials, s.clock);
    finish_tree<T, K, Op>(exec, workspace, cols, finish);
}

}  // namespace linden::LINDEN_GPU_NAMESPACE::detail
