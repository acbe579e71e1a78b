#pragma once

#include "core/portable/ilut.hpp"
#include "core/portable/parilut.hpp"
#include "core/portable/search.hpp"
#include "core/portable/uneven_rows.hpp"

/// Rows of W on hosts, where a row is gathered in a dense one.
namespace linden {

/// What parilut_count and parilut_form are called with.
template <class V, class I>
struct FixedPointProblem {
    CsrView<V, I> a;
    FixedPointView<V, I> f;
    RowSelection<I> selection;
    const real_t<V>* threshold;

    /// Calls use(col, value) for the entries of row `row` of W that are kept, by columns.
    template <class Use>
    void form_row(size_type row, WorkingRow<V, I>& w, const Use& use) const
    {
        w.insert(row);
        for (I at = a.row_ptrs[row]; at < a.row_ptrs[row + 1]; ++at) {
            w.add(a.col_idxs[at], a.values[at]);
        }
        for (I l = f.s.row_ptrs[row]; l < f.diagonal[row]; ++l) {
            const I k = f.s.col_idxs[l];
            for (I u = f.diagonal[k] + 1; u < f.s.row_ptrs[k + 1]; ++u) {
                w.add(f.s.col_idxs[u], -triple_product(f.s.values[l], f.s.values[u], f.inverses[k]));
            }
        }
        const KeptEntries<V> keeps{f.scales, threshold};
        for (size_type col = 0; (col = w.take(col)) != ColumnSet::none;) {
            const V value = w.take_value(col);
            if (keeps(row, col, value)) {
                use(col, value);
            }
        }
    }

    /// The counts of the selected rows [begin, end).
    void count(size_type begin, size_type end, WorkingRow<V, I>& w, I* counts) const
    {
        for (size_type i = begin; i < end; ++i) {
            I count = 0;
            form_row(selection[i], w, [&](size_type, V) { ++count; });
            counts[i] = count;
        }
    }
    /// The entries of these rows.
    void form(size_type begin, size_type end, WorkingRow<V, I>& w, const FormedRows<V, I>& formed) const
    {
        for (size_type i = begin; i < end; ++i) {
            I to = formed.row_ptrs[i];
            form_row(selection[i], w, [&](size_type col, V value) {
                formed.col_idxs[to] = static_cast<I>(col);
                formed.values[to++] = value;
            });
        }
    }
};

/// A row of W on the pattern of S: row k of U after the other, beside the rest of the row.
template <class V, class I>
struct SweepRows {
    FixedPointView<V, I> f;
    const V* a;
    V* values;

    size_type size() const { return f.s.rows; }
    size_type num_entries() const { return f.s.num_nonzeros; }
    template <class Lanes>
    void operator()(Lanes, size_type row) const
    {
        const size_type begin = f.s.row_ptrs[row], end = f.s.row_ptrs[row + 1];
        for (size_type at = begin; at < end; ++at) {
            values[at] = a[at];
        }
        for (size_type l = begin; l < f.diagonal[row]; ++l) {
            const I k = f.s.col_idxs[l];
            size_type at = l + 1;
            const size_type u_end = f.s.row_ptrs[k + 1];
            size_type u = f.diagonal[k] + 1;
            const bool is_searched = is_far_longer(end - at, u_end - u);
            for (; u < u_end; ++u) {
                const I col = f.s.col_idxs[u];
                if (is_searched) {
                    at = first_from(f.s.col_idxs, at, end, col);
                }
                while (at < end && f.s.col_idxs[at] < col) {
                    ++at;
                }
                if (at == end) {
                    break;
                }
                if (f.s.col_idxs[at] == col) {
                    values[at] = values[at] - triple_product(f.s.values[l], f.s.values[u], f.inverses[k]);
                }
            }
        }
    }
};

/// The diagonal entries of rows [begin, end).
template <class V, class I>
PivotReport check_pivots(size_type begin, size_type end, const I* diagonal, const real_t<V>* norms, bool is_hermitian,
                         V* values, const PivotInverses<V>& pivots)
{
    PivotReport report;
    for (size_type row = begin; row < end; ++row) {
        bool is_bad = false;
        V& pivot = values[diagonal[row]];
        pivot = judged_pivot(pivot, norms[row], is_hermitian, is_bad);
        invert_pivot(pivot, pivots.inverses[row], pivots.scales[row]);
        if (is_bad) {
            add_bad_pivot(report, row);
        }
    }
    return report;
}

}  // namespace linden
