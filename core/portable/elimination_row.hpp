#pragma once

#include "core/base/math.hpp"
#include "core/kernels/multi_elimination.hpp"
#include "core/portable/lanes.hpp"

/// What bodies of several kernels of multi-elimination do with a row.
namespace linden {

/// own + sum, or own where that would leave less than a tenth of it, or turn it round.
template <class V>
LINDEN_HOST_DEVICE V lumped(V own, V sum)
{
    const V both = own + sum;
    const real_t<V> scale = magnitude(own);
    return own == V{} || real(both / scale * conj(own / scale)) >= real_t<V>(0.1) ? both : own;
}

/// The entries of E and F in a row.
template <class I>
struct FactorEntries {
    PatternView<I> a;
    EliminationView<I> level;

    template <class Lanes, class Use>
    LINDEN_HOST_DEVICE size_type compact(Lanes lanes, size_type row, size_type first, const Use& use) const
    {
        const bool is_pivot = level.rows[row] < 0;
        return compact_entries(
            lanes, a.row_ptrs[row], a.row_ptrs[row + 1], first,
            [&](size_type k) { return is_pivot != (level.columns[a.col_idxs[k]] < 0); }, use);
    }
};

}  // namespace linden
