#pragma once

#include <type_traits>

#include "core/base/host_device.hpp"
#include "core/kernels/formats.hpp"

/// The pieces of the conversions of core/kernels/formats.hpp, shared by all backends: the members of a struct are the
/// arguments of its kernel, size() is the number of items, and operator() does one. Items are chosen so that those of
/// neighbouring threads write to neighbouring memory, and none is much longer than the others, whatever the rows are.
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

/// The first entry of row `row` in column `col` or further right; the end of the row if there is none.
template <class I>
LINDEN_HOST_DEVICE size_type first_entry_from(const PatternView<I>& a, size_type row, size_type col)
{
    size_type low = a.row_ptrs[row];
    for (size_type high = a.row_ptrs[row + 1]; low < high;) {
        const size_type middle = low + (high - low) / 2;
        if (a.col_idxs[middle] < col) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
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

template <class V, class W>
struct Gather {
    size_type n;
    const size_type* map;
    const V* source;
    W* target;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const
    {
        target[i] = map[i] < 0 ? W{} : static_cast<W>(source[map[i]]);
    }
};

template <class R>
struct TakeEvery {
    size_type n;
    size_type stride;
    const R* values;
    R* out;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const { out[i] = values[i * stride]; }
};

template <class V>
struct MarkNonzeros {
    size_type n;
    const V* values;
    std::uint8_t* marks;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const { marks[i] = values[i] == V{} ? 0 : 1; }
};

template <class V, class I>
struct MarkDifferent {
    size_type n;
    const V* values;
    I* marks;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const { marks[i] = values[i] == values[0] ? 0 : 1; }
};

template <class I>
struct MarkLonger {
    size_type num_rows;
    const I* row_ptrs;
    size_type width;
    I* marks;

    LINDEN_HOST_DEVICE size_type size() const { return num_rows; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        marks[row] = row_ptrs[row + 1] - row_ptrs[row] > width ? 1 : 0;
    }
};

template <class I>
struct CountTails {
    size_type num_rows;
    const I* row_ptrs;
    size_type skip;
    I* counts;

    LINDEN_HOST_DEVICE size_type size() const { return num_rows; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        const size_type tail = row_ptrs[row + 1] - row_ptrs[row] - skip;
        counts[row] = static_cast<I>(tail > 0 ? tail : 0);
    }
};

template <class I>
struct FillTails {
    PatternView<I> a;
    size_type skip;
    size_type num_tail;
    const I* tail_ptrs;
    I* row_idxs;
    I* col_idxs;
    size_type* map;

    LINDEN_HOST_DEVICE size_type size() const { return num_tail; }
    LINDEN_HOST_DEVICE void operator()(size_type k) const
    {
        const size_type row = row_of(tail_ptrs, a.rows, k);
        const size_type from = a.row_ptrs[row] + skip + (k - tail_ptrs[row]);
        row_idxs[k] = static_cast<I>(row);
        col_idxs[k] = a.col_idxs[from];
        map[k] = from;
    }
};

template <class I>
struct FindRowPtrs {
    size_type num_rows;
    size_type num_nonzeros;
    const I* row_idxs;
    I* row_ptrs;

    LINDEN_HOST_DEVICE size_type size() const { return num_rows + 1; }
    /// The first entry that is not before this row.
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        size_type low = 0;
        for (size_type high = num_nonzeros; low < high;) {
            const size_type middle = low + (high - low) / 2;
            if (row_idxs[middle] < row) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        row_ptrs[row] = static_cast<I>(low);
    }
};

template <class I>
struct ExtractTails {
    TailsView<I> tails;
    size_type first;
    const I* row_ptrs;
    I* col_idxs;
    size_type* map;

    LINDEN_HOST_DEVICE size_type size() const { return tails.num_entries; }
    LINDEN_HOST_DEVICE void operator()(size_type k) const
    {
        const size_type row = tails.row_idxs[k];
        const size_type to = row_ptrs[row + 1] - (tails.ptrs[row + 1] - k);
        col_idxs[to] = tails.col_idxs[k];
        map[to] = first + k;
    }
};

template <class I>
struct SortRows {
    size_type num_rows;
    const I* row_ptrs;
    size_type sigma;
    I* row_order;

    LINDEN_HOST_DEVICE size_type size() const { return num_rows; }
    /// The position of a row is the number of rows that come before it.
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        const size_type begin = row / sigma * sigma;
        const size_type end = begin + sigma < num_rows ? begin + sigma : num_rows;
        const I length = row_ptrs[row + 1] - row_ptrs[row];
        size_type position = begin;
        for (size_type other = begin; other < end; ++other) {
            const I other_length = row_ptrs[other + 1] - row_ptrs[other];
            position += other_length > length || (other_length == length && other < row) ? 1 : 0;
        }
        row_order[position] = static_cast<I>(row);
    }
};

template <class I>
struct CountSlices {
    size_type num_rows;
    const I* row_ptrs;
    size_type slice_rows;
    const I* row_order;
    I* widths;

    LINDEN_HOST_DEVICE size_type size() const { return (num_rows + slice_rows - 1) / slice_rows; }
    LINDEN_HOST_DEVICE void operator()(size_type slice) const
    {
        I width = 0;
        for (size_type i = slice * slice_rows; i < (slice + 1) * slice_rows && i < num_rows; ++i) {
            const size_type row = row_order == nullptr ? i : row_order[i];
            const I length = row_ptrs[row + 1] - row_ptrs[row];
            width = length > width ? length : width;
        }
        widths[slice] = width;
    }
};

}  // namespace linden
