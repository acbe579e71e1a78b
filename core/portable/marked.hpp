#pragma once

#include <linden/views_formats.hpp>

#include "core/base/host_device.hpp"

/// Matrices that store zeros beside their entries, which are marked. A layout brings
/// `for_each_marked(layout, marks, row, use)`, which calls use(number of the entry, column) for those of a row.
namespace linden {

template <class Layout, class I>
struct CountMarked {
    Layout layout;
    const std::uint8_t* marks;
    I* counts;

    LINDEN_HOST_DEVICE size_type size() const { return layout.rows; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        I count = 0;
        for_each_marked(layout, marks, row, [&](size_type, size_type) { ++count; });
        counts[row] = count;
    }
};

template <class Layout, class I>
struct ExtractMarked {
    Layout layout;
    const std::uint8_t* marks;
    const I* row_ptrs;
    I* csr_col_idxs;
    size_type* map;

    LINDEN_HOST_DEVICE size_type size() const { return layout.rows; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        size_type to = row_ptrs[row];
        for_each_marked(layout, marks, row, [&](size_type entry, size_type col) {
            csr_col_idxs[to] = static_cast<I>(col);
            map[to] = entry;
            ++to;
        });
    }
};

}  // namespace linden
