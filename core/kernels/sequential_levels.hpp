#pragma once

#include <algorithm>

#include "core/kernels/levels.hpp"

namespace linden {

/// `levels_find` on one thread, for hosts: in the order of rows most wait for the row before them, so that a team would
/// work one after the other.
template <class I>
void find_levels(const PatternView<I>& a, Side side, I* levels, size_type* num_levels)
{
    *num_levels = 0;
    for (size_type i = 0; i < a.rows; ++i) {
        const size_type row = side == Side::lower ? i : a.rows - 1 - i;
        I level = 0;
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            const size_type col = a.col_idxs[k];
            if (side == Side::lower ? col < row : col > row) {
                level = std::max(level, static_cast<I>(levels[col] + 1));
            }
        }
        levels[row] = level;
        *num_levels = std::max(*num_levels, size_type{level} + 1);
    }
}

}  // namespace linden
