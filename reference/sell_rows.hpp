#pragma once

#include "core/kernels/sweep.hpp"

namespace linden::reference {

/// (A b)(the row at `position`, col), added from left to right.
template <class V, class S, class J>
V row_product(const SellView<S, J>& a, size_type position, DenseView<const V> b, size_type col)
{
    const auto& layout = a.layout;
    const size_type slice = layout.slice_of(position);
    V sum{};
    for (size_type c = layout.first_column(slice); c < layout.last_column(slice); ++c) {
        const size_type entry = c * layout.slice_rows + position - slice * layout.slice_rows;
        if (a.col_idxs[entry] != no_column<J>) {
            const size_type base = a.bases == nullptr ? 0 : a.bases[c];
            sum += static_cast<V>(a.values[entry]) * b(base + a.col_idxs[entry], col);
        }
    }
    return sum;
}

/// Calls f(row of the colour, position) for the rows of each block in their order.
template <class S, class J, class F>
void for_each_row_forward(const ColourView<S, J>& colour, const F& f)
{
    for (size_type block = 0; block < colour.num_blocks(); ++block) {
        for (size_type j = 0; j < colour.rows_of(block); ++j) {
            f(colour.row(j, block), colour.first + colour.row(j, block));
        }
    }
}

/// The same from the last row of each block to the first.
template <class S, class J, class F>
void for_each_row_backward(const ColourView<S, J>& colour, const F& f)
{
    for (size_type block = 0; block < colour.num_blocks(); ++block) {
        for (size_type j = colour.rows_of(block) - 1; j >= 0; --j) {
            f(colour.row(j, block), colour.first + colour.row(j, block));
        }
    }
}

}  // namespace linden::reference
