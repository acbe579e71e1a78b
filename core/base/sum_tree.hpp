#pragma once

#include <cstdint>
#include <vector>

/// The tree of BlockSums for kernels.
namespace linden {

/// What a rank has of the tree: successive blocks [first, last), whose sums are those of few nodes. Going up from the
/// blocks there is at most one node at each end of a level that has no sibling here: at the left, where bit `level` of
/// `left` is set, or at the right. In the order of blocks those at the left come first, from low levels to high ones.
struct SumTree {
    std::int64_t first = 0, last = 0;
    std::uint64_t left = 0, right = 0;
};

inline constexpr int max_tree_levels = 64;

/// A node of the tree: the blocks [index 2^level, (index + 1) 2^level).
struct SumNode {
    int level = 0;
    std::int64_t index = 0;
};

inline SumTree sum_tree(std::int64_t first, std::int64_t last)
{
    SumTree tree{first, last};
    for (int level = 0; first < last; ++level) {
        const auto bit = std::uint64_t{1} << level;
        if (first % 2 != 0) {
            tree.left |= bit;
            ++first;
        }
        if (first < last && last % 2 != 0) {
            tree.right |= bit;
            --last;
        }
        first /= 2;
        last /= 2;
    }
    return tree;
}

/// The nodes of a rank in the order of their blocks.
inline std::vector<SumNode> sum_nodes(const SumTree& tree)
{
    std::vector<SumNode> nodes;
    for (int level = 0; level < max_tree_levels; ++level) {
        if ((tree.left >> level & 1) != 0) {  // the first block, rounded up to what is left of it at this level
            const auto width = std::int64_t{1} << level;
            nodes.push_back({level, (tree.first + width - 1) / width});
        }
    }
    for (int level = max_tree_levels; level-- > 0;) {
        if ((tree.right >> level & 1) != 0) {
            nodes.push_back({level, (tree.last >> level) - 1});
        }
    }
    return nodes;
}

/// How the nodes of successive ranks are added: behind each so many merges of the last two, as in BlockSums.
inline std::vector<int> sum_merges(const std::vector<SumNode>& nodes)
{
    std::vector<int> merges;
    std::vector<SumNode> stack;
    for (const auto& node : nodes) {
        stack.push_back(node);
        merges.push_back(0);
        while (stack.size() > 1) {
            const auto& left = stack[stack.size() - 2];
            const auto& right = stack.back();
            if (left.level != right.level || left.index % 2 != 0 || right.index != left.index + 1) {
                break;
            }
            const SumNode parent{left.level + 1, left.index / 2};
            stack.pop_back();
            stack.back() = parent;
            ++merges.back();
        }
    }
    return merges;
}

}  // namespace linden
