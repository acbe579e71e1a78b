#pragma once

#include <linden/views.hpp>

#include "core/portable/lanes.hpp"

/// Bodies that choose entries of each row by a rule: how many, and which. Rule<V, I, Lanes>(a, options, row) is made by
/// all lanes of a row and says of each entry whether it is chosen.
namespace linden {

template <class V, class I, template <class, class, class> class Rule, class Options>
struct CountChosen {
    CsrView<V, I> a;
    Options options;
    I* counts;

    LINDEN_HOST_DEVICE size_type size() const { return a.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return a.num_nonzeros; }
    LINDEN_HOST_DEVICE size_type length(size_type row) const { return row_length(a, row); }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes lanes, size_type row) const
    {
        const Rule<V, I, Lanes> is_chosen(a, options, row);
        const I count = count_entries<I>(lanes, a.row_ptrs[row], a.row_ptrs[row + 1], is_chosen);
        if (Lanes::lane() == 0) {
            counts[row] = count;
        }
    }
};

template <class V, class I, template <class, class, class> class Rule, class Options>
struct TakeChosen {
    CsrView<V, I> a;
    Options options;
    const I* row_ptrs;
    I* col_idxs;

    LINDEN_HOST_DEVICE size_type size() const { return a.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return a.num_nonzeros; }
    LINDEN_HOST_DEVICE size_type length(size_type row) const { return row_length(a, row); }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes lanes, size_type row) const
    {
        const Rule<V, I, Lanes> is_chosen(a, options, row);
        compact_entries(lanes, a.row_ptrs[row], a.row_ptrs[row + 1], row_ptrs[row], is_chosen,
                        [&](size_type at, size_type k) { col_idxs[at] = a.col_idxs[k]; });
    }
};

}  // namespace linden
