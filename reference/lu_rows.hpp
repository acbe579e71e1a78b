#pragma once

#include "core/portable/pivots.hpp"

namespace linden::reference {

/// L and U on the pattern a, as ilu_factorize describes them.
template <class V, class I>
void factorize_lu_rows(const PatternView<I>& a, const I* diagonal, const PivotLimits<real_t<V>>& limits, V* values,
                       PivotReport* report)
{
    *report = {};
    for (size_type i = 0; i < a.rows; ++i) {
        for (I ik = a.row_ptrs[i]; ik < diagonal[i]; ++ik) {
            const size_type k = a.col_idxs[ik];
            values[ik] /= values[diagonal[k]];  // l_ik := a_ik / u_kk
            I kj = diagonal[k] + 1;
            for (I ij = ik + 1; ij < a.row_ptrs[i + 1]; ++ij) {
                while (kj < a.row_ptrs[k + 1] && a.col_idxs[kj] < a.col_idxs[ij]) {
                    ++kj;
                }
                if (kj < a.row_ptrs[k + 1] && a.col_idxs[kj] == a.col_idxs[ij]) {
                    values[ij] -= values[ik] * values[kj];  // a_ij := a_ij - l_ik u_kj
                }
            }
        }
        replace_bad_pivot(values + diagonal[i], a.row_ptrs[i + 1] - diagonal[i] - 1, limits, i, *report);
    }
}

}  // namespace linden::reference
