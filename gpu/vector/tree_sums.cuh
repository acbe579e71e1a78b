#pragma once

#include "gpu/vector/partials.cuh"
#include "gpu/vector/rank_finish.cuh"
#include "gpu/vector/tree_nodes.cuh"

/// Sums that have the same bits on any number of ranks: those of the tree over blocks of rows
/// (core/base/block_sums.hpp) that hosts form, too. A subgroup of 32 lanes sums a block of rows at a time, lane i rows
/// i, i + 32, ...; its lanes keep the sums of successive blocks, and add them level by level. Groups of such chunks are
/// those of a block of threads, and the last block adds the groups. A node that has no sibling on this rank is left for
/// the sum over ranks.
namespace linden::LINDEN_GPU_NAMESPACE::detail {

inline bool is_reproducible(WorkspaceView workspace)
{
    return workspace.ranks != nullptr && workspace.ranks->is_reproducible();
}

/// The sums of chunk `chunk` by one subgroup: in lane 0, where the chunk is complete, which is returned.
template <int N, class Op, class T, int K, class Body, class Local>
__device__ inline bool sum_chunk(const TreeCut& cut, std::int64_t chunk, size_type rows, size_type col,
                                 const TreeNodes<T>& nodes, const Body& body, const Local& local, T (&kept)[K])
{
    const int lane = thread_id() % tree_lanes;
    const std::int64_t begin = chunk << cut.leaves_log;
    const std::int64_t count = std::int64_t{1} << cut.leaves_log;
    TreeRange range(nodes.tree.first, nodes.tree.last, begin, count);
    for (std::int64_t block = range.first; block < range.last; ++block) {
        T sums[K];
        for (int k = 0; k < K; ++k) {
            sums[k] = Op::template identity<T>();
        }
        const size_type first = static_cast<size_type>(block - nodes.tree.first) * sum_block_rows + lane * N;
#pragma unroll
        for (int i = 0; i < sum_block_rows; i += tree_lanes * N) {
            const size_type row = first + i;
            if (row + N <= rows) {
                body(Place<N>{row, col}, local, sums);
            } else if constexpr (N > 1) {
                for (size_type last = row; last < rows; ++last) {
                    body(Place<1>{last, col}, local, sums);
                }
            }
        }
        for (int k = 0; k < K; ++k) {
            const T sum = Subgroup<tree_lanes>::reduce(sums[k], Op{});
            kept[k] = lane == block - begin ? sum : kept[k];
        }
    }
    for (int level = 0; level < cut.leaves_log; ++level) {
        const auto leave = [&](std::int64_t node, bool is_left) {
            if (lane == (node << level) - begin) {
                T* const values = nodes.at(level, is_left) + col * nodes.stored;
                for (int k = 0; k < K; ++k) {
                    if (k < nodes.stored) {
                        values[k] = kept[k];
                    }
                }
            }
        };
        range.go_up([&](std::int64_t node) { leave(node, true); }, [&](std::int64_t node) { leave(node, false); });
        for (int k = 0; k < K; ++k) {
            const T other = Subgroup<tree_lanes>::shuffle_xor(kept[k], 1 << level);
            kept[k] = Op{}(kept[k], other);
        }
    }
    return !range.is_empty();
}

/// From chunks to their group, in shared memory: true where it is complete, and then its sums are chunks[0].
template <class Op, class T, int K>
__device__ inline bool sum_group(const TreeCut& cut, std::int64_t group, size_type col, const TreeNodes<T>& nodes,
                                 T (*chunks)[K])
{
    const std::int64_t begin = group << cut.chunks_log;
    TreeRange range(first_of_level(nodes.tree, cut.leaves_log), last_of_level(nodes.tree, cut.leaves_log), begin,
                    std::int64_t{1} << cut.chunks_log);
    for (int step = 0; step < cut.chunks_log; ++step) {
        const int level = cut.leaves_log + step;
        const auto leave = [&](std::int64_t node, bool is_left) {
            if (thread_id() < nodes.stored) {
                (nodes.at(level, is_left) + col * nodes.stored)[thread_id()] =
                    chunks[(node << step) - begin][thread_id()];
            }
        };
        range.go_up([&](std::int64_t node) { leave(node, true); }, [&](std::int64_t node) { leave(node, false); });
        const int pairs = range.is_empty() ? 0 : static_cast<int>(range.last - range.first);
        for (int i = thread_id(); i < pairs * K; i += block_threads()) {
            const std::int64_t at = ((range.first + i / K) << (step + 1)) - begin;
            const int k = i % K;
            chunks[at][k] = Op{}(chunks[at][k], chunks[at + (1 << step)][k]);
        }
        block_barrier();
    }
    return !range.is_empty();
}

/// From groups up: all that is left of the rank, value by value.
template <class Op, class T>
__device__ inline void sum_groups(const TreeCut& cut, const TreeNodes<T>& nodes, const T* groups, size_type value,
                                  T* shared)
{
    const int first_level = cut.leaves_log + cut.chunks_log;
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

/// Many sums, which each lane has twice, take registers.
template <class T, int K>
inline constexpr int tree_blocks_per_multiprocessor = K * sizeof(T) > 64 ? 1 : column_blocks_per_multiprocessor;

/// Leaves the nodes of K sums per column. `partials.values` has [col][k][group].
template <int N, class Op, class T, int K, class Body, class Finish>
__global__ void __launch_bounds__(column_block_threads, (tree_blocks_per_multiprocessor<T, K>))
    tree_kernel(size_type rows, size_type cols, Body body, Finish finish, TreeCut cut, TreeNodes<T> nodes,
                Partials<T, K> partials)
{
    LINDEN_SHARED(chunks, T[1 << max_tree_chunks_log][K]);
    LINDEN_SHARED(groups, T[max_tree_groups]);
    let_next_kernel_begin();
    wait_for_previous_kernel();
    if (finish.skip()) {
        return;
    }
    const auto num_groups = static_cast<int>(cut.last_group - cut.first_group);
    const int num_chunks = 1 << cut.chunks_log;
    for (size_type col = 0; col < cols; ++col) {
        const auto local = body.prepare(col);
        for (int group = block_id(); group < num_groups; group += num_blocks()) {
            const std::int64_t first_chunk = (cut.first_group + group) << cut.chunks_log;
            for (int chunk = thread_id() / tree_lanes; chunk < num_chunks; chunk += column_block_threads / tree_lanes) {
                T kept[K];
                for (int k = 0; k < K; ++k) {
                    kept[k] = Op::template identity<T>();
                }
                const bool is_complete =
                    sum_chunk<N, Op>(cut, first_chunk + chunk, rows, col, nodes, body, local, kept);
                if (is_complete && thread_id() % tree_lanes == 0) {
                    for (int k = 0; k < K; ++k) {
                        chunks[chunk][k] = kept[k];
                    }
                }
            }
            block_barrier();
            if (sum_group<Op, T, K>(cut, cut.first_group + group, col, nodes, chunks) && thread_id() < nodes.stored) {
                partials.of(col, thread_id(), num_groups)[group] = chunks[0][thread_id()];
            }
            block_barrier();
        }
    }
    thread_fence();
    block_barrier();
    if (is_last_block(partials.counter)) {
        for (size_type value = 0; value < cols * nodes.stored; ++value) {
            const size_type col = value / nodes.stored;
            const int k = static_cast<int>(value % nodes.stored);
            sum_groups<Op>(cut, nodes, partials.of(col, k, num_groups), value, groups);
            block_barrier();
        }
    }
}

/// The sums that a kernel with K of a column has among those of a message: from `first` on, `stored` of each column.
struct TreeShare {
    size_type first, total;
    int stored;
};

/// Leaves the nodes of sums for `finish_tree` or `finish_values_over_ranks`.
template <int N, class T, int K, class Op, class Body, class Finish>
void leave_tree(const Executor& exec, WorkspaceView workspace, size_type rows, size_type cols, const Body& body,
                const Finish& finish, TreeShare share)
{
    const auto& tree = workspace.ranks->tree(rows);
    const size_type room = (workspace.bytes - reduction_header_bytes) / (K * cols * static_cast<size_type>(sizeof(T)));
    const auto cut = tree_cut(exec, tree, std::min(room, max_tree_groups));
    auto partials = partials_in<T, K>(workspace);
    const TreeNodes<T> nodes{tree, partials.left, share.total, share.first, share.stored};
    const size_type blocks = std::max<size_type>(
        1, std::min<size_type>(cut.last_group - cut.first_group,
                               static_cast<size_type>(gpu(exec).num_multiprocessors()) * blocks_per_multiprocessor));
    launch_overlapped_on(exec, tree_kernel<N, Op, T, K, Body, Finish>, blocks, column_block_threads, 0, rows, cols,
                         body, finish, cut, nodes, partials);
}

/// K sums per column of all ranks.
template <int N, class T, int K, class Op, class Body, class Finish>
void reduce_tree(const Executor& exec, WorkspaceView workspace, size_type rows, size_type cols, const Body& body,
                 const Finish& finish)
{
    leave_tree<N, T, K, Op>(exec, workspace, rows, cols, body, finish, {0, cols * K, K});
    const auto parts = workspace.ranks->exchange_nodes(cols * K * static_cast<size_type>(sizeof(T)));
    launch_overlapped_on(exec, finish_ranks<Op, T, K, Finish>, 1, rank_finish_threads, 0, cols, parts, finish);
}

}  // namespace linden::LINDEN_GPU_NAMESPACE::detail
