#pragma once

#include "test/support/kernel_cases.hpp"

namespace linden::test {

/// A matrix with entries at these offsets from the diagonal, as far as they exist, whose values are whole numbers that
/// depend on the offset and on the row's kind, of which there are `kinds`, in an order without a pattern. Every fifth
/// kind lacks an entry, the first has none but the last.
template <class V, class I>
CsrData<V, I> rows_of_kinds(Dim size, const std::vector<size_type>& offsets, size_type kinds)
{
    Random random(97);
    CsrData<V, I> a{size, {0}, {}, {}};
    for (size_type row = 0; row < size.rows; ++row) {
        const size_type kind = random.unit() < 0.8 ? 1 % kinds : random.integer(0, kinds);
        for (std::size_t j = 0; j < offsets.size(); ++j) {
            const size_type col = row + offsets[j];
            const bool is_left_out = (kind == 0 && kinds > 1 && j + 1 < offsets.size()) || (kind % 5 == 4 && j == 1);
            if (col >= 0 && col < size.cols && !is_left_out) {
                a.col_idxs.push_back(static_cast<I>(col));
                a.values.push_back(V{static_cast<real_t<V>>(1 + kind + 2 * static_cast<size_type>(j))});
            }
        }
        a.row_ptrs.push_back(static_cast<I>(a.values.size()));
    }
    return a;
}

}  // namespace linden::test
