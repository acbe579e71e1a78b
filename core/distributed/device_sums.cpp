#include "core/base/rank_link.hpp"

#include <linden/error.hpp>

#include <algorithm>
#include <cstring>

#include "core/base/executor_state.hpp"
#include "core/base/host_clock.hpp"

namespace linden {
namespace {

/// So that messages behind each other are as aligned as memory is.
size_type whole_headers(size_type bytes)
{
    return (bytes + rank_parts_header_bytes - 1) / rank_parts_header_bytes * rank_parts_header_bytes;
}

}  // namespace

DeviceSums::DeviceSums(Executor exec, std::shared_ptr<RankLink> link, Communicator communicator, size_type max_bytes)
    : link_(std::move(link)),
      communicator_(std::move(communicator)),
      mine_(exec, 0),
      all_(exec, (is_peer() || link_ == nullptr ? 1 : communicator_.size() + 1) *
                     (whole_headers(max_bytes) + rank_parts_header_bytes)),
      clock_(exec, sizeof(std::int64_t)),
      exec_(exec),
      merges_(exec, 0),
      received_(exec, is_peer() && is_reproducible() ? communicator_.size() * whole_headers(max_bytes) : 0)
{
    exec.state().fill_zero(clock_.data(), clock_.bytes());
    mine_ = Array<std::byte>::view(exec, whole_headers(max_bytes), all_.data() + rank_parts_header_bytes);
}

const SumTree& DeviceSums::tree(size_type rows)
{
    if (tree_rows_ < 0) {
        plan_tree(rows);
    } else if (tree_rows_ != rows) {
        throw Error("a reproducible sum over " + std::to_string(rows) + " places, which are not the " +
                    std::to_string(tree_rows_) + " rows of the system");
    }
    return tree_;
}

void DeviceSums::plan_tree(size_type rows)
{
    const auto blocks = [](std::int64_t first, std::int64_t count) {
        const auto begin = (first + sum_block_rows - 1) / sum_block_rows;
        return sum_tree(begin, begin + (count + sum_block_rows - 1) / sum_block_rows);
    };
    const std::int64_t mine[] = {communicator_.own_rows().first, rows};
    std::vector<std::int64_t> all(2 * static_cast<std::size_t>(communicator_.size()));
    communicator_.all_gather(mine, sizeof mine, all.data());
    std::vector<std::vector<SumNode>> nodes;
    std::vector<SumNode> joined;
    max_nodes_ = 1;
    for (std::size_t rank = 0; 2 * rank < all.size(); ++rank) {
        nodes.push_back(sum_nodes(blocks(all[2 * rank], all[2 * rank + 1])));
        joined.insert(joined.end(), nodes.back().begin(), nodes.back().end());
        max_nodes_ = std::max(max_nodes_, static_cast<int>(nodes.back().size()));
    }
    const auto merges = sum_merges(joined);
    std::vector<std::uint8_t> table(nodes.size() * static_cast<std::size_t>(max_nodes_), no_node);
    std::size_t at = 0;
    for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
        for (std::size_t i = 0; i < nodes[rank].size(); ++i) {
            table[rank * static_cast<std::size_t>(max_nodes_) + i] = static_cast<std::uint8_t>(merges[at++]);
        }
    }
    merges_ = Array<std::uint8_t>(exec_, table);
    tree_ = blocks(mine[0], mine[1]);
    tree_rows_ = rows;
}

RankParts DeviceSums::exchange_nodes(size_type bytes_per_node)
{
    auto parts = exchange(max_nodes_ * bytes_per_node);
    parts.max_nodes = max_nodes_;
    parts.merges = merges_.data();
    parts.received = received_.data();
    return parts;
}

RankParts DeviceSums::exchange(size_type bytes)
{
    if (bytes > mine_.size()) {
        throw Error("sums over ranks of " + std::to_string(bytes) + " bytes, where there is room for " +
                    std::to_string(mine_.size()));
    }
    RankParts parts;
    parts.mine = mine_.data();
    parts.num_ranks = communicator_.size();
    parts.clock = reinterpret_cast<std::int64_t*>(clock_.data());
    if (link_ == nullptr) {
        return parts;
    }
    if (link_->is_peer()) {
        parts.peers = link_->group();
        return parts;
    }
    const auto length = static_cast<std::size_t>(bytes + rank_parts_header_bytes);
    std::byte* const all = mine_.data() + mine_.size();
    parts.all = all;
    parts.stride = static_cast<size_type>(length);
    if (link_->has_messages()) {
        link_->gather(communicator_, all_.data(), length, all);
        return parts;
    }
    auto& exec = exec_.state();
    host_mine_.resize(length);
    host_all_.resize(length * static_cast<std::size_t>(communicator_.size()));
    exec.copy_to_host(mine_.data(), host_mine_.data() + rank_parts_header_bytes, static_cast<std::size_t>(bytes));
    const std::int64_t now = host_clock_ns();
    std::memcpy(host_mine_.data(), &now, sizeof now);
    communicator_.all_gather(host_mine_.data(), length, host_all_.data());
    exec.copy_from_host(host_all_.data(), all, host_all_.size());
    return parts;
}

}  // namespace linden
