#pragma once

#include <linden/types.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

namespace linden {

/// Sums whose order is that of a fixed binary tree over blocks of rows, whoever holds the blocks: a pairwise sum
/// with blocks as its leaves. Blocks are added in ascending order; where two siblings are there, their
/// parent takes their place. So m successive blocks are kept as at most 2 log2(m) + 1 nodes, and ranks that exchange
/// their nodes get the same total as one that holds all blocks.
template <class T>
class BlockSums {
public:
    /// Of `num_values` sums at once.
    explicit BlockSums(size_type num_values) : num_values_(static_cast<std::size_t>(num_values)) {}

    /// The most nodes that `num_blocks` successive blocks leave.
    static size_type most_nodes(size_type num_blocks)
    {
        return 2 * static_cast<size_type>(std::bit_width(static_cast<std::uint64_t>(num_blocks))) + 1;
    }
    static std::size_t node_bytes(size_type num_values)
    {
        return sizeof(Node) + static_cast<std::size_t>(num_values) * sizeof(T);
    }

    /// The sums of a block after those that are there, combined by add(total, part).
    template <class Add>
    void append(std::int64_t block, const T* sums, const Add& add)
    {
        append(Node{0, block}, sums, add);
    }
    template <class Add>
    void append(const BlockSums& later, const Add& add)
    {
        for (std::size_t i = 0; i < later.nodes_.size(); ++i) {
            append(later.nodes_[i], later.values_.data() + i * num_values_, add);
        }
    }
    /// The total: what is left is added from the last node on, as if missing siblings were no terms. T{} without
    /// blocks.
    template <class Add>
    std::vector<T> total(const Add& add) const
    {
        std::vector<T> result(num_values_, T{});
        for (std::size_t i = nodes_.size(); i-- > 0;) {
            std::vector<T> sums(values_.begin() + static_cast<std::ptrdiff_t>(i * num_values_),
                                values_.begin() + static_cast<std::ptrdiff_t>((i + 1) * num_values_));
            if (i + 1 < nodes_.size()) {
                for (std::size_t k = 0; k < num_values_; ++k) {
                    add(sums[k], result[k]);
                }
            }
            result = std::move(sums);
        }
        return result;
    }

    size_type num_nodes() const { return static_cast<size_type>(nodes_.size()); }
    /// Nodes and their values, one after the other: num_nodes() * node_bytes().
    void write(std::byte* to) const
    {
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            std::memcpy(to, &nodes_[i], sizeof(Node));
            std::memcpy(to + sizeof(Node), values_.data() + i * num_values_, num_values_ * sizeof(T));
            to += node_bytes(static_cast<size_type>(num_values_));
        }
    }
    /// Appends what `write` wrote elsewhere.
    template <class Add>
    void append_written(const std::byte* from, size_type num_nodes, const Add& add)
    {
        std::vector<T> sums(num_values_);
        for (size_type i = 0; i < num_nodes; ++i) {
            Node node;
            std::memcpy(&node, from, sizeof node);
            std::memcpy(sums.data(), from + sizeof(Node), num_values_ * sizeof(T));
            append(node, sums.data(), add);
            from += node_bytes(static_cast<size_type>(num_values_));
        }
    }

private:
    /// The blocks [index 2^level, (index + 1) 2^level).
    struct Node {
        std::int64_t level = 0;
        std::int64_t index = 0;
    };

    template <class Add>
    void append(Node node, const T* sums, const Add& add)
    {
        nodes_.push_back(node);
        values_.insert(values_.end(), sums, sums + num_values_);
        while (nodes_.size() > 1 && are_siblings(nodes_[nodes_.size() - 2], nodes_.back())) {
            T* const right = values_.data() + values_.size() - num_values_;
            for (std::size_t k = 0; k < num_values_; ++k) {
                add(right[static_cast<std::ptrdiff_t>(k) - static_cast<std::ptrdiff_t>(num_values_)], right[k]);
            }
            values_.resize(values_.size() - num_values_);
            nodes_.pop_back();
            nodes_.back() = {nodes_.back().level + 1, nodes_.back().index / 2};
        }
    }
    static bool are_siblings(const Node& left, const Node& right)
    {
        return left.level == right.level && left.index % 2 == 0 && right.index == left.index + 1;
    }

    std::size_t num_values_;
    std::vector<Node> nodes_;
    std::vector<T> values_;  // of each node
};

}  // namespace linden
