#pragma once

#include <linden/array.hpp>
#include <linden/views.hpp>

namespace linden::detail {

/// Where the entries of a sparse matrix are, in compressed rows: in memory of its own, or a view of another's.
template <class I>
struct Pattern {
    Dim size;
    Array<I> row_ptrs;
    Array<I> col_idxs;
    /// Of a pattern that was made from another's entries: which one each was, see core/kernels/pattern.hpp.
    Array<I> source = Array<I>(row_ptrs.executor());

    /// A view of `a`, which lives longer and is not changed.
    static Pattern viewing(const Executor& exec, PatternView<I> a)
    {
        return {a.size(), Array<I>::view(exec, a.rows + 1, const_cast<I*>(a.row_ptrs)),
                Array<I>::view(exec, a.num_nonzeros, const_cast<I*>(a.col_idxs))};
    }
    PatternView<I> view() const { return {size.rows, size.cols, col_idxs.size(), row_ptrs.data(), col_idxs.data()}; }
};

}  // namespace linden::detail
