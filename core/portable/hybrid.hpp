#pragma once

#include "core/kernels/hybrid.hpp"
#include "core/portable/body.hpp"
#include "core/portable/search.hpp"

namespace linden {

template <class I>
struct MarkLonger {
    size_type num_rows;
    const I* row_ptrs;
    size_type width;
    I* marks;

    LINDEN_HOST_DEVICE size_type size() const { return num_rows; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        marks[row] = row_ptrs[row + 1] - row_ptrs[row] > width ? 1 : 0;
    }
};

template <class I>
struct CountTails {
    size_type num_rows;
    const I* row_ptrs;
    size_type skip;
    I* counts;

    LINDEN_HOST_DEVICE size_type size() const { return num_rows; }
    LINDEN_HOST_DEVICE void operator()(size_type row) const
    {
        const size_type tail = row_ptrs[row + 1] - row_ptrs[row] - skip;
        counts[row] = static_cast<I>(tail > 0 ? tail : 0);
    }
};

template <class I>
struct FillTails {
    PatternView<I> a;
    size_type skip;
    size_type num_tail;
    const I* tail_ptrs;
    I* row_idxs;
    I* col_idxs;
    size_type* map;

    LINDEN_HOST_DEVICE size_type size() const { return num_tail; }
    LINDEN_HOST_DEVICE void operator()(size_type k) const
    {
        const size_type row = row_of(tail_ptrs, a.rows, k);
        const size_type from = a.row_ptrs[row] + skip + (k - tail_ptrs[row]);
        row_idxs[k] = static_cast<I>(row);
        col_idxs[k] = a.col_idxs[from];
        map[k] = from;
    }
};

template <class I>
struct ExtractTails {
    TailsView<I> tails;
    size_type first;
    const I* row_ptrs;
    I* col_idxs;
    size_type* map;

    LINDEN_HOST_DEVICE size_type size() const { return tails.num_entries; }
    LINDEN_HOST_DEVICE void operator()(size_type k) const
    {
        const size_type row = tails.row_idxs[k];
        const size_type to = row_ptrs[row + 1] - (tails.ptrs[row + 1] - k);
        col_idxs[to] = tails.col_idxs[k];
        map[to] = first + k;
    }
};

template <class F>
void for_each_portable_hybrid(const F& f)
{
    for_each_index([&]<class I>() {
        f(hybrid_mark_longer<I>, BodyOf<MarkLonger<I>>());
        f(hybrid_count_tails<I>, BodyOf<CountTails<I>>());
        f(hybrid_fill_tails<I>, BodyOf<FillTails<I>>());
        f(hybrid_extract_tails<I>, BodyOf<ExtractTails<I>>());
    });
}

}  // namespace linden
