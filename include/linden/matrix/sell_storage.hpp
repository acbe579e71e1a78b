#pragma once

#include <linden/array.hpp>
#include <linden/views_formats.hpp>

namespace linden::detail {

/// The pattern of a matrix in (sliced) ELLPACK, see SellLayout; shared by Ell, Sell and CompactSell.
template <class I>
struct SellPattern {
    size_type slice_rows = 1;
    size_type num_columns = 0;  ///< of all slices
    Array<I> slice_ptrs;        ///< empty: a single slice
    Array<I> row_order;         ///< the row at each position; empty: natural order
    Array<I> col_idxs;

    explicit SellPattern(const Executor& exec) : slice_ptrs(exec), row_order(exec), col_idxs(exec) {}

    SellLayout<I> layout(Dim size) const
    {
        return {size.rows, size.cols, slice_rows, num_columns, slice_ptrs.data(), row_order.data()};
    }
    size_type num_entries() const { return num_columns * slice_rows; }
    SellPattern clone(const Executor& exec) const
    {
        SellPattern copy(exec);
        copy.slice_rows = slice_rows;
        copy.num_columns = num_columns;
        copy.slice_ptrs = slice_ptrs.clone(exec);
        copy.row_order = row_order.clone(exec);
        copy.col_idxs = col_idxs.clone(exec);
        return copy;
    }
};

}  // namespace linden::detail
