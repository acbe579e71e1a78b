#pragma once

#include <algorithm>

#include "core/kernels/levels.hpp"

namespace linden {

/// `levels_find_runs` on one thread, for hosts: in the order of rows most wait for the row before them, so that a team
/// would work one after the other.
template <class I>
void find_levels(const PatternView<I>& a, Side side, size_type max_run, I* levels, size_type* num_levels)
{
    /// The row at a place of the order of substitution, and the place of a row.
    const auto at = [&](size_type place) { return side == Side::lower ? place : a.rows - 1 - place; };
    size_type first = 0;  // of the run, whose level is known when it ends
    I level = 0;
    const auto end_run = [&](size_type end) {
        for (size_type place = first; place < end; ++place) {
            levels[at(place)] = level;
        }
        *num_levels = end == 0 ? 0 : std::max(*num_levels, size_type{level} + 1);
        first = end;
    };
    *num_levels = 0;
    for (size_type place = 0; place < a.rows; ++place) {
        const size_type row = at(place);
        I of_others = 0;
        size_type nearest = -1;
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            const size_type needed = at(a.col_idxs[k]);
            if (needed < first) {
                of_others = std::max(of_others, static_cast<I>(levels[a.col_idxs[k]] + 1));
            }
            nearest = needed < place ? std::max(nearest, needed) : nearest;
        }
        if (place == first || (nearest == place - 1 && place - first < max_run)) {
            level = std::max(level, of_others);
            continue;
        }
        const bool needs_run = nearest >= first;
        end_run(place);
        level = needs_run ? std::max<I>(level + 1, of_others) : of_others;
    }
    end_run(a.rows);
}

}  // namespace linden
