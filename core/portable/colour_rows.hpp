#pragma once

#include "core/kernels/colour_rows.hpp"
#include "core/portable/body.hpp"
#include "core/portable/search.hpp"

namespace linden {

template <class I>
struct MeasureRows {
    PatternView<I> a;
    ColourWindows<I> colours;
    size_type long_row;
    I* lower;
    I* upper;
    I* is_long;
    I* windows;

    LINDEN_HOST_DEVICE size_type size() const { return a.rows; }
    LINDEN_HOST_DEVICE void operator()(size_type p) const
    {
        const size_type row = colours.order[p];
        size_type left = 0;
        size_type right = 0;
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            const size_type other = colours.position[a.col_idxs[k]];
            left += other < p;
            right += other > p;
        }
        const bool is_one = left > long_row || right > long_row;
        is_long[p] = is_one ? 1 : 0;
        lower[p] = is_one ? I{} : static_cast<I>(left);
        upper[p] = is_one ? I{} : static_cast<I>(right);
        const size_type colour = row_of(colours.colour_ptrs, colours.num_colours, p);
        const size_type window = (p - colours.colour_ptrs[colour]) / colours.window_rows;
        windows[p] = static_cast<I>(colours.window_ptrs[colour] + (is_one ? 0 : 1 + window));
    }
};

template <class F>
void for_each_portable_colour_rows(const F& f)
{
    for_each_index([&]<class I>() { f(colour_rows_measure<I>, BodyOf<MeasureRows<I>>()); });
}

}  // namespace linden
