#pragma once

#include "core/base/sum_tree.hpp"
#include "gpu/vector/elements.cuh"

/// The tree of reproducible sums, as kernels go through it.
namespace linden::LINDEN_GPU_NAMESPACE::detail {

inline constexpr int tree_lanes = 32;
inline constexpr int tree_subgroups_log = column_block_threads / tree_lanes == 8 ? 3 : 2;
inline constexpr int tree_subgroups = 1 << tree_subgroups_log;
static_assert(tree_subgroups * tree_lanes == column_block_threads);
inline constexpr int max_tree_leaves_log = 8;  // of a chunk
inline constexpr size_type max_tree_groups = 1024;

/// How the tree is cut: level `leaves_log` has the chunks, which are those of a subgroup; successive ones of a block of
/// threads are a group.
struct TreeCut {
    int leaves_log;
    std::int64_t first_group, last_group;  // that have blocks here

    __host__ __device__ int group_log() const { return leaves_log + tree_subgroups_log; }
};

/// As many groups as keep the device busy, of chunks with at least 2^least_log blocks of rows.
inline TreeCut tree_cut(const Executor& exec, const SumTree& tree, size_type most_groups, int least_log = 0)
{
    const auto groups = [&](const TreeCut& cut) {
        const int log = cut.group_log();
        return ((tree.last + (std::int64_t{1} << log) - 1) >> log) - (tree.first >> log);
    };
    TreeCut cut{least_log, 0, 0};
    const auto wanted = static_cast<std::int64_t>(gpu(exec).num_multiprocessors()) * blocks_per_multiprocessor;
    while (cut.leaves_log < max_tree_leaves_log && groups(cut) > std::min<std::int64_t>(wanted, most_groups)) {
        ++cut.leaves_log;
    }
    if (groups(cut) > most_groups) {
        throw NotSupported("reproducible sums on " + exec.name(), "a rank has more rows than they take");
    }
    cut.first_group = tree.first >> cut.group_log();
    cut.last_group = cut.first_group + groups(cut);
    return cut;
}

/// Where nodes are left: node after node, `total` sums in each, of which a kernel has those from `first` on, and of
/// each column `stored`.
template <class T>
struct TreeNodes {
    SumTree tree;
    T* values;
    size_type total, first;
    int stored;

    __device__ static int count(std::uint64_t bits)
    {
        int result = 0;
        for (; bits != 0; bits &= bits - 1) {
            ++result;
        }
        return result;
    }
    /// The sums of the node without a sibling at the left or right end of a level.
    __device__ T* at(int level, bool is_left) const
    {
        const int before = is_left ? count(tree.left & ((std::uint64_t{1} << level) - 1))
                                   : count(tree.left) + count(tree.right >> level >> 1);
        return values + before * total + first;
    }
    __device__ int num_nodes() const { return count(tree.left) + count(tree.right); }
    /// Whether nodes of up to 2^log blocks are left among the blocks from `begin` on, of which there are as many.
    __device__ bool are_near(std::int64_t begin, int log) const
    {
        const std::int64_t width = std::int64_t{1} << log;
        return begin < tree.first + 2 * width || begin + width > tree.last - 2 * width;
    }
    /// Leaves a sum of a node, if it has no sibling here.
    __device__ void leave(int level, std::int64_t node, size_type col, int k, T sum) const
    {
        const std::int64_t width = std::int64_t{1} << level;
        const bool is_left = (tree.left >> level & 1) != 0 && node == (tree.first + width - 1) >> level;
        const bool is_right = (tree.right >> level & 1) != 0 && node + 1 == tree.last >> level;
        if (k < stored && (is_left || is_right)) {
            at(level, is_left)[col * stored + k] = sum;
        }
    }
};

/// The nodes of one level within what is looked at, [first, last); goes to the level above.
struct TreeRange {
    std::int64_t first, last;

    __device__ TreeRange(std::int64_t first_, std::int64_t last_, std::int64_t begin, std::int64_t count)
        : first(first_ > begin ? first_ : begin),
          last(last_ < begin + count ? last_ : begin + count)
    {
    }
    __device__ bool is_empty() const { return first >= last; }
    __device__ bool leaves_first() const { return !is_empty() && first % 2 != 0; }
    /// Behind that.
    __device__ bool leaves_last() const { return !is_empty() && last % 2 != 0; }
    template <class Left, class Right>
    __device__ void go_up(const Left& left, const Right& right)
    {
        if (leaves_first()) {
            left(first);
            ++first;
        }
        if (leaves_last()) {
            --last;
            right(last);
        }
        first /= 2;
        last /= 2;
    }
};

/// The first and the last complete node of a level of the whole tree of this rank.
__device__ inline std::int64_t first_of_level(const SumTree& tree, int level)
{
    return (tree.first + (std::int64_t{1} << level) - 1) >> level;
}
__device__ inline std::int64_t last_of_level(const SumTree& tree, int level) { return tree.last >> level; }

}  // namespace linden::LINDEN_GPU_NAMESPACE::detail
