#pragma once

#include "core/portable/elimination_row.hpp"

/// Bodies of multi-elimination: the factors (E C) and (-D^-1 F; I) of the Schur complement.
namespace linden {

/// Item i counts for row i and, if it is kept, column i.
template <class I>
struct CountParts {
    PatternView<I> a;
    EliminationView<I> level;
    const I* row_names;
    EliminationCounts<I> counts;

    LINDEN_HOST_DEVICE size_type size() const { return a.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return a.num_nonzeros; }
    LINDEN_HOST_DEVICE size_type length(size_type row) const { return row_length(a, row); }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes lanes, size_type row) const
    {
        const auto in_factors = FactorEntries<I>{a, level}.compact(lanes, row, 0, [](size_type, size_type) {});
        if (Lanes::lane() != 0) {
            return;
        }
        counts.factors[row_names[row]] += static_cast<I>(in_factors);
        const I number = level.rows[row];
        if (number >= 0) {
            counts.kept[number] = a.row_ptrs[row + 1] - a.row_ptrs[row];
        } else {
            counts.interpolation[level.pivots[row]] = static_cast<I>(in_factors);
        }
        if (level.columns[row] >= 0) {
            counts.interpolation[row] = 1;
        }
    }
};

/// Item i does row i and, if it is kept, column i.
template <class V, class I>
struct SplitRows {
    CsrView<V, I> a;
    EliminationView<I> level;
    double omega;
    WrittenPivots<V> pivots;
    WrittenRows<V, I> kept;
    WrittenRows<V, I> interpolation;
    FactorValues<V, I> factors;

    LINDEN_HOST_DEVICE size_type size() const { return a.rows; }
    LINDEN_HOST_DEVICE size_type num_entries() const { return a.num_nonzeros; }
    template <class Lanes>
    LINDEN_HOST_DEVICE void operator()(Lanes lanes, size_type row) const
    {
        if (level.columns[row] >= 0 && Lanes::lane() == 0) {
            const I to = interpolation.row_ptrs[row];
            interpolation.col_idxs[to] = level.columns[row];
            interpolation.values[to] = V{1};
        }
        const I number = level.rows[row];
        if (number < 0) {
            interpolate(lanes, row, -1 - number);
            return;
        }
        const size_type from = a.row_ptrs[row], to = kept.row_ptrs[number];
        for (size_type k = Lanes::lane(); k < a.row_ptrs[row + 1] - from; k += Lanes::size) {
            kept.col_idxs[to + k] = a.col_idxs[from + k];
            kept.values[to + k] = a.values[from + k];
        }
        if (factors.values != nullptr) {
            take_factors(lanes, row);
        }
    }

private:
    /// The entries of E in a kept row.
    template <class Lanes>
    LINDEN_HOST_DEVICE void take_factors(Lanes lanes, size_type row) const
    {
        const size_type first = factors.cursors[factors.row_names[row]];
        const size_type end = FactorEntries<I>{a, level}.compact(
            lanes, row, first, [&](size_type to, size_type k) { factors.values[to] = a.values[k]; });
        if (Lanes::lane() == 0) {
            factors.cursors[factors.row_names[row]] = static_cast<I>(end);
        }
    }
    template <class Lanes>
    LINDEN_HOST_DEVICE V pivot_value(Lanes, size_type row) const
    {
        V own{}, others{};
        for (size_type k = a.row_ptrs[row] + Lanes::lane(); k < a.row_ptrs[row + 1]; k += Lanes::size) {
            const I col = a.col_idxs[k];
            if (col == level.pivots[row]) {
                own = a.values[k];
            } else if (level.columns[col] < 0) {
                others += a.values[k];
            }
        }
        own = Lanes::sum(own);
        return lumped(own, V{static_cast<real_t<V>>(omega)} * Lanes::sum(others));
    }
    template <class Lanes>
    LINDEN_HOST_DEVICE void interpolate(Lanes lanes, size_type row, size_type pivot) const
    {
        const V value = pivot_value(lanes, row);
        const V inverse = value == V{} ? V{1} : V{1} / value;
        if (Lanes::lane() == 0) {
            pivots.d[pivot] = value;
            pivots.inverses[pivot] = inverse;
        }
        const size_type first = interpolation.row_ptrs[level.pivots[row]];
        V* const taken = factors.values == nullptr ? nullptr : factors.values + factors.cursors[factors.row_names[row]];
        FactorEntries<I>{a, level}.compact(lanes, row, 0, [&](size_type i, size_type k) {
            interpolation.col_idxs[first + i] = level.columns[a.col_idxs[k]];
            interpolation.values[first + i] = -(a.values[k] * inverse);
            if (taken != nullptr) {
                taken[i] = a.values[k];
            }
        });
    }
};

}  // namespace linden
