#pragma once

#include <linden/array.hpp>
#include <linden/matrix_data.hpp>

#include <vector>

#include "core/factorization/elimination_tree.hpp"
#include "core/kernels/panels.hpp"

namespace linden::detail {

/// The entries of a block triangular form right of its diagonal blocks, whose factors stand apart, where solves need
/// them. Empty where there is one block.
template <class I>
class OutsideBlocks {
public:
    explicit OutsideBlocks(const Executor& exec) : block_ptrs_(exec), row_ptrs_(exec), col_idxs_(exec) {}
    /// block_ptrs: as OutsideView has them.
    OutsideBlocks(const Executor& exec, const HostPattern<I>& outside, const std::vector<I>& block_ptrs)
        : OutsideBlocks(exec)
    {
        if (block_ptrs.size() > 2) {
            block_ptrs_ = Array<I>(exec, block_ptrs);
            row_ptrs_ = Array<I>(exec, outside.row_ptrs);
            col_idxs_ = Array<I>(exec, outside.col_idxs);
        }
    }
    bool are_there() const { return block_ptrs_.size() > 0; }
    size_type num_entries() const { return col_idxs_.size(); }

    OutsideView<I> view() const
    {
        if (!are_there()) {
            return {};
        }
        const size_type n = row_ptrs_.size() - 1;
        return {{n, n, num_entries(), row_ptrs_.data(), col_idxs_.data()}, block_ptrs_.data(), block_ptrs_.size() - 1};
    }

private:
    Array<I> block_ptrs_, row_ptrs_, col_idxs_;
};

/// L and U of the whole matrix from those of its diagonal blocks: what is right of a block is multiplied by the inverse
/// of its L. All in host memory; rows of lu are sorted, those of what is outside need not be. O(operations)
template <class V, class I>
CsrData<V, I> joined_factors(const CsrData<V, I>& lu, CsrView<V, I> outside);

}  // namespace linden::detail
