#pragma once

#include <linden/array.hpp>
#include <linden/views_formats.hpp>

#include <cstdint>

namespace linden::detail {

/// The arrays of a matrix in (sliced) ELLPACK without its values, see SellLayout. Column indices have the type I, or
/// they are offsets of 16 bits from the bases of their slices' columns.
template <class I>
struct SellPattern {
    size_type slice_rows = 1;
    size_type num_columns = 0;  ///< of all slices
    bool has_offsets = false;
    Array<I> slice_ptrs;  ///< empty: one slice
    Array<I> row_order;   ///< empty: rows stand in their order
    Array<I> col_idxs;    ///< empty where there are offsets
    Array<I> bases;
    Array<std::uint16_t> offsets;

    explicit SellPattern(const Executor& exec)
        : slice_ptrs(exec),
          row_order(exec),
          col_idxs(exec),
          bases(exec),
          offsets(exec)
    {
    }

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
        copy.has_offsets = has_offsets;
        copy.slice_ptrs = slice_ptrs.clone(exec);
        copy.row_order = row_order.clone(exec);
        copy.col_idxs = col_idxs.clone(exec);
        copy.bases = bases.clone(exec);
        copy.offsets = offsets.clone(exec);
        return copy;
    }
};

}  // namespace linden::detail
