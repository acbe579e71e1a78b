#pragma once

#include <linden/views.hpp>

#include <memory>
#include <vector>

#include "core/kernels/reduction.hpp"

namespace linden::reference {

/// Sums over the rows of all ranks of a workspace, formed row after row; where they are to be reproducible, block
/// after block.
template <class T, class Add = AddParts>
class RowSums {
public:
    /// Of `count` sums at once.
    explicit RowSums(WorkspaceView workspace, size_type count = 1, const Add& add = {})
        : workspace_(workspace),
          add_(add),
          sums_(static_cast<std::size_t>(count), T{})
    {
        if (RankSums* const ranks = rank_sums(workspace); ranks != nullptr && ranks->is_reproducible()) {
            ranks_ = ranks;
            blocks_ = std::make_unique<BlockSums<T>>(count);
        }
    }

    /// What the terms of `row` are added to; rows come in ascending order.
    T* at(size_type row)
    {
        if (blocks_ && row / sum_block_rows != block_) {
            end_block();
            block_ = row / sum_block_rows;
        }
        return sums_.data();
    }
    /// finish(totals), after the last row; at the release of held sums, if it is `Later`.
    template <class Finish>
    void finish(const Finish& finish)
    {
        const auto count = static_cast<size_type>(sums_.size());
        if (blocks_) {
            end_block();
            ranks_->submit(*blocks_, count, add_, finish, may_wait<Finish>);
        } else {
            finish_sums(workspace_, sums_.data(), count, finish, add_);
        }
    }
    /// The total of the first sum.
    T total()
    {
        T result{};
        finish([&](const T* totals) { result = totals[0]; });
        return result;
    }

private:
    void end_block()
    {
        if (block_ >= 0) {
            blocks_->append(ranks_->first_block() + block_, sums_.data(), add_);
        }
        std::fill(sums_.begin(), sums_.end(), T{});
    }

    WorkspaceView workspace_;
    Add add_;
    std::vector<T> sums_;
    RankSums* ranks_ = nullptr;
    std::unique_ptr<BlockSums<T>> blocks_;  // null unless sums are reproducible
    size_type block_ = -1;
};

}  // namespace linden::reference
