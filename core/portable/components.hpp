#pragma once

#include "core/kernels/components.hpp"

namespace linden {

/// components_find on one thread, for hosts.
template <class I>
void find_components(const PatternView<I>& a, I* labels)
{
    for (size_type row = 0; row < a.rows; ++row) {
        labels[row] = static_cast<I>(row);
    }
    /// Each label on the way is replaced by the next but one.
    const auto first_of = [&](I row) {
        while (labels[row] != row) {
            row = labels[row] = labels[labels[row]];
        }
        return row;
    };
    for (size_type row = 0; row < a.rows; ++row) {
        I first = first_of(static_cast<I>(row));
        for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            const I other = first_of(a.col_idxs[k]);
            (first < other ? labels[other] : labels[first]) = first < other ? first : other;
            first = first < other ? first : other;
        }
    }
    for (size_type row = 0; row < a.rows; ++row) {
        labels[row] = labels[labels[row]];  // those of earlier rows are known
    }
}

}  // namespace linden
