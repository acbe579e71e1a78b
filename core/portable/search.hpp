#pragma once

#include <linden/views.hpp>

#include "core/base/host_device.hpp"

/// Where entries stand in patterns, by bisection.
namespace linden {

/// The last i < n with ptrs[i] <= k: the row of entry k.
template <class I>
LINDEN_HOST_DEVICE size_type row_of(const I* ptrs, size_type n, size_type k)
{
    size_type low = 0;
    size_type high = n;
    while (high - low > 1) {
        const size_type middle = low + (high - low) / 2;
        (ptrs[middle] <= k ? low : high) = middle;
    }
    return low;
}

/// The first k of [low, high) with cols[k] >= col, `high` if there is none.  cols: ascending.
template <class I>
LINDEN_HOST_DEVICE size_type first_from(const I* cols, size_type low, size_type high, size_type col)
{
    while (low < high) {
        const size_type middle = low + (high - low) / 2;
        if (cols[middle] < col) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/// The first entry of row `row` in column `col` or further right; the end of the row if there is none.
template <class I>
LINDEN_HOST_DEVICE size_type first_entry_from(const PatternView<I>& a, size_type row, size_type col)
{
    return first_from(a.col_idxs, a.row_ptrs[row], a.row_ptrs[row + 1], col);
}

/// Where column `col` stands in row `row` of A; -1 if there is no such row or entry.
template <class I>
LINDEN_HOST_DEVICE size_type find_entry(const PatternView<I>& a, size_type row, size_type col)
{
    if (row >= a.rows) {
        return -1;
    }
    const size_type at = first_entry_from(a, row, col);
    return at < a.row_ptrs[row + 1] && a.col_idxs[at] == col ? at : -1;
}

/// Where the mirror image of entry k, in row `row` and column `col`, stands; -1 if there is none. In most rows it is as
/// far from the end of its row as k is from the beginning of its own.
template <class Matrix>
LINDEN_HOST_DEVICE size_type find_mirror(const Matrix& a, size_type row, size_type k)
{
    const size_type col = a.col_idxs[k];
    if (col >= a.rows) {
        return -1;
    }
    const size_type begin = a.row_ptrs[col];
    const size_type end = a.row_ptrs[col + 1];
    const size_type guess = end - 1 - (k - a.row_ptrs[row]);
    if (guess >= begin && a.col_idxs[guess] == row) {
        return guess;
    }
    const size_type at = first_from(a.col_idxs, begin, end, row);
    return at < end && a.col_idxs[at] == row ? at : -1;
}

}  // namespace linden
