#pragma once

#include <linden/views.hpp>

#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

/// The lengths of rows that stand by colours, by which rows of a colour are sorted.
namespace linden {

/// Rows by colours, each colour cut into windows of `window_rows` rows. Colour c has the positions colour_ptrs[c], ...,
/// colour_ptrs[c + 1] - 1; window number window_ptrs[c] is for its long rows, window_ptrs[c] + 1 + i its i-th.
template <class I>
struct ColourWindows {
    const I* order = nullptr;     ///< which row stands at each position
    const I* position = nullptr;  ///< the inverse
    const I* colour_ptrs = nullptr;
    const I* window_ptrs = nullptr;
    size_type num_colours = 0;
    size_type window_rows = 1;
};

/// For the row at each position p, with its entries at positions left and right of p:
///     is_long[p] := 1 where there are more than `long_row` on one side, else 0;
///     lower[p], upper[p] := how many there are on the left and on the right, none of long rows;
///     windows[p] := the number of its window, that of its colour's long rows if it is one.
/// a: n x n, rows in any order; its colours are those of a pattern that has its entries. lower, upper, is_long,
/// windows: n values each.
template <class I>
inline constinit kernel<void(PatternView<I> a, ColourWindows<I> colours, size_type long_row, I* lower, I* upper,
                             I* is_long, I* windows)>
    colour_rows_measure{"colour_rows::measure", types_of<I>};

}  // namespace linden
