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
            const T* const values = values_.data() + i * num_values_;
            for (std::size_t k = 0; k < num_values_; ++k) {
                T sum = values[k];
                if (i + 1 < nodes_.size()) {
                    add(sum, result[k]);
                }
                result[k] = sum;
            }
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
        for (size_type i = 0; i < num_nodes; ++i) {
            Node node;
            std::memcpy(&node, from, sizeof node);
            std::memcpy(place_for(node), from + sizeof(Node), num_values_ * sizeof(T));
            merge(add);
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
        if (!nodes_.empty() && are_siblings(nodes_.back(), node)) {
            add_to(values_.data() + values_.size() - num_values_, sums, add);
            nodes_.back() = parent_of(nodes_.back());
        } else {
            std::copy_n(sums, num_values_, place_for(node));
        }
        merge(add);
    }
    /// The place of the values of a new last node.
    T* place_for(Node node)
    {
        if (nodes_.capacity() == 0) {
            nodes_.reserve(usual_nodes);
            values_.reserve(usual_nodes * num_values_);
        }
        nodes_.push_back(node);
        values_.resize(values_.size() + num_values_);
        return values_.data() + values_.size() - num_values_;
    }
    /// Parents take the place of siblings at the end.
    template <class Add>
    void merge(const Add& add)
    {
        while (nodes_.size() > 1 && are_siblings(nodes_[nodes_.size() - 2], nodes_.back())) {
            T* const right = values_.data() + values_.size() - num_values_;
            add_to(right - num_values_, right, add);
            values_.resize(values_.size() - num_values_);
            nodes_.pop_back();
            nodes_.back() = parent_of(nodes_.back());
        }
    }
    template <class Add>
    void add_to(T* left, const T* right, const Add& add) const
    {
        for (std::size_t k = 0; k < num_values_; ++k) {
            add(left[k], right[k]);
        }
    }
    static Node parent_of(Node node) { return {node.level + 1, node.index / 2}; }
    static bool are_siblings(const Node& left, const Node& right)
    {
        return left.level == right.level && left.index % 2 == 0 && right.index == left.index + 1;
    }

    /// Room that most sums do not outgrow.
    static constexpr std::size_t usual_nodes = 32;

    std::size_t num_values_;
    std::vector<Node> nodes_;
    std::vector<T> values_;  // of each node
};

}  // namespace linden
