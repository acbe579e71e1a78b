#pragma once

#include "core/portable/elimination_row.hpp"

/// Bodies of multi-elimination: E and F of all levels as the rows of one matrix.
namespace linden {

template <class I>
struct RecordPivots {
    EliminationView<I> elimination;
    EliminationNames<I> names;
    I level;
    bool is_last;
    EliminationRecord<I> record;

    LINDEN_HOST_DEVICE size_type size() const { return elimination.size; }
    LINDEN_HOST_DEVICE void operator()(size_type i) const
    {
        const I number = elimination.rows[i];
        if (number >= 0 && !is_last) {
            return;
        }
        const I col = number >= 0 ? elimination.kept_columns[number] : elimination.pivots[i];
        const I row_name = names.rows[i];
        const I col_name = names.columns[col];
        record.levels[row_name] = number >= 0 ? level + 1 : level;
        record.columns[row_name] = col_name;
        record.rows[col_name] = row_name;
    }
};

template <class V, class I>
struct TakeFactors {
    CsrView<V, I> a;
    EliminationView<I> level;
    EliminationNames<I> names;
    I* cursors;
    I* col_idxs;
    V* values;

    LINDEN_HOST_DEVICE size_type size() const { return a.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return a.num_nonzeros; }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes lanes, size_type row) const
    {
        const I name = names.rows[row];
        const size_type end =
            FactorEntries<I>{a, level}.compact(lanes, row, cursors[name], [&](size_type to, size_type k) {
                col_idxs[to] = names.columns[a.col_idxs[k]];
                values[to] = a.values[k];
            });
        if (Lanes::lane() == 0) {
            cursors[name] = static_cast<I>(end);
        }
    }
};

template <class V, class I>
struct PermuteFactors {
    CsrView<V, I> a;
    const I* order;
    const I* position;
    WrittenRows<V, I> permuted;

    LINDEN_HOST_DEVICE size_type size() const { return a.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return a.num_nonzeros; }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type p) const
    {
        const size_type from = a.row_ptrs[order[p]], to = permuted.row_ptrs[p];
        const size_type count = permuted.row_ptrs[p + 1] - to;
        for (size_type k = Lanes::lane(); k < count; k += Lanes::size) {
            permuted.col_idxs[to + k] = position[a.col_idxs[from + k]];
            permuted.values[to + k] = a.values[from + k];
        }
    }
};

template <class V, class I>
struct ScatterByName {
    size_type n;
    const I* names;
    const V* source;
    V* target;

    LINDEN_HOST_DEVICE size_type size() const { return n; }
    LINDEN_HOST_DEVICE void operator()(size_type k) const { target[names[k]] = source[k]; }
};

}  // namespace linden
