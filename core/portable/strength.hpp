#pragma once

#include "core/base/math.hpp"
#include "core/kernels/aggregation.hpp"
#include "core/portable/chosen_entries.hpp"
#include "core/portable/lanes.hpp"
#include "core/portable/search.hpp"

/// Bodies of aggregation: which entries are strong.
namespace linden {

template <class V, class I>
struct MeasureStrength {
    CsrView<V, I> a;
    real_t<V>* largest;
    real_t<V>* sums;
    I* is_mixed;

    LINDEN_HOST_DEVICE size_type size() const { return a.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return a.num_nonzeros; }
    LINDEN_HOST_DEVICE size_type length(size_type row) const { return row_length(a, row); }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes, size_type row) const
    {
        const size_type end = a.row_ptrs[row + 1];
        V diagonal{};
        if (is_mixed != nullptr) {
            const size_type at = first_from(a.col_idxs, a.row_ptrs[row], end, row);
            diagonal = at < end && a.col_idxs[at] == row ? conj(a.values[at]) : V{};
        }
        real_t<V> most{}, others{}, own{}, opposed{};
        for (size_type k = a.row_ptrs[row] + Lanes::lane(); k < end; k += Lanes::size) {
            const V value = a.values[k];
            const real_t<V> size_of_entry = magnitude(value);
            if (a.col_idxs[k] == row) {
                own = size_of_entry;
                continue;
            }
            others += size_of_entry;
            most = size_of_entry > most ? size_of_entry : most;
            opposed += real(value * diagonal) > 0 ? size_of_entry : real_t<V>{};
        }
        most = Lanes::max(most);
        others = Lanes::sum(others);
        own = Lanes::sum(own);
        opposed = Lanes::sum(opposed);
        if (Lanes::lane() == 0) {
            largest[row] = most;
            sums[row] = others + own;
            if (is_mixed != nullptr) {
                is_mixed[row] = 10 * opposed > others ? 1 : 0;
            }
        }
    }
};

/// Tells strong entries of a row from weak ones.
template <class V, class I>
struct StrongEntries {
    const CsrView<V, I>& a;
    const StrengthRule<real_t<V>>& rule;
    size_type row;
    V diagonal;

    LINDEN_HOST_DEVICE StrongEntries(const CsrView<V, I>& matrix, const StrengthRule<real_t<V>>& strength, size_type i)
        : a(matrix),
          rule(strength),
          row(i),
          diagonal(diagonal_of(i))
    {
    }

    LINDEN_HOST_DEVICE bool operator()(size_type k) const
    {
        const I col = a.col_idxs[k];
        if (col == row) {
            return true;
        }
        const real_t<V> here = rule.largest[row];
        const real_t<V> there = rule.largest[col];
        const auto limit = static_cast<real_t<V>>(0.9999 * rule.threshold) * (here < there ? here : there);
        if (is_large(a.values[k], limit) && !is_aligned(a.values[k], diagonal)) {
            return true;
        }
        // Mirror images are as large, but the diagonals may differ in sign.
        if (rule.is_hermitian && real_t<V>(1.001) * magnitude(a.values[k]) < limit && is_exact(row) && is_exact(col)) {
            return false;
        }
        const size_type mirrored = find_mirror(a, row, k);
        return mirrored >= 0 && is_large(a.values[mirrored], limit) &&
               !is_aligned(a.values[mirrored], diagonal_of(col));
    }

private:
    /// Whether rounding errors are far below a thousandth of the row's largest entry.
    LINDEN_HOST_DEVICE bool is_exact(size_type i) const
    {
        return rule.sums == nullptr || rule.sums[i] < 1000 * rule.largest[i];
    }
    LINDEN_HOST_DEVICE V diagonal_of(size_type i) const
    {
        const size_type at = find_entry<I>(a, i, i);
        return at < 0 ? V{} : conj(a.values[at]);
    }
    LINDEN_HOST_DEVICE static bool is_large(V value, real_t<V> limit)
    {
        const real_t<V> size_of_entry = magnitude(value);
        return size_of_entry > 0 && size_of_entry >= limit;
    }
    /// Whether the entry has the diagonal's sign.
    LINDEN_HOST_DEVICE static bool is_aligned(V value, V conjugated_diagonal)
    {
        return real(value * conjugated_diagonal) > 0;
    }
};

template <class V, class I>
struct CountStrong {
    CsrView<V, I> a;
    StrengthRule<real_t<V>> rule;
    std::uint8_t* marks;
    I* counts;

    LINDEN_HOST_DEVICE size_type size() const { return a.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return a.num_nonzeros; }
    LINDEN_HOST_DEVICE size_type length(size_type row) const { return row_length(a, row); }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes lanes, size_type row) const
    {
        const StrongEntries<V, I> is_strong(a, rule, row);
        const I count = count_entries<I>(lanes, a.row_ptrs[row], a.row_ptrs[row + 1], [&](size_type k) {
            const bool is_marked = is_strong(k);
            if (marks != nullptr) {
                marks[k] = is_marked ? 1 : 0;
            }
            return is_marked;
        });
        if (Lanes::lane() == 0) {
            counts[row] = count;
        }
    }
};

/// Each lane makes it by itself.
template <class V, class I, class>
using StrongEntriesOfRow = StrongEntries<V, I>;
template <class V, class I>
using TakeStrong = TakeChosen<V, I, StrongEntriesOfRow, StrengthRule<real_t<V>>>;

}  // namespace linden
