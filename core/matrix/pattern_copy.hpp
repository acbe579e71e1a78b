#pragma once

#include <linden/executor.hpp>
#include <linden/views.hpp>

#include <vector>

namespace linden::detail {

/// A copy of a pattern on the host.
template <class I>
struct PatternCopy {
    PatternCopy(const Executor& exec, PatternView<I> a)
        : size(a.size()),
          row_ptrs(static_cast<std::size_t>(a.rows) + 1),
          col_idxs(static_cast<std::size_t>(a.num_nonzeros))
    {
        copy_bytes(exec, a.row_ptrs, host(), row_ptrs.data(), row_ptrs.size() * sizeof(I));
        copy_bytes(exec, a.col_idxs, host(), col_idxs.data(), col_idxs.size() * sizeof(I));
    }

    PatternView<I> view() const
    {
        return {size.rows, size.cols, static_cast<size_type>(col_idxs.size()), row_ptrs.data(), col_idxs.data()};
    }

    Dim size;
    std::vector<I> row_ptrs, col_idxs;
};

}  // namespace linden::detail
